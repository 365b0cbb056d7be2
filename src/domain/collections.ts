/** Returns the value of a key, after storing a new one if the key is missing. */
export function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** How many items come first for which `isEarly` holds; it holds for none after them. */
export function countWhile<T>(items: readonly T[], isEarly: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isEarly(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Comparator for ascending order. */
export function compareIntegers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function least(first: bigint, ...others: readonly (bigint | null | undefined)[]): bigint {
  return others.reduce((a: bigint, b) => (typeof b === 'bigint' && b < a ? b : a), first);
}

export function greatest(first: bigint, ...others: readonly (bigint | null | undefined)[]): bigint {
  return others.reduce((a: bigint, b) => (typeof b === 'bigint' && b > a ? b : a), first);
}

/** Groups by key. Keys and items keep their order. */
export function groupBy<T, Key>(items: Iterable<T>, nameOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) entryOf(groups, nameOf(item), () => []).push(item);
  return groups;
}
