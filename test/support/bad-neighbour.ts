import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { encodeBody } from '../../src/event-log/logged-event.js';
import { randomLog, randomStory, type TruePost } from './random-log.js';

/** An event as a row of the log, at a place between two others. */
export interface LoggedRow {
  /** Position, relative to the position before the first event. */
  readonly place: number;
  readonly stream: string;
  readonly type: string;
  /** Unix microseconds. */
  readonly observedAt: bigint;
  readonly body: string;
}

/** Places between two events of the good nodes, which events of other nodes can take. */
const ROOM = 100;

/** Numbers that no node should send. */
const WILD = [
  '0',
  '-1',
  '1',
  '7',
  '1002',
  '2147483648',
  '4294967296',
  '253402300800000',
  '9007199254740991',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551615',
  '0.5',
  '1e300',
  'null',
];

/** The log of a synthetic chain and its two good nodes, with room between the events. */
export function goodRows(random: () => number, steps: number): LoggedRow[] {
  return goodStory(random, steps).rows;
}

/** The same log with its truth. */
export function goodStory(
  random: () => number,
  steps: number,
): { readonly rows: LoggedRow[]; readonly posts: readonly TruePost[] } {
  const { events, posts } = randomStory(random, steps, { pace: 30 });
  return { rows: events.map((event, index) => toRow(event, (index + 1) * ROOM)), posts };
}

/**
 * A bad node's events, at places between those of the good nodes. They are generated like those of a good chain, then damaged at
 * random.
 *
 * @param chains the chain names that the node reports
 */
export function badRows(
  random: () => number,
  steps: number,
  { good, chains }: { readonly good: number; readonly chains: readonly string[] },
): LoggedRow[] {
  const log = randomLog(random, steps, { pace: 30 });
  const places = new Set<number>();
  while (places.size < log.length) {
    const between = Math.floor(random() * good);
    places.add((between + 1) * ROOM + 1 + Math.floor(random() * (ROOM - 1)));
  }
  const ordered = [...places].sort((a, b) => a - b);
  return log.map((event, index) => {
    const row = toRow(event, ordered[index] ?? 0);
    const chain = chains[Math.floor(random() * chains.length)] ?? '';
    const stream = row.stream
      .replace(/^aggregator/, 'bad-aggregator')
      .replace(/^follower/, 'bad-follower')
      .replace(/^made-up/, chain);
    const renamed = row.body.replaceAll('"made-up"', JSON.stringify(chain));
    return { ...row, stream, body: random() < 0.3 ? damage(renamed, random) : renamed };
  });
}

function toRow({ type, stream, observedAt, body }: RecordedEvent, place: number): LoggedRow {
  const event = { type, body, observedAt: Number(observedAt / 1000n) } as NewEvent;
  return { place, stream, type, observedAt, body: encodeBody(event) };
}

/** Replaces some numbers by implausible ones, within quotes and without. */
function damage(body: string, random: () => number): string {
  const share = random() < 0.5 ? 0.05 : 0.4;
  const damaged = body.replace(/(?<=[[:,"])-?\d+(?=[\],}"])/g, (number) =>
    random() < share ? (WILD[Math.floor(random() * WILD.length)] ?? number) : number,
  );
  return isJson(damaged) ? damaged : body;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
