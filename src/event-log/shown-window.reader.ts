import type { Looks, RecordedEvent } from '../domain/events.js';
import {
  findShownWindow,
  type ListHistory,
  reachesBack,
  type ShownWindow,
} from '../domain/submissions/shown-window.js';
import { FARTHEST_TIME_US, type Micros } from '../domain/time.js';
import { ReadTexts } from '../platform/reads/read-request.js';
import type { Database } from '../platform/sql.js';
import { decodeBody, toRecordedEvent } from './logged-event.js';
import { type LogSelection, PAGE_BYTES, readPage } from './log-pages.js';
import { ownText } from './own-text.js';
import { findVersionsAt } from './stream-versions.js';

/** Events read at a time on the way back, and at most: a list is made of few, unless another one answers in between. */
const PAGE = 50;
const MOST_EVENTS = 5_000;
/** Events of the node in which looks without news are looked for: one a minute tells of them. */
const MOST_NODE_EVENTS = 20;

type Source = Pick<Database, 'query'>;

/**
 * Reads from the log the list of submissions as a node was showing it at a moment. It is found by the indexes of the streams: a
 * moment a year back is read as fast as one a minute back.
 *
 * @param at on the observer's clock
 */
export async function readShownWindow(source: Source, node: string, at: Micros): Promise<ShownWindow> {
  const texts = new ReadTexts();
  return keepRows(findShownWindow(at, await readHistory(source, node, at, texts)), texts);
}

/** The same for whom the places of the rows are enough: it holds no texts, which are empty. @param at as there */
export async function readShownPlaces(source: Source, node: string, at: Micros): Promise<ShownWindow> {
  const texts = new ReadTexts();
  const { rows, ...window } = findShownWindow(at, await readHistory(source, node, at, texts));
  return keepRows({ ...window, rows: rows.map(({ sequence }) => ({ sequence, text: '' })) }, texts);
}

/** The list as it was shown last. @param version of the last event of {@link listStream} */
export async function readLastWindow(source: Source, node: string, version: bigint): Promise<ShownWindow> {
  const texts = new ReadTexts();
  const events = await readBack(source, listStream(node), version, texts);
  return keepRows(findShownWindow(FARTHEST_TIME_US, { events, next: undefined, quiet: [] }), texts);
}

/** The window with rows that keep no event alive. */
function keepRows(window: ShownWindow, texts: ReadTexts): ShownWindow {
  const rows = window.rows.map(({ sequence, text }) => ({ sequence, text: ownText(text) }));
  texts.keep(rows.reduce((sum, { text }) => sum + text.length, 0));
  return { ...window, rows };
}

async function readHistory(source: Source, node: string, at: Micros, texts: ReadTexts): Promise<ListHistory> {
  const [list, own] = [listStream(node), `${node}/node`];
  const ends = await findVersionsAt(source, [list, own], at);
  const [end, ownEnd] = [ends.get(list) ?? 0n, ends.get(own) ?? 0n];
  const [events, [next], behind] = await Promise.all([
    readBack(source, list, end, texts),
    readForward(source, list, end, 1, texts),
    readForward(source, own, ownEnd, MOST_NODE_EVENTS, texts),
  ]);
  return { events, next, quiet: behind.flatMap(quietLooksOf) };
}

/** The stream of a node's list. */
export function listStream(node: string): string {
  return `${node}/submissions`;
}

function quietLooksOf(event: RecordedEvent): Looks[] {
  return event.type === 'NodeWatched' && event.body.looks.submissions ? [event.body.looks.submissions] : [];
}

/** As many of the last events up to a version as tell what the list was, oldest first. */
async function readBack(
  source: Source,
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
  source: Source,
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
  source: Source,
  selection: LogSelection,
  limit: number,
  texts: ReadTexts,
): Promise<RecordedEvent[]> {
  const { rows } = await readPage(source, selection, limit, PAGE_BYTES, (bytes) => texts.hold(bytes));
  return rows.map((row) => toRecordedEvent(row, decodeBody));
}
