import type { Database } from '../platform/sql.js';
import { type LogRow, SELECT_EVENT } from './logged-event.js';

/** Bytes of text at which a page is full. */
export const PAGE_BYTES = 4_000_000;

/** Bytes of text that one statement may bring at most, but for a single larger event. */
const STATEMENT_BYTES = 16_000_000;

/** Neither of Postgres' methods makes a text smaller than this share of it. */
const BEST_COMPRESSION = 1 / 255;

/** SQL: bytes of an event's body as text. What is not compressed need not be read for that. */
export const BODY_BYTES =
  'CASE WHEN pg_column_compression(body) IS NULL THEN pg_column_size(body) ELSE octet_length(body::text) END';

/** How large an event's body is, as far as can be told without reading it. */
export interface StoredSize {
  /** As stored. */
  readonly bytes: number;
  readonly isCompressed: boolean;
}

/** Which events of the log, and in which order. */
export interface LogSelection {
  /** SQL, with its parameters from $1 on. */
  readonly where: string;
  readonly parameters: readonly unknown[];
  /** By what they are ordered; unique among those selected. */
  readonly key: 'position' | 'version';
  readonly direction: 'ASC' | 'DESC';
}

/** Events from the beginning of a selection. */
export interface LogPage {
  readonly rows: readonly LogRow[];
  /** Of the texts of their bodies. */
  readonly bytes: number;
  /** Whether the selection has no others. */
  readonly isAll: boolean;
}

interface KeyedSize extends StoredSize {
  readonly key: bigint;
}

/**
 * Reads the first events of a selection: at most `limit`, and no more than a page of bytes. But at least one where
 * there is any. Bodies of one letter a million times are stored in a few bytes, so what counts is the text that comes
 * out.
 * @param hold is told how many bytes of text come next, and waited for
 */
export async function readPage(
  dataSource: Pick<Database, 'query'>,
  selection: LogSelection,
  limit: number,
  pageBytes: number = PAGE_BYTES,
  hold?: (bytes: number) => Promise<void>,
): Promise<LogPage> {
  const sizes = await readSizes(dataSource, selection, limit);
  const rows: LogRow[] = [];
  let bytes = 0;
  while (rows.length < sizes.length && bytes < pageBytes) {
    const count = countReadable(sizes, rows.length, pageBytes - bytes);
    const [first, last] = [sizes[rows.length], sizes[rows.length + count - 1]];
    if (!first || !last) break;
    const read = sizes.slice(rows.length, rows.length + count);
    await hold?.(findBound(read) ?? (await readBytes(dataSource, selection, first.key, last.key)));
    for (const row of await readBetween(dataSource, selection, first.key, last.key)) {
      bytes += Buffer.byteLength(row.body);
      rows.push(row);
    }
  }
  return { rows, bytes, isAll: rows.length === sizes.length && sizes.length < limit };
}

/**
 * How many events one statement may read. They fit into what is left of a page by their stored size, and their
 * texts are bounded however well they were compressed. At least one.
 *
 * @param from index of the first
 * @param room bytes that are left
 */
export function countReadable(sizes: readonly StoredSize[], from: number, room: number): number {
  let stored = 0;
  let atMost = 0;
  let count = 0;
  for (let index = from; index < sizes.length; index += 1) {
    const size = sizes[index] as StoredSize;
    atMost += mostBytes(size);
    if (count > 0 && (stored >= room || atMost > STATEMENT_BYTES)) break;
    stored += size.bytes;
    count += 1;
  }
  return count;
}

async function readSizes(
  dataSource: Pick<Database, 'query'>,
  { where, parameters, key, direction }: LogSelection,
  limit: number,
): Promise<KeyedSize[]> {
  return dataSource.query<KeyedSize[]>(
    `SELECT ${key} AS key, pg_column_size(body) AS bytes, pg_column_compression(body) IS NOT NULL AS "isCompressed"
       FROM event WHERE ${where} ORDER BY ${key} ${direction} LIMIT $${parameters.length + 1}`,
    [...parameters, limit],
  );
}

function readBetween(
  dataSource: Pick<Database, 'query'>,
  { where, parameters, key, direction }: LogSelection,
  first: bigint,
  last: bigint,
): Promise<LogRow[]> {
  const [low, high] = direction === 'ASC' ? [first, last] : [last, first];
  const at = parameters.length;
  return dataSource.query<LogRow[]>(
    `${SELECT_EVENT} WHERE ${where} AND ${key} BETWEEN $${at + 1} AND $${at + 2} ORDER BY ${key} ${direction}`,
    [...parameters, low, high],
  );
}

/** Bytes below which a bound will do in place of the sum. */
const LITTLE = 65_536;

/** Bytes of texts by their stored sizes; undefined where those tell too little. */
function findBound(sizes: readonly StoredSize[]): number | undefined {
  const atMost = sizes.reduce((sum, size) => sum + mostBytes(size), 0);
  return atMost <= LITTLE || !sizes.some(({ isCompressed }) => isCompressed) ? atMost : undefined;
}

function mostBytes({ bytes, isCompressed }: StoredSize): number {
  return isCompressed ? Math.ceil(bytes / BEST_COMPRESSION) : bytes;
}

/** Bytes of the texts that {@link readBetween} brings. */
async function readBytes(
  dataSource: Pick<Database, 'query'>,
  { where, parameters, key }: LogSelection,
  first: bigint,
  last: bigint,
): Promise<number> {
  const at = parameters.length;
  const [sum] = await dataSource.query<{ bytes: bigint | null }[]>(
    `SELECT sum(${BODY_BYTES}) AS bytes FROM event
      WHERE ${where} AND ${key} BETWEEN least($${at + 1}::bigint, $${at + 2}) AND greatest($${at + 1}::bigint, $${at + 2})`,
    [...parameters, first, last],
  );
  return Number(sum?.bytes ?? 0);
}
