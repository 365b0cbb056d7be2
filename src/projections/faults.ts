import { DecodeError } from '../domain/decode-error.js';
import { toPrintable } from '../domain/printable-text.js';
import { codeOf, messageOf } from '../platform/errors.js';
import { columnsOf } from '../platform/rows/row-columns.js';
import { ProjectionFaultEntity } from '../tables/projections/projection-fault.entity.js';
import type { Projection, Query } from './projection.js';

/** An event that a projection cannot take because of what is in it. */
export type EventFault = Pick<ProjectionFaultEntity, 'position' | 'stream' | 'type' | 'error'>;

/** A stream with so many faults is set aside whole: what comes later in it builds on what was left out. */
export const MOST_FAULTS_OF_STREAM = 10;

/** Characters of an error that are kept; it may quote what a node sent. */
const LONGEST_ERROR = 500;

/** SQLSTATE classes 22 (a value that cannot be) and 23 (a row that the tables refuse), and a row too large for an index. */
const DATA_STATE = /^(?:2[23][0-9A-Z]{3}|54000)$/;
/** What the engine says, as a RangeError, when it has no memory left. */
const OUT_OF_MEMORY = /allocation failed/i;

/**
 * Whether an error comes of the data that were worked on, so that every further try fails alike. A server or connection
 * in trouble is no such error, and neither is one that only our own mistake can explain.
 */
export function isFaultOfData(error: unknown): boolean {
  if (error instanceof DecodeError) return true;
  if (isRangeError(error)) return !OUT_OF_MEMORY.test(error.message);
  return DATA_STATE.test(codeOf(error) ?? '');
}

/** By name: what is thrown inside of the engine may be of another global object's class. */
function isRangeError(error: unknown): error is RangeError {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'RangeError';
}

/** An error as it is kept and shown: printable, of one line. */
export function toFaultText(error: unknown): string {
  return toPrintable(messageOf(error), LONGEST_ERROR);
}

/** How many faults of a projection, as it is now, each stream has; streams without any are left out. */
export async function loadFaultCounts(
  query: Query,
  { name, version }: Projection,
): Promise<Map<string, number>> {
  const rows = await query<{ stream: string; count: number }>(
    `SELECT stream, count(*)::int AS count FROM projection_fault
      WHERE projection = $1 AND version = $2 GROUP BY stream`,
    [name, version],
  );
  return new Map(rows.map(({ stream, count }) => [stream, count]));
}

const COLUMNS = columnsOf(
  ProjectionFaultEntity,
  'projection',
  'version',
  'position',
  'stream',
  'type',
  'error',
);

/** Sets events aside. Those that other rules of the projection had set aside are so by these. */
export async function writeFaults(
  query: Query,
  { name: projection, version }: Projection,
  faults: readonly EventFault[],
): Promise<void> {
  if (faults.length === 0) return;
  const added = COLUMNS.unnest(faults.map((fault) => ({ ...fault, projection, version })));
  await query(
    `INSERT INTO projection_fault (${added.names}) SELECT ${added.names} FROM ${added.sql}
     ON CONFLICT (projection, position) DO UPDATE
        SET version = excluded.version, error = excluded.error, since = excluded.since`,
    added.parameters,
  );
}
