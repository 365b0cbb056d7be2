import { entryOf } from '../collections.js';
import { microsToMillis, type Micros, type Millis } from '../time.js';

export interface ClaimedInterval {
  readonly claim: string | null;
  readonly fromUs: Micros;
  /** Null if ongoing. */
  readonly toUs: Micros | null;
  /** How long in it the claim contradicted us. */
  readonly differedMs: Millis;
}

/** A claimed status, and for how long it was false. */
export interface Claimed {
  readonly claim: string;
  readonly nodes: readonly string[];
  readonly falseMinMs: Millis;
  readonly falseMaxMs: Millis;
}

interface ClaimPeriod {
  readonly fromUs: Micros;
  readonly toUs: Micros;
}

/**
 * Adds up the claims of nodes in a period, from their intervals in any order. If the period cuts an interval, it is unknown in
 * which part the claim was false, so there are two bounds. For one node they are equal if no interval is cut.
 */
export class ClaimedTime {
  private readonly ofNodes = new Map<string, Map<string, Pick<Claimed, 'falseMinMs' | 'falseMaxMs'>>>();

  constructor(private readonly stretch: ClaimPeriod) {}

  /** Takes an interval of a node; an interval without a claim, or outside the period, is ignored. */
  add(node: string, { claim, differedMs, ...interval }: ClaimedInterval): void {
    const { fromUs, toUs } = this.stretch;
    const endUs = interval.toUs ?? toUs;
    const start = interval.fromUs > fromUs ? interval.fromUs : fromUs;
    const end = endUs < toUs ? endUs : toUs;
    if (claim === null || start >= end) return;
    const insideMs = microsToMillis(end - start);
    const outsideMs = microsToMillis(endUs - interval.fromUs) - insideMs;
    const ofNode = entryOf(this.ofNodes, node, () => new Map());
    const known = ofNode.get(claim);
    ofNode.set(claim, {
      falseMinMs: (known?.falseMinMs ?? 0) + Math.max(differedMs - outsideMs, 0),
      falseMaxMs: (known?.falseMaxMs ?? 0) + Math.min(differedMs, insideMs),
    });
  }

  /**
   * Each claim once, sorted by name, with how long any node made it falsely. The lower bound is the longest time of a single
   * node; the upper bound is the sum of all nodes, as if no two had made it at once.
   */
  finish(): Claimed[] {
    const lengthMs = microsToMillis(this.stretch.toUs - this.stretch.fromUs);
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
