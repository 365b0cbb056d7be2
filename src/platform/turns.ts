import { SystemClock } from './clock.js';

/** Rows that are made when somebody takes them, and kept nowhere: what they are made from is often far smaller. */
export class LazyRows<T> implements Iterable<T> {
  private constructor(
    readonly length: number,
    /** The row at a place from 0 to `length` - 1, made anew each time. */
    readonly at: (index: number) => T,
  ) {}

  static none<T>(): LazyRows<T> {
    return new LazyRows<T>(0, (index) => {
      throw new RangeError(`there is no row ${index}`);
    });
  }

  static from<S, T>(sources: readonly S[], make: (source: S) => T): LazyRows<T> {
    return new LazyRows(sources.length, (index) => {
      const source = sources[index];
      if (source === undefined) throw new RangeError(`there is no row ${index}`);
      return make(source);
    });
  }

  map<R>(convert: (row: T) => R): LazyRows<R> {
    return new LazyRows(this.length, (index) => convert(this.at(index)));
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index);
  }
}

/**
 * How long one question may hold the event loop at a time. Whoever else waits for the loop (looks at nodes, health checks, a
 * signal) has its turn in between.
 */
const TURN_MS = 4;

/** Values that are read in about one millisecond, rows made and all. */
const VALUES_AT_ONCE = 3_000;

/** Rows that are made, or promised to be made, before the time is looked at. */
const ROWS_PER_LOOK = 10;

const clock = new SystemClock();
let began = 0;

/** Resolves when whatever waits for the event loop has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) =>
    setImmediate(() => {
      began = clock.monotonic();
      resolve();
    }),
  );
}

/**
 * Whether questions have held the event loop for long enough: of all of them together, as one resumes where another
 * waits. After a rest it says so too soon, which costs a turn.
 */
export function isTurnOver(): boolean {
  return clock.monotonic() - began > TURN_MS;
}

/** As `items.map(map)`, in turns. */
export async function mapInTurns<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (isTurnOver()) await nextTurn();
    results.push(map(item, index));
  }
  return results;
}

/**
 * Rows for a reader that takes promises, one by one. Few come as they are. Many come as promises, which are made in
 * turns. So neither the rows nor what is made of them have to be there all at once.
 *
 * @param values that are read of each row
 */
export function inTurns<T>(rows: LazyRows<T>, values: number): Iterable<T | Promise<T>> {
  return rows.length * values <= VALUES_AT_ONCE ? rows : promises(rows);
}

function* promises<T>(rows: LazyRows<T>): Generator<Promise<T>> {
  let turn = Promise.resolve();
  for (let index = 0; index < rows.length; index += 1) {
    if (index > 0 && index % ROWS_PER_LOOK === 0) {
      turn = turn.then(() => (isTurnOver() ? nextTurn() : undefined));
    }
    yield turn.then(() => rows.at(index));
  }
}
