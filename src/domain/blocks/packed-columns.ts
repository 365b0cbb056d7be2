import { readInteger } from '../bounds.js';

/** One value per block, or a single value that holds for all of them. */
export type PackedColumn<T extends string | number | boolean | null> = T | readonly T[];

/**
 * 64-bit integers, one per block. A number is the difference to the last known integer. A decimal string is the integer
 * itself (the first one, and steps beyond 2^53). Null is an unknown integer.
 */
export type IntegerColumn = readonly (string | number | null)[];

/** Packs values as a column; one that repeats throughout becomes a single value. */
export function packColumn<T extends string | number | boolean | null>(
  values: readonly T[],
): PackedColumn<T> {
  const first = values[0] as T;
  return values.every((value) => value === first) ? first : values;
}

/** Like {@link packColumn}, but undefined (so that JSON omits it) if each value is the expected one. */
export function packUnexpected<T extends string | number | boolean | null>(
  values: readonly T[],
  expected: (index: number) => T,
): PackedColumn<T> | undefined {
  return values.every((value, index) => value === expected(index)) ? undefined : packColumn(values);
}

/** Value of a block; `expected` if the column was omitted. */
export function valueAt<T extends string | number | boolean | null>(
  column: PackedColumn<T> | undefined,
  index: number,
  expected: T,
): T {
  if (column === undefined) return expected;
  return isList(column) ? (column[index] as T) : column;
}

export function packIntegers(values: readonly (bigint | null)[]): IntegerColumn {
  let last: bigint | null = null;
  return values.map((value) => {
    if (value === null) return null;
    const step = last === null ? null : value - last;
    last = value;
    return step === null || !isSafe(step) ? String(value) : Number(step);
  });
}

/** Reverses {@link packIntegers}. Invalid items become null. */
export function unpackIntegers(column: IntegerColumn): (bigint | null)[] {
  let last = 0n;
  return column.map((item) => {
    const integer = item === null ? null : readInteger(item);
    if (integer === null) return null;
    last = typeof item === 'string' ? integer : last + integer;
    return last;
  });
}

/** Values that only some blocks have, by index; undefined when no block has one. */
export function packSparse<T>(values: readonly (T | undefined)[]): Readonly<Record<string, T>> | undefined {
  const sparse: Record<string, T> = {};
  for (const [index, value] of values.entries()) if (value !== undefined) sparse[index] = value;
  return Object.keys(sparse).length > 0 ? sparse : undefined;
}

/** Base64 without padding: a third shorter than the hex that the domain works with. */
export function hexToBase64(hex: string): string {
  const text = Buffer.from(hex, 'hex').toString('base64');
  const padding = (3 - ((hex.length / 2) % 3)) % 3;
  return padding === 0 ? text : text.slice(0, -padding);
}

export function base64ToHex(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}

/** Remembers the last result, since neighbouring blocks mostly share it. */
export function remembered(compute: (input: string) => string): (input: string) => string {
  let last: { input: string; output: string } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: compute(input) };
    return last.output;
  };
}

function isList<T>(column: T | readonly T[]): column is readonly T[] {
  return Array.isArray(column);
}

function isSafe(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
}
