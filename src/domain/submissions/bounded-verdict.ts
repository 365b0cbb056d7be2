import type { KnownRing } from './known-ring.js';
import type { Verdict } from './window-verdict.js';

/** What one answer may add to the log. */
export interface RowLimits {
  /** Rows that are always recorded: at least as many as a window keeps, so that the next answer finds its place. */
  readonly most: number;
  /** More are, if they all fit into this, though they be cut. */
  readonly characters: number;
}

/**
 * The verdict of an answer with more rows than are to be written down. The newest are recorded, the others are a loss
 * of known size, and the list begins anew behind it.
 */
export function boundVerdict(known: KnownRing, verdict: Verdict, { most, characters }: RowLimits): Verdict {
  if (!('fresh' in verdict) || verdict.fresh.length <= most) return verdict;
  if (verdict.fresh.reduce((sum, { length }) => sum + length, 0) <= characters) return verdict;
  const lost = verdict.fresh.length - most;
  const loss = verdict.loss
    ? { ...verdict.loss, minLost: verdict.loss.minLost + lost }
    : { kind: 'OVERFLOW' as const, after: known.sequence, minLost: lost, maxLost: lost };
  const reading = {
    ...verdict,
    fresh: verdict.fresh.slice(-most),
    overlap: 0,
    anchored: false,
    source: known.sources,
    altered: [],
    loss,
  };
  const isNew = verdict.kind === 'FIRST_CONTACT' || verdict.kind === 'RESET';
  return isNew ? reading : { ...reading, kind: 'LOST' };
}
