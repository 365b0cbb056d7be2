import { entryOf } from '../collections.js';
import type { Micros, Millis } from '../time.js';

/** An interval of health with what the node claimed in it. */
export interface ClaimedInterval {
  readonly claim: string | null;
  readonly fromUs: Micros;
  /** Null: it goes on. */
  readonly toUs: Micros | null;
  /** For how long in it the claim contradicted us. */
  readonly differedMs: Millis;
}

/** A status that was claimed, and for how long that was false. */
export interface Claimed {
  readonly claim: string;
  /** Which nodes claimed it. */
  readonly nodes: readonly string[];
  readonly falseMinMs: Millis;
  readonly falseMaxMs: Millis;
}

interface Stretch {
  readonly fromUs: Micros;
  readonly toUs: Micros;
}

/**
 * Adds up what nodes claimed in a stretch of time, from their intervals in any order. Where the stretch cuts an interval, nobody knows in
 * which part the claim was false. So there are two bounds; of one node they are equal where none is cut.
 */
export class ClaimedTime {
  private readonly ofNodes = new Map<string, Map<string, Pick<Claimed, 'falseMinMs' | 'falseMaxMs'>>>();

  constructor(private readonly stretch: Stretch) {}

  /** Takes an interval of a node; where nothing was claimed, or outside the stretch, it says nothing. */
  add(node: string, { claim, differedMs, ...interval }: ClaimedInterval): void {
    const { fromUs, toUs } = this.stretch;
    const endUs = interval.toUs ?? toUs;
    const start = interval.fromUs > fromUs ? interval.fromUs : fromUs;
    const end = endUs < toUs ? endUs : toUs;
    if (claim === null || start >= end) return;
    const insideMs = toMillis(end - start);
    const outsideMs = toMillis(endUs - interval.fromUs) - insideMs;
    const ofNode = entryOf(this.ofNodes, node, () => new Map());
    const known = ofNode.get(claim);
    ofNode.set(claim, {
      falseMinMs: (known?.falseMinMs ?? 0) + Math.max(differedMs - outsideMs, 0),
      falseMaxMs: (known?.falseMaxMs ?? 0) + Math.min(differedMs, insideMs),
    });
  }

  /**
   * Each claim once, by name: for how long any node made it falsely. For at least as long as the one that did so longest, and at most as
   * if no two had done so at once.
   */
  finish(): Claimed[] {
    const lengthMs = toMillis(this.stretch.toUs - this.stretch.fromUs);
    const claims = new Map<string, Claimed>();
    for (const [node, ofNode] of this.ofNodes)
      for (const [claim, { falseMinMs, falseMaxMs }] of ofNode) {
        const known = claims.get(claim);
        claims.set(claim, {
          claim,
          nodes: [...(known?.nodes ?? []), node].toSorted(),
          falseMinMs: Math.max(known?.falseMinMs ?? 0, falseMinMs),
          falseMaxMs: Math.min((known?.falseMaxMs ?? 0) + falseMaxMs, lengthMs),
        });
      }
    return [...claims.values()].sort((a, b) => (a.claim < b.claim ? -1 : 1));
  }
}

/** Down to whole milliseconds. */
function toMillis(us: Micros): Millis {
  return Number(us / 1_000n);
}
