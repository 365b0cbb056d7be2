import { UserError } from '../../platform/errors.js';
import type { Query } from '../../platform/sql.js';

const NAME = 'zones';

/** Which time zone data the stored days were made by, and which this process has. */
export interface ZoneData {
  /** Undefined while nobody has said so: no roll-up yet, or one of a release that did not. */
  readonly stored: string | undefined;
  readonly ours: string;
}

/** The days of the statistics begin where newer time zone data let them begin: this process must not write any. */
export class OtherZoneData extends UserError {
  constructor({ stored, ours }: ZoneData) {
    super(
      `The days of the statistics are of time zone data ${stored}, and this process has ${nameOf(ours)}.`,
      'Run it with a newer Node.',
    );
  }
}

/** Release of the zone data in this JavaScript engine, such as `2026b`; they sort as texts. Empty where it does not say. */
function zoneDataOfEngine(): string {
  return process.versions['tz'] ?? '';
}

export async function readZoneData(query: Query): Promise<ZoneData> {
  const [row] = await query<{ value: string }>('SELECT value FROM statistic_state WHERE name = $1', [NAME]);
  return { stored: row?.value, ours: zoneDataOfEngine() };
}

/** Whether this process is to make the stored days anew. */
export function isNewer({ stored, ours }: ZoneData): boolean {
  return stored === undefined || stored < ours;
}

/** What it means that they differ, in a sentence. */
export function describeZoneData(data: ZoneData): string {
  const made = `The days of the statistics are of time zone data ${nameOf(data.stored)}, and this process has ${nameOf(data.ours)}:`;
  const reads = 'it adds up its own from hours and quarter hours';
  return isNewer(data)
    ? `${made} ${reads} until a worker with these data has made them anew.`
    : `${made} ${reads}, which takes longer, and computes no statistics. Run it with a newer Node.`;
}

/**
 * Makes sure, until the transaction ends, that the stored days are of the zone data of this process.
 * @throws OtherZoneData
 */
export async function requireZoneData(query: Query): Promise<void> {
  const [row] = await query<{ value: string }>(
    'SELECT value FROM statistic_state WHERE name = $1 FOR KEY SHARE',
    [NAME],
  );
  const data = { stored: row?.value, ours: zoneDataOfEngine() };
  if (data.stored !== data.ours) throw new OtherZoneData(data);
}

/**
 * Writes down, where the stored days are of older zone data, that they are of those of this process. Nobody else computes
 * statistics until the transaction ends, in which they are to be made anew.
 * @returns false: they are of these data already, or of newer ones
 */
export async function takeOverZoneData(query: Query): Promise<boolean> {
  await query(`INSERT INTO statistic_state (name, value) VALUES ($1, '') ON CONFLICT DO NOTHING`, [NAME]);
  const [row] = await query<{ value: string }>(
    'SELECT value FROM statistic_state WHERE name = $1 FOR UPDATE',
    [NAME],
  );
  const ours = zoneDataOfEngine();
  if (row === undefined || row.value >= ours) return false;
  await query('UPDATE statistic_state SET value = $2 WHERE name = $1', [NAME, ours]);
  return true;
}

function nameOf(data: string | undefined): string {
  return data === undefined || data === '' ? 'of an unknown release' : data;
}
