import type { Looks, RecordedEvent } from '../domain/events.js';
import { findShownWindow, reachesBack, type ShownWindow } from '../domain/submissions/shown-window.js';
import { FARTHEST_TIME_US, type Micros } from '../domain/time.js';
import type { StatementSource } from '../platform/sql.js';
import { decodeBody } from './event-codec.js';
import { type LogSelection, readPage } from './log-pages.js';
import { type LogRow, SELECT_EVENT, toRecordedEvent } from './log-row.js';
import { findVersionsAt } from './stream-versions.js';

/** Events read at a time on the way back, and at most: a list is made of few, unless another one answers in between. */
const PAGE = 50;
const MOST_EVENTS = 5_000;
/** Events of the node in which looks without news are looked for: one a minute tells of them. */
const MOST_NODE_EVENTS = 20;

type Source = Pick<StatementSource, 'query'>;

/**
 * Reads from the log the list of submissions as a node was showing it at a moment. It is found by the indexes of the streams: a
 * moment a year back is read as fast as one a minute back.
 *
 * @param at on the observer's clock
 */
export async function readShownWindow(source: Source, node: string, at: Micros): Promise<ShownWindow> {
  const [list, own] = [listStream(node), `${node}/node`];
  const ends = await findVersionsAt(source, [list, own], at);
  const [end, ownEnd] = [ends.get(list) ?? 0n, ends.get(own) ?? 0n];
  const [events, [next], behind] = await Promise.all([
    readBack(source, list, end),
    readForward(source, list, end, 1),
    readForward(source, own, ownEnd, MOST_NODE_EVENTS),
  ]);
  return findShownWindow(at, { events, next, quiet: behind.flatMap(quietLooksOf) });
}

/** The list as it was shown last. @param version of the last event of {@link listStream} */
export async function readLastWindow(source: Source, node: string, version: bigint): Promise<ShownWindow> {
  const events = await readBack(source, listStream(node), version);
  return findShownWindow(FARTHEST_TIME_US, { events, next: undefined, quiet: [] });
}

/** The stream of a node's list. */
export function listStream(node: string): string {
  return `${node}/submissions`;
}

function quietLooksOf(event: RecordedEvent): Looks[] {
  return event.type === 'NodeWatched' && event.body.looks.submissions ? [event.body.looks.submissions] : [];
}

/** As many of the last events up to a version as tell what the list was, oldest first. */
async function readBack(source: Source, stream: string, upTo: bigint): Promise<RecordedEvent[]> {
  const newestFirst: RecordedEvent[] = [];
  let left = upTo;
  while (left > 0n && newestFirst.length < MOST_EVENTS && !reachesBack(newestFirst)) {
    const selection: LogSelection = {
      where: 'stream = $1 AND version <= $2',
      parameters: [stream, left],
      key: 'version',
      direction: 'DESC',
    };
    const { rows } = await readPage(source, selection, PAGE);
    for (const event of rows.map(decode)) newestFirst.push(event);
    left = (newestFirst.at(-1)?.version ?? 1n) - 1n;
  }
  return newestFirst.reverse();
}

async function readForward(
  source: Source,
  stream: string,
  after: bigint,
  limit: number,
): Promise<RecordedEvent[]> {
  const rows = await source.query<LogRow[]>(
    `${SELECT_EVENT} WHERE e.stream = $1 AND e.version > $2 ORDER BY e.version LIMIT $3`,
    [stream, after, limit],
  );
  return rows.map(decode);
}

function decode(row: LogRow): RecordedEvent {
  return toRecordedEvent(row, decodeBody);
}
