import { formatTime, type Nanos, nanosToMillis } from '../time.js';

/** Cause of a gap; `BEFORE_START` is the time before the first poll. */
export type LossKind = 'OVERFLOW' | 'RESET' | 'AMBIGUOUS' | 'BEFORE_START';

/** Facts about a gap in the observed rows of a node's list. */
export interface LossFacts {
  readonly node: string;
  readonly kind: LossKind;
  /** The last recorded row before the gap; 0 for none. */
  readonly afterSequence: bigint;
  /** Proven bounds; a `maxLost` of null means that there is no proven upper bound. */
  readonly minLost: bigint;
  readonly maxLost: bigint | null;
  /** Estimated from the rate around the gap. */
  readonly likelyLost: bigint | null;
  /** The last poll before the gap (null for BEFORE_START) and the poll that found it. */
  readonly from: Nanos | null;
  readonly to: Nanos;
  /** The list is out of sight, and no event has stated the gap; absent: false. */
  readonly isOpen?: boolean;
}

/** Explains a gap to the person on call: what was seen, what is proven, and what is an estimate. */
export function explainLoss(facts: LossFacts): string {
  if (facts.isOpen) return explainOpen(facts);
  return [STORIES[facts.kind](facts), boundsText(facts), estimateText(facts)]
    .filter((part) => part !== '')
    .join(' ');
}

const STORIES: Readonly<Record<LossFacts['kind'], (facts: LossFacts) => string>> = {
  OVERFLOW: (facts) =>
    `${spanText(facts)} more submissions entered the list of ${facts.node} than it holds: some may be missing ${placeText(facts)}.`,
  RESET: (facts) =>
    `At ${timeText(facts.to)} the list of ${facts.node} was empty or had started over, as after a restart or a change of ` +
    `leader. Submissions that entered it after the previous poll${distanceText(facts)} may be missing ${placeText(facts)}.`,
  AMBIGUOUS: (facts) =>
    `${spanText(facts)} the list of ${facts.node} moved on, and no submission in both polls has a time of its own ` +
    `that proves how far: some may be missing ${placeText(facts)}.`,
  BEFORE_START: (facts) =>
    `The list of ${facts.node} was first polled at ${timeText(facts.to)}: submissions that had left it before are not on record.`,
};

function explainOpen({ node, from, to, afterSequence }: LossFacts): string {
  const since = from === null ? '' : ` since ${timeText(from)}`;
  const place = afterSequence === 0n ? '' : ` after row ${afterSequence}`;
  return (
    `The list of ${node} has been out of sight${since}; the latest poll was at ${timeText(to)}. Submissions may be missing${place}. ` +
    'If the list is seen again unchanged, none is missing and this entry disappears.'
  );
}

function spanText({ from, to }: LossFacts): string {
  return from === null
    ? `Before ${timeText(to)}`
    : `Between ${timeText(from)} and ${timeText(to)} (${lengthText(to - from)})`;
}

function distanceText({ from, to }: LossFacts): string {
  return from === null ? '' : ` at ${timeText(from)} (${lengthText(to - from)} earlier)`;
}

function placeText({ afterSequence }: LossFacts): string {
  return afterSequence === 0n ? 'before the first recorded row' : `after row ${afterSequence}`;
}

function boundsText({ minLost, maxLost }: LossFacts): string {
  if (maxLost !== null && minLost > maxLost)
    return `Contradiction: blocks prove that at least ${areMissing(minLost)}, but the list allows at most ${maxLost}.`;
  if (maxLost === 0n) return 'Proven: none is missing.';
  if (maxLost !== null && minLost === maxLost) return `Proven: ${areMissing(minLost)}.`;
  const least =
    minLost === 0n
      ? 'No missing submission is proven so far'
      : `Blocks prove that at least ${areMissing(minLost)}`;
  return `${least}, ${maxLost === null ? 'and there is no upper bound' : `at most ${maxLost}`}.`;
}

function estimateText({ likelyLost, minLost, maxLost }: LossFacts): string {
  if (likelyLost === null || minLost === maxLost) return '';
  return `Estimated from the rate around the gap: ${areMissing(likelyLost)}.`;
}

/** `1 submission is missing`. */
function areMissing(count: bigint): string {
  return count === 1n ? '1 submission is missing' : `${count} submissions are missing`;
}

/** `2026-11-21 03:12:04.120 UTC` */
function timeText(ns: Nanos): string {
  return formatTime(ns, 3).replace('T', ' ').replace('Z', ' UTC');
}

/** Two units at most: `2.4 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`. */
function lengthText(ns: Nanos): string {
  const milliseconds = nanosToMillis(ns);
  if (milliseconds < 60_000) return `${Math.round(milliseconds / 100) / 10} s`;
  const seconds = Math.round(milliseconds / 1000);
  const [days, hours, minutes] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60].map(
    Math.floor,
  );
  const parts = [`${days} d`, `${hours} h`, `${minutes} min`, `${seconds % 60} s`];
  const first = parts.findIndex((part) => !part.startsWith('0 '));
  return parts
    .slice(first, first + 2)
    .filter((part) => !part.startsWith('0 '))
    .join(' ');
}
