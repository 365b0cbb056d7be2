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

/** What a node claimed, and for how long that was false. */
export interface Claimed {
  readonly claim: string;
  readonly falseMinMs: Millis;
  readonly falseMaxMs: Millis;
}

/**
 * What a node claimed in a stretch of time, each claim once, by name. Of an interval that the stretch cuts
 * nobody knows in which part the claim was false. So there are two bounds, which are equal where none is cut.
 */
export function claimedIn(
  intervals: readonly ClaimedInterval[],
  { fromUs, toUs }: { readonly fromUs: Micros; readonly toUs: Micros },
): Claimed[] {
  const claims = new Map<string, Claimed>();
  for (const { claim, differedMs, ...interval } of intervals) {
    if (claim === null) continue;
    const endUs = interval.toUs ?? toUs;
    const start = interval.fromUs > fromUs ? interval.fromUs : fromUs;
    const end = endUs < toUs ? endUs : toUs;
    if (start >= end) continue;
    const insideMs = toMillis(end - start);
    const outsideMs = toMillis(endUs - interval.fromUs) - insideMs;
    const known = claims.get(claim);
    claims.set(claim, {
      claim,
      falseMinMs: (known?.falseMinMs ?? 0) + Math.max(differedMs - outsideMs, 0),
      falseMaxMs: (known?.falseMaxMs ?? 0) + Math.min(differedMs, insideMs),
    });
  }
  return [...claims.values()].sort((a, b) => (a.claim < b.claim ? -1 : 1));
}

/**
 * The same of several nodes together: for how long any of them made a false claim. For at least as long as the one that did so
 * longest, and at most as if no two had done so at once.
 */
export function claimedByAny(
  ofNodes: readonly (readonly Claimed[])[],
  { fromUs, toUs }: { readonly fromUs: Micros; readonly toUs: Micros },
): Claimed[] {
  const claims = new Map<string, Claimed>();
  for (const { claim, falseMinMs, falseMaxMs } of ofNodes.flat()) {
    const known = claims.get(claim);
    claims.set(claim, {
      claim,
      falseMinMs: Math.max(known?.falseMinMs ?? 0, falseMinMs),
      falseMaxMs: Math.min((known?.falseMaxMs ?? 0) + falseMaxMs, toMillis(toUs - fromUs)),
    });
  }
  return [...claims.values()].sort((a, b) => (a.claim < b.claim ? -1 : 1));
}

/** Down to whole milliseconds. */
function toMillis(us: Micros): Millis {
  return Number(us / 1_000n);
}
