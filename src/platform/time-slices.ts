import { SystemClock } from './clock.js';

/** Rows that are built on access and not kept, because their sources are often far smaller. */
export class LazyRows<T> implements Iterable<T> {
  private constructor(
    readonly length: number,
    /** Builds the row at an index from 0 to `length` - 1, again at each call. */
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
 * Longest time slice of a query on the event loop, in milliseconds. Other work (polls of nodes, health checks, a signal) runs in
 * between.
 */
const TIME_SLICE_MS = 4;

/** Number of values that are read in about one millisecond, including building their rows. */
const VALUES_AT_ONCE = 3_000;

/** Number of rows built, mapped or promised between two checks of the time. */
const ROWS_PER_POLL = 10;

const clock = new SystemClock();
let began = 0;

/** Resolves after the other work that waits for the event loop has run. */
export function nextTimeSlice(): Promise<void> {
  return new Promise((resolve) =>
    setImmediate(() => {
      began = clock.monotonic();
      resolve();
    }),
  );
}

/**
 * Whether queries have used up their time slice. All of them share one slice, as one resumes while another waits. After an idle
 * time it returns true too early, which costs one extra slice.
 */
export function isTimeSliceOver(): boolean {
  return clock.monotonic() - began > TIME_SLICE_MS;
}

/** Like `items.map(map)`, in time slices. */
export async function mapInTimeSlices<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index % ROWS_PER_POLL === 0 && isTimeSliceOver()) await nextTimeSlice();
    results.push(map(item, index));
  }
  return results;
}

/**
 * Rows for a reader that accepts promises. A few rows come as they are; many come as promises, which are fulfilled in time
 * slices. So neither the rows nor their results have to exist all at once.
 *
 * @param values number of values read from each row
 */
export function inTimeSlices<T>(rows: LazyRows<T>, values: number): Iterable<T | Promise<T>> {
  return rows.length * values <= VALUES_AT_ONCE ? rows : promises(rows);
}

function* promises<T>(rows: LazyRows<T>): Generator<Promise<T>> {
  let turn = Promise.resolve();
  for (let index = 0; index < rows.length; index += 1) {
    if (index > 0 && index % ROWS_PER_POLL === 0) {
      turn = turn.then(() => (isTimeSliceOver() ? nextTimeSlice() : undefined));
    }
    yield turn.then(() => rows.at(index));
  }
}
