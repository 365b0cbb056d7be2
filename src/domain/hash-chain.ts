import { createHash } from 'node:crypto';
import type { Micros } from './time.js';

/** The parts of an event that its hash covers. */
export interface HashedEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly version: bigint;
  readonly type: string;
  readonly schema: number;
  readonly observedAt: Micros;
  readonly recordedAt: Micros;
  /** The body's text, exactly as stored. */
  readonly bodyText: string;
}

/** Previous hash of the first event of a stream, and hash of an empty log. */
export const FIRST_HASH = '00'.repeat(32);

/**
 * The hash of an event: SHA-256 over the previous hash of its stream and each of its parts.
 * Every part is preceded by its length, so that no two events share one encoding.
 *
 * @param previous 32 bytes as hex digits, `FIRST_HASH` for a stream's first event
 * @returns 32 bytes as hex digits
 */
export function hashEvent(previous: string, event: HashedEvent): string {
  const hash = createHash('sha256').update(previous, 'hex');
  const parts = [
    event.position,
    event.stream,
    event.version,
    event.type,
    event.schema,
    event.observedAt,
    event.recordedAt,
    event.bodyText,
  ];
  for (const part of parts) {
    const text = String(part);
    hash.update(`${text.length}:`).update(text);
  }
  return hash.digest('hex');
}

/**
 * The hash of a whole log: SHA-256 over its hash before an event, and the hash of that event. Logs with the same hash have the same
 * events in the same order.
 *
 * @param previous 32 bytes as hex digits, `FIRST_HASH` for an empty log
 * @returns 32 bytes as hex digits
 */
export function hashLog(previous: string, event: string): string {
  return createHash('sha256').update(previous, 'hex').update(event, 'hex').digest('hex');
}
