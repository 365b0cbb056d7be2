import { DecodeError } from '../domain/decode-error.js';
import { toPrintable } from '../domain/printable-text.js';
import { codeOf, messageOf } from '../platform/errors.js';
import { columnsOf } from '../platform/rows/row-columns.js';
import { ProjectionFaultEntity } from '../tables/projections.entities.js';
import type { Projection, Query } from './projection.js';

/** A dead letter: an event that a projection cannot apply because of its data. */
export type DeadLetter = Pick<ProjectionFaultEntity, 'position' | 'stream' | 'type' | 'error'>;

/** A stream with this many dead letters is quarantined whole: its later events build on the missing ones. */
export const MOST_FAULTS_OF_STREAM = 10;

/** The most characters of an error that are kept; it may quote what a node sent. */
const LONGEST_ERROR = 500;

/** SQLSTATE classes 22 (an impossible value) and 23 (a row that the tables refuse), and 54000 (a row too large for an index). */
const DATA_STATE = /^(?:2[23][0-9A-Z]{3}|54000)$/;
/** The engine's message, in a RangeError, when it is out of memory. */
const OUT_OF_MEMORY = /allocation failed/i;

/**
 * Whether an error comes from the data, so that every further try fails in the same way. False for trouble of a server or
 * connection, and for errors that only a bug of ours can explain.
 */
export function isFaultOfData(error: unknown): boolean {
  if (error instanceof DecodeError) return true;
  if (isRangeError(error)) return !OUT_OF_MEMORY.test(error.message);
  return DATA_STATE.test(codeOf(error) ?? '');
}

/** Compares the name, because errors thrown inside the engine may belong to another realm's class. */
function isRangeError(error: unknown): error is RangeError {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'RangeError';
}

/** Returns the error in the form in which it is stored and shown: printable, on one line. */
export function toFaultText(error: unknown): string {
  return toPrintable(messageOf(error), LONGEST_ERROR);
}

/** The number of dead letters of each stream, for the projection's present version; streams without dead letters are omitted. */
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

/** Stores dead letters. An existing dead letter of an older version takes on the present version. */
export async function writeFaults(
  query: Query,
  { name: projection, version }: Projection,
  faults: readonly DeadLetter[],
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
