import type { Polls, RecordedEvent } from '../domain/events.js';
import { findWindowAt, type ListHistory, reachesBack, type WindowAt } from '../domain/coverage/window-at.js';
import { FARTHEST_TIME_US, type Micros } from '../domain/time.js';
import { ReadTexts } from '../platform/reads/read-request.js';
import type { QuerySource } from '../platform/sql.js';
import { decodeBody, toRecordedEvent } from './logged-event.js';
import { type LogSelection, PAGE_BYTES, readPage } from './log-pages.js';
import { ownText } from './own-text.js';
import { findVersionsAt } from './stream-versions.js';

/** Events read per query on the way back, and in total: few events make up a list, unless another list answers in between. */
const PAGE = 50;
const MOST_EVENTS = 5_000;
/** Events of the node that are searched for polls without news; one event a minute reports them. */
const MOST_NODE_EVENTS = 20;

/**
 * Reads from the log the list of submissions as a node showed it at a moment. It uses the indexes of the streams, so a moment a
 * year ago is read as fast as one a minute ago.
 *
 * @param at by the observer's clock
 */
export async function readWindowAt(source: QuerySource, node: string, at: Micros): Promise<WindowAt> {
  const texts = new ReadTexts();
  return keepRows(findWindowAt(at, await readHistory(source, node, at, texts)), texts);
}

/**
 * Like {@link readWindowAt}, for callers that need only the sequences of the rows: all texts are empty.
 * @param at by the observer's clock
 */
export async function readPlacesAt(source: QuerySource, node: string, at: Micros): Promise<WindowAt> {
  const texts = new ReadTexts();
  const { rows, ...window } = findWindowAt(at, await readHistory(source, node, at, texts));
  return keepRows({ ...window, rows: rows.map(({ sequence }) => ({ sequence, text: '' })) }, texts);
}

/**
 * The list as it was last shown.
 * @param version of the last event of {@link listStream}
 */
export async function readLastWindow(source: QuerySource, node: string, version: bigint): Promise<WindowAt> {
  const texts = new ReadTexts();
  const events = await readBack(source, listStream(node), version, texts);
  return keepRows(findWindowAt(FARTHEST_TIME_US, { events, next: undefined, quiet: [] }), texts);
}

/** Copies the rows, so that they do not keep whole events in memory. */
function keepRows(window: WindowAt, texts: ReadTexts): WindowAt {
  const rows = window.rows.map(({ sequence, text }) => ({ sequence, text: ownText(text) }));
  texts.keep(rows.reduce((sum, { text }) => sum + text.length, 0));
  return { ...window, rows };
}

async function readHistory(
  source: QuerySource,
  node: string,
  at: Micros,
  texts: ReadTexts,
): Promise<ListHistory> {
  const [list, own] = [listStream(node), `${node}/node`];
  const ends = await findVersionsAt(source, [list, own], at);
  const [end, ownEnd] = [ends.get(list) ?? 0n, ends.get(own) ?? 0n];
  const [events, [next], behind] = await Promise.all([
    readBack(source, list, end, texts),
    readForward(source, list, end, 1, texts),
    readForward(source, own, ownEnd, MOST_NODE_EVENTS, texts),
  ]);
  return { events, next, quiet: behind.flatMap(quietPollsOf) };
}

export function listStream(node: string): string {
  return `${node}/submissions`;
}

function quietPollsOf(event: RecordedEvent): Polls[] {
  return event.type === 'NodeWatched' && event.body.looks.submissions ? [event.body.looks.submissions] : [];
}

/** The last events up to a version, as many as are needed to rebuild the list, oldest first. */
async function readBack(
  source: QuerySource,
  stream: string,
  upTo: bigint,
  texts: ReadTexts,
): Promise<RecordedEvent[]> {
  const newestFirst: RecordedEvent[] = [];
  let left = upTo;
  while (left > 0n && newestFirst.length < MOST_EVENTS && !reachesBack(newestFirst)) {
    const selection: LogSelection = {
      where: 'stream = $1 AND version <= $2',
      parameters: [stream, left],
      key: 'version',
      direction: 'DESC',
    };
    for (const event of await readHeld(source, selection, PAGE, texts)) newestFirst.push(event);
    left = (newestFirst.at(-1)?.version ?? 1n) - 1n;
  }
  return newestFirst.reverse();
}

function readForward(
  source: QuerySource,
  stream: string,
  after: bigint,
  limit: number,
  texts: ReadTexts,
): Promise<RecordedEvent[]> {
  const where = 'stream = $1 AND version > $2';
  const selection: LogSelection = { where, parameters: [stream, after], key: 'version', direction: 'ASC' };
  return readHeld(source, selection, limit, texts);
}

async function readHeld(
  source: QuerySource,
  selection: LogSelection,
  limit: number,
  texts: ReadTexts,
): Promise<RecordedEvent[]> {
  const { rows } = await readPage(source, selection, limit, PAGE_BYTES, (bytes) => texts.hold(bytes));
  return rows.map((row) => toRecordedEvent(row, decodeBody));
}
