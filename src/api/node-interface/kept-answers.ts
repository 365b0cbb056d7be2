import type { DecodedBlock } from '../../domain/blocks/block.js';
import type { Millis } from '../../domain/time.js';
import type { NodeAnswer } from '../../node-api/answer.js';
import type { DaBlob } from '../../node-api/da-documents.client.js';

/** What readers ask nodes for. */
export type LiveAnswer = NodeAnswer<DecodedBlock | DaBlob>;

/** How long what a node answered is told again. */
const KEPT_MS: Millis = 30_000;
/** Answers that are kept, and their bytes. */
const MOST_KEPT = 2_000;
const MOST_BYTES = 8_000_000;
/** Of an answer beside its texts. */
const BYTES_OF_ANSWER = 1_000;

interface Kept {
  readonly answer: LiveAnswer;
  readonly bytes: number;
  readonly until: Millis;
}

/**
 * What nodes answered lately, that there is no such thing above all: so who asks for the same over and over asks us alone. Of a
 * node that did not answer nothing is kept.
 */
export class KeptAnswers {
  /** The oldest first. */
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  /** @param now of a clock that never goes back */
  find(name: string, now: Millis): LiveAnswer | undefined {
    const found = this.kept.get(name);
    return found && now < found.until ? found.answer : undefined;
  }

  keep(name: string, answer: LiveAnswer, now: Millis): void {
    if (!answer.ok && (answer.state === 'UNREACHABLE' || answer.state === 'ABORTED')) return;
    const bytes = BYTES_OF_ANSWER + sizeOf(answer);
    this.drop(name);
    this.kept.set(name, { answer, bytes, until: now + KEPT_MS });
    this.bytes += bytes;
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT && this.bytes <= MOST_BYTES) break;
      this.drop(oldest);
    }
  }

  private drop(name: string): void {
    this.bytes -= this.kept.get(name)?.bytes ?? 0;
    this.kept.delete(name);
  }
}

/** Bytes of all texts and byte strings in an answer, about. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + sizeOf(member), 0);
}
