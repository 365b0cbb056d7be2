import { createHash } from 'node:crypto';

/** Bytes that depend on the labels alone, so a devnode with the same seed makes the same chain. */
export function seededBytes(length: number, ...labels: (string | bigint | number)[]): Buffer {
  const chunks: Buffer[] = [];
  for (let counter = 0; counter * 32 < length; counter += 1) {
    chunks.push(
      createHash('sha256')
        .update([...labels, counter].join('\u0000'))
        .digest(),
    );
  }
  return Buffer.concat(chunks).subarray(0, length);
}

/** A whole number in `[0, below)` that depends on the labels alone. `below` is at most 2^32. */
export function seededInteger(below: number, ...labels: (string | bigint | number)[]): number {
  return seededBytes(4, ...labels).readUInt32BE() % below;
}
