import { takeLock } from '../../platform/locks.js';
import type { Query } from '../../platform/sql.js';
import { OtherRules } from '../../projections/projection.js';
import { markEverything } from './marks.js';
import { UserError } from '../../platform/errors.js';

/** Version of the roll-up rules, raised by every change after which the same record would give other figures. */
export const ROLL_UP_VERSION = 4;

const RULES_NAME = 'version';

/** Version of the rules by which the statistics were computed; undefined before the first roll-up. */
export async function readRulesVersion(query: Query): Promise<number | undefined> {
  const [row] = await query<{ value: string }>('SELECT value FROM statistic_state WHERE name = $1', [
    RULES_NAME,
  ]);
  return row === undefined ? undefined : Number(row.value);
}

/**
 * Makes sure, until the transaction ends, that the statistics follow the rules of this process. The first process that computes
 * statistics decides the rules.
 * @throws OtherRules
 */
export async function requireRulesVersion(query: Query): Promise<void> {
  const select = 'SELECT value FROM statistic_state WHERE name = $1 FOR KEY SHARE';
  let [row] = await query<{ value: string }>(select, [RULES_NAME]);
  if (!row) {
    await query('INSERT INTO statistic_state (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      RULES_NAME,
      String(ROLL_UP_VERSION),
    ]);
    [row] = await query<{ value: string }>(select, [RULES_NAME]);
  }
  const stored = Number(row?.value);
  if (stored !== ROLL_UP_VERSION) throw new OtherRules('statistics', stored, ROLL_UP_VERSION);
}

/** Read models that statistics are computed from. */
const TABLES = ['submission', 'block', 'price', 'imported_fee', 'chain_setting'];
const TABLES_NAME = 'tables';

const LOCK = "hashtext('hindsight statistic generation ' || current_schema())";
/** A process that waits longer than this for a lock reports its holder, and starts again. */
export const LOCK_WAIT_MS = 60_000;

interface State {
  /** The tables that exist now. */
  readonly now: string;
  /** The tables that the statistics were last computed from. */
  readonly known: string | null;
}

/** Whether all statistics must be computed again: a rebuild of a read model makes new tables, whose rows have no marks. */
export async function isOtherGeneration(query: Query): Promise<boolean> {
  const { now, known } = await loadState(query);
  return now !== known;
}

/** Marks everything if tables are new. One process does so; others wait for it. */
export async function markNewGeneration(query: Query): Promise<void> {
  await takeLock(query, LOCK, { of: 'the statistics', waitMs: LOCK_WAIT_MS });
  const { now, known } = await loadState(query);
  if (now === known) return;
  await markEverything(query, {});
  await query(
    `INSERT INTO statistic_state (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [TABLES_NAME, now],
  );
}

async function loadState(query: Query): Promise<State> {
  const [state] = await query<State>(
    `SELECT (SELECT string_agg(coalesce(to_regclass(name)::oid, 0)::text, ' ' ORDER BY n)
               FROM unnest($1::text[]) WITH ORDINALITY t (name, n)) AS now,
            (SELECT value FROM statistic_state WHERE name = $2) AS known`,
    [TABLES, TABLES_NAME],
  );
  return state ?? { now: '', known: null };
}

const NAME = 'zones';

/** Releases of the time zone data of the stored days and of this process. */
export interface ZoneData {
  /** Undefined if not recorded: no roll-up has run yet, or only one of a release that did not record it. */
  readonly stored: string | undefined;
  readonly ours: string;
}

/** The stored days follow newer time zone data: this process must not write any days. */
export class OtherZoneData extends UserError {
  constructor({ stored, ours }: ZoneData) {
    super(
      `The days of the statistics use time zone data ${stored}, and this process has ${nameOf(ours)}.`,
      'Run this process with a newer Node.',
    );
  }
}

/** Release of the zone data in this JavaScript engine, such as `2026b`; releases sort as text. Empty if not known. */
function zoneDataOfEngine(): string {
  return process.versions['tz'] ?? '';
}

export async function readZoneData(query: Query): Promise<ZoneData> {
  const [row] = await query<{ value: string }>('SELECT value FROM statistic_state WHERE name = $1', [NAME]);
  return { stored: row?.value, ours: zoneDataOfEngine() };
}

/** Whether this process must compute the stored days again. */
export function isNewer({ stored, ours }: ZoneData): boolean {
  return stored === undefined || stored < ours;
}

/** Explains in a sentence what the difference means. */
export function describeZoneData(data: ZoneData): string {
  const made = `The days of the statistics use time zone data ${nameOf(data.stored)}, and this process has ${nameOf(data.ours)}:`;
  const reads = 'it adds up its own days from hours and quarter hours';
  return isNewer(data)
    ? `${made} ${reads} until a worker with the same data has made the stored days again.`
    : `${made} ${reads}, which takes longer, and computes no statistics. Run this process with a newer Node.`;
}

/**
 * Makes sure, until the transaction ends, that the stored days follow the zone data of this process.
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
 * Records that the stored days follow the zone data of this process, if they follow older data. No other process computes
 * statistics until the transaction ends, in which the caller must compute the days again.
 * @returns false if the days already follow these data, or newer data
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
