import { isVouchedFor, type AnswerForm } from '../domain/node-interface/answer-form.js';
import type { Millis } from '../domain/time.js';
import type { Clock } from '../platform/clock.js';

/** An address where nothing answered as a node is not asked for such an answer again for so long. */
const ASK_AGAIN_MS: Millis = 1_000;

/** Remembers when an address last said what only a node says, and asks for it where that is in doubt. */
export class NodeWitness {
  private ownAt: Millis | null = null;
  private deniedAt: Millis | null = null;

  /** @param ask asks for what only a node says; true where that came */
  constructor(
    private readonly clock: Clock,
    private readonly ask: (signal?: AbortSignal) => Promise<boolean>,
  ) {}

  get now(): Millis {
    return this.clock.monotonic();
  }

  /** The address has just said what only a node says. */
  note(): void {
    this.ownAt = this.now;
  }

  /** Whether an answer that anybody may give, and gives since then, is the node's. */
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

/** One question to a node, and since when its answers are such as anybody may give. */
export class Doubt {
  private openSince: Millis | null = null;

  constructor(private readonly witness: NodeWitness) {}

  /** Whether an answer of this form is the node's. */
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
