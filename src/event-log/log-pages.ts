import type { Database } from '../platform/sql.js';
import { type LogRow, SELECT_EVENT } from './logged-event.js';

/** Bytes of text at which a page is full. */
export const PAGE_BYTES = 4_000_000;

/** Bytes of text that one statement may return at most; a single larger event is the exception. */
const STATEMENT_BYTES = 16_000_000;

/** Neither of Postgres' compression methods shrinks a text below this share of its size. */
const BEST_COMPRESSION = 1 / 255;

/** SQL: bytes of an event's body as text. An uncompressed body need not be read for that. */
export const BODY_BYTES =
  'CASE WHEN pg_column_compression(body) IS NULL THEN pg_column_size(body) ELSE octet_length(body::text) END';

/** The size of an event's body, as far as it is known without reading the body. */
export interface StoredSize {
  /** Size as stored, possibly compressed. */
  readonly bytes: number;
  readonly isCompressed: boolean;
}

export interface LogSelection {
  /** SQL, with its parameters from $1 on. */
  readonly where: string;
  readonly parameters: readonly unknown[];
  /** The sort key; unique among the selected events. */
  readonly key: 'position' | 'version';
  readonly direction: 'ASC' | 'DESC';
}

/** The first events of a selection. */
export interface LogPage {
  readonly rows: readonly LogRow[];
  /** Bytes of the bodies as text. */
  readonly bytes: number;
  /** Whether the rows are all events of the selection. */
  readonly isAll: boolean;
}

interface KeyedSize extends StoredSize {
  readonly key: bigint;
}

/**
 * Reads the first events of a selection: at most `limit`, and no more than a page of bytes, but at least one event if there is
 * any. A body of one letter repeated a million times is stored in a few bytes, so the text that comes out is counted.
 * @param hold called with the number of bytes of text that come next, and awaited
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
 * How many events one statement may read; at least one. Their stored size fits into the rest of the page, and their text is
 * bounded however well it was compressed.
 *
 * @param from index of the first event
 * @param room bytes left in the page
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

/** Pages up to this size use an upper bound instead of the exact sum. In bytes. */
const LITTLE = 65_536;

/** Upper bound for the bytes of text, by the stored sizes; undefined if compression makes it too coarse. */
function findBound(sizes: readonly StoredSize[]): number | undefined {
  const atMost = sizes.reduce((sum, size) => sum + mostBytes(size), 0);
  return atMost <= LITTLE || !sizes.some(({ isCompressed }) => isCompressed) ? atMost : undefined;
}

function mostBytes({ bytes, isCompressed }: StoredSize): number {
  return isCompressed ? Math.ceil(bytes / BEST_COMPRESSION) : bytes;
}

/** Bytes of text that {@link readBetween} returns. */
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
