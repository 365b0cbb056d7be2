import type { LazyRows } from './lazy-rows.js';

/**
 * Items that are worked on in one turn of the event loop: some milliseconds of work for rows of a report. Whoever else
 * waits for the loop (looks at nodes, health checks, a signal) has its turn in between.
 */
export const ITEMS_PER_TURN = 50;

/** Resolves when whatever waits for the event loop has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** As `items.map(map)`, in turns. */
export async function mapInTurns<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await nextTurn();
    results.push(map(item, index));
  }
  return results;
}

/**
 * Rows that are made in turns, as promises. For readers that take promises one by one: neither the rows nor what is made
 * of them have to be there all at once.
 */
export function* inTurns<T>(rows: LazyRows<T>): Generator<Promise<T>> {
  let turn = Promise.resolve();
  for (let index = 0; index < rows.length; index += 1) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) turn = turn.then(nextTurn);
    yield turn.then(() => rows.at(index));
  }
}
