import { isVouchedFor, type AnswerForm } from '../domain/node-interface/answer-form.js';
import type { Millis } from '../domain/time.js';
import type { Clock } from '../platform/clock.js';

/** Time before an address that did not answer as a node is asked again. */
const ASK_AGAIN_MS: Millis = 1_000;

/** Remembers when an address last gave an answer that only a node gives, and requests such an answer in case of doubt. */
export class NodeWitness {
  private ownAt: Millis | null = null;
  private deniedAt: Millis | null = null;

  /** @param ask requests an answer that only a node gives; true if it came */
  constructor(
    private readonly clock: Clock,
    private readonly ask: (signal?: AbortSignal) => Promise<boolean>,
  ) {}

  get now(): Millis {
    return this.clock.monotonic();
  }

  /** The address has just given an answer that only a node gives. */
  note(): void {
    this.ownAt = this.now;
  }

  /**
   * Whether an answer that any server may give comes from the node.
   * @param openSince since when the endpoint gives only such answers
   */
  async vouches(openSince: Millis, signal?: AbortSignal): Promise<boolean> {
    if (isVouchedFor(openSince, this.ownAt, this.now)) return true;
    if (this.deniedAt !== null && this.now - this.deniedAt < ASK_AGAIN_MS) return false;
    if (await this.ask(signal)) {
      this.note();
      return true;
    }
    this.deniedAt = this.now;
    return false;
  }
}

/** Tracks since when an endpoint of a node gives only answers that any server may give. */
export class AnswerVerifier {
  private openSince: Millis | null = null;

  constructor(private readonly witness: NodeWitness) {}

  /** Whether an answer of this form comes from the node. */
  async isNodes(form: AnswerForm, signal?: AbortSignal): Promise<boolean> {
    if (form === 'OPEN') {
      this.openSince ??= this.witness.now;
      return this.witness.vouches(this.openSince, signal);
    }
    this.openSince = null;
    if (form === 'OWN') this.witness.note();
    return form === 'OWN';
  }
}
