const LARGEST = 2n ** 63n - 1n;

/** The nearest integer that a signed 64-bit column can hold: nodes may send more. */
export function toInt64(value: bigint): bigint {
  return value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
}

/** A height that is one: positive and within 64 bits, else null. */
export function toHeight(value: bigint | null): bigint | null {
  return value !== null && value > 0n && value <= LARGEST ? value : null;
}
