import type { Database } from '../platform/sql.js';
import { FIRST_HASH, hashEvent, hashLog } from '../domain/hash-chain.js';
import type { Micros } from '../domain/time.js';
import type { Head } from './commit-plan.js';
import { selectList } from '../platform/rows/row-columns.js';
import { StreamHeadEntity } from '../tables/log.entities.js';
import { readPage } from './log-pages.js';
import type { LogRow } from './logged-event.js';

export interface Verification {
  readonly events: number;
  readonly streams: number;
  /** See `hashLog`. */
  readonly hash: string;
  /** The first event that differs from what was recorded; undefined if all match. */
  readonly fault?: LogFault;
}

/** The first place where the log contradicts itself. */
export interface LogFault {
  readonly position: bigint;
  readonly stream: string;
  readonly version: bigint;
  readonly what: string;
}

/** The last event of each stream. */
export type Heads = ReadonlyMap<string, Head>;

/** The end of a log. */
export interface LogEnd {
  readonly position: bigint;
  /** See `hashLog`. */
  readonly hash: string;
  readonly recordedAt: Micros;
}

const EMPTY: LogEnd = { position: 0n, hash: FIRST_HASH, recordedAt: 0n };

const PAGE_EVENTS = 1_000;

const PAGE_HEADS = 10_000;

const HEADS = `SELECT ${selectList(StreamHeadEntity, 'h', ['stream', 'version', 'hash'])} FROM stream_head h
  WHERE $1::text IS NULL OR stream > $1 ORDER BY stream LIMIT $2`;

/**
 * Walks the hash chains of all streams, in the order of positions, up to the end that the log has at the start.
 *
 * It reads in pages, each in its own statement. Events recorded meanwhile are neither blocked nor checked, and earlier events
 * never change. It finds changed, removed and inserted events, also at the end of a stream, because a head records where its
 * stream ended.
 *
 * @param onProgress called after each page with the number of events checked, and of all events
 */
export async function verifyLog(
  dataSource: Database,
  onProgress: (events: number, total: bigint) => void,
): Promise<Verification> {
  // Heads are read first, then the end: every event that a head refers to is before the end.
  const heads = await readHeads(dataSource);
  const end = await readEnd(dataSource);
  const walk = new LogWalk(heads);
  const fault = (await walkTo(dataSource, walk, end, onProgress)) ?? (await checkEnds(dataSource, walk));
  return {
    events: walk.events,
    streams: walk.tails.size,
    hash: walk.end.hash,
    ...(fault ? { fault } : {}),
  };
}

async function walkTo(
  dataSource: Database,
  walk: LogWalk,
  end: bigint,
  onProgress: (events: number, total: bigint) => void,
): Promise<LogFault | undefined> {
  while (walk.position < end) {
    const selection = {
      where: 'position > $1 AND position <= $2',
      parameters: [walk.position, end],
      key: 'position',
      direction: 'ASC',
    } as const;
    const { rows } = await readPage(dataSource, selection, PAGE_EVENTS);
    for (const row of rows) {
      const fault = walk.check(row);
      if (fault) return fault;
    }
    onProgress(walk.events, end);
    if (rows.length === 0) {
      const what = `the log ended at position ${end}; the events after it are gone`;
      return { position: walk.position + 1n, stream: '', version: 0n, what };
    }
  }
  return undefined;
}

/** Walks over events in the order of positions, and finds the first that does not fit those before it. */
export class LogWalk {
  events = 0;
  readonly tails: Map<string, Head>;

  /**
   * @param heads the ends of the streams before the walk began
   * @param end the end of the log that the walk continues
   * @param tails the ends of the streams there
   */
  constructor(
    private readonly heads: Heads,
    public end: LogEnd = EMPTY,
    tails: Heads = new Map(),
  ) {
    this.tails = new Map(tails);
  }

  get position(): bigint {
    return this.end.position;
  }

  check(row: LogRow): LogFault | undefined {
    const { stream, position, version, recordedAt } = row;
    const tail = this.tails.get(stream) ?? { version: 0n, hash: FIRST_HASH };
    const fault = (what: string): LogFault => ({ position, stream, version, what });
    if (position !== this.position + 1n) return fault(`position ${this.position + 1n} is missing before it`);
    if (version !== tail.version + 1n)
      return fault(`version ${tail.version + 1n} of its stream is missing before it`);
    if (recordedAt < this.end.recordedAt)
      return fault('its recording time is before that of the previous event');
    const hash = hashEvent(tail.hash, { ...row, bodyText: row.body });
    if (row.hash !== hash)
      return fault('its hash does not match its content and the event before it in its stream');
    const head = this.heads.get(stream);
    if (head?.version === version && row.hash !== head.hash)
      return fault('its hash is not the last hash of its stream');
    this.tails.set(stream, { version, hash });
    this.end = { position, hash: hashLog(this.end.hash, hash), recordedAt };
    this.events += 1;
    return undefined;
  }

  /** Finds a stream that had more events before the walk began than the walk found. */
  findCut(): LogFault | undefined {
    for (const [stream, { version }] of this.heads) {
      const found = this.tails.get(stream)?.version ?? 0n;
      if (found >= version) continue;
      const what = `the stream ended at version ${version}; the events after it are gone`;
      return { position: this.position, stream, version: found + 1n, what };
    }
    return undefined;
  }
}

/** Streams may have grown since, but no stream may end before the last event that the walk found in it. */
async function checkEnds(dataSource: Database, walk: LogWalk): Promise<LogFault | undefined> {
  const cut = walk.findCut();
  if (cut) return cut;
  const { position } = walk;
  const heads = await readHeads(dataSource);
  for (const [stream, { version, hash }] of walk.tails) {
    const head = heads.get(stream);
    const isBefore = !head || head.version < version;
    if (!isBefore && (head.version > version || head.hash === hash)) continue;
    return { position, stream, version, what: 'it is missing from the head of its stream' };
  }
  // The order matters: the end is read last, so it is at or after every event stored before.
  const [last] = await dataSource.query<{ position: bigint }[]>(
    'SELECT coalesce(max(position), 0) AS position FROM event',
  );
  const end = await readEnd(dataSource);
  if ((last?.position ?? 0n) <= end) return undefined;
  const what = `the log claims to end at position ${end}, before this event`;
  return { position: end + 1n, stream: '', version: 0n, what };
}

async function readEnd(dataSource: Database): Promise<bigint> {
  const [end] = await dataSource.query<{ position: bigint }[]>('SELECT position FROM log_head');
  return end?.position ?? 0n;
}

async function readHeads(dataSource: Database): Promise<Heads> {
  const heads = new Map<string, Head>();
  for (let after: string | null = null; ;) {
    const rows: (Head & { readonly stream: string })[] = await dataSource.query(HEADS, [after, PAGE_HEADS]);
    for (const row of rows) heads.set(row.stream, row);
    if (rows.length < PAGE_HEADS) return heads;
    after = rows.at(-1)?.stream ?? null;
  }
}
