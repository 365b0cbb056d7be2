import { formatTime, type Nanos, nanosToMillis } from '../time.js';

/** What a hole came of; `BEFORE_START` is the time before the first look. */
export type LossKind = 'OVERFLOW' | 'RESET' | 'AMBIGUOUS' | 'BEFORE_START';

/** What is known of a hole in what was seen of a node's list. */
export interface LossFacts {
  /** The node's id. */
  readonly node: string;
  readonly kind: LossKind;
  /** The last recorded row before the hole; 0 for none. */
  readonly afterSequence: bigint;
  /** Proven bounds; a `maxLost` of null means that nothing proves one. */
  readonly minLost: bigint;
  readonly maxLost: bigint | null;
  /** From the rate around it. */
  readonly likelyLost: bigint | null;
  /** The look before the hole (null for BEFORE_START) and the look that found it. */
  readonly from: Nanos | null;
  readonly to: Nanos;
  /** The list is out of sight, and no event has stated the hole; left out: it is not. */
  readonly isOpen?: boolean;
}

/** What happened, for a person who was woken by it: what was seen, what is proven, and what is only a guess. */
export function explainLoss(facts: LossFacts): string {
  if (facts.isOpen) return tellOpen(facts);
  return [STORIES[facts.kind](facts), tellBounds(facts), tellEstimate(facts)]
    .filter((part) => part !== '')
    .join(' ');
}

const STORIES: Readonly<Record<LossFacts['kind'], (facts: LossFacts) => string>> = {
  OVERFLOW: (facts) =>
    `${tellSpan(facts)} more rows entered the list of ${facts.node} than it holds, so some may have left it ` +
    `unseen ${tellPlace(facts)}.`,
  RESET: (facts) =>
    `At ${tellTime(facts.to)} the list of ${facts.node} was empty or had begun anew, as after a restart or a change of ` +
    `leader. Rows that entered it after our look before${tellDistance(facts)} went with the old one, ${tellPlace(facts)}.`,
  AMBIGUOUS: (facts) =>
    `${tellSpan(facts)} the list of ${facts.node} moved on, and no row that both looks show has a time of its own ` +
    `to prove by how far: rows may be missing ${tellPlace(facts)}.`,
  BEFORE_START: (facts) =>
    `We first saw the list of ${facts.node} at ${tellTime(facts.to)}; rows that had left it by then were never seen.`,
};

function tellOpen({ node, from, to, afterSequence }: LossFacts): string {
  const since = from === null ? '' : ` since ${tellTime(from)}`;
  const row = afterSequence === 0n ? '' : ` after row ${afterSequence}`;
  return (
    `A list of ${node} has not been seen${since}; the last look was at ${tellTime(to)}. Rows may be missing${row}: if the list ` +
    'is seen again as it was, none is, and this entry goes.'
  );
}

function tellSpan({ from, to }: LossFacts): string {
  return from === null
    ? `Before ${tellTime(to)}`
    : `Between ${tellTime(from)} and ${tellTime(to)} (${tellDuration(to - from)})`;
}

function tellDistance({ from, to }: LossFacts): string {
  return from === null ? '' : ` at ${tellTime(from)} (${tellDuration(to - from)} earlier)`;
}

function tellPlace({ afterSequence }: LossFacts): string {
  return afterSequence === 0n ? 'before the first row that we recorded' : `after row ${afterSequence}`;
}

function tellBounds({ minLost, maxLost }: LossFacts): string {
  if (maxLost !== null && minLost > maxLost)
    return `Contradiction: blocks prove that at least ${countRows(minLost)} ${were(minLost)} lost, and the list that at most ${maxLost} can have been.`;
  if (maxLost === 0n) return 'It is proven that none was lost.';
  if (maxLost !== null && minLost === maxLost)
    return `It is proven that ${countRows(minLost)} ${were(minLost)} lost.`;
  const least =
    minLost === 0n
      ? 'No lost row is proven so far'
      : `Proven by blocks: at least ${countRows(minLost)} ${were(minLost)} lost`;
  return maxLost === null
    ? `${least}, and nothing proves an upper limit.`
    : `${least}, and more than ${maxLost} it cannot have been.`;
}

function tellEstimate({ likelyLost, minLost, maxLost }: LossFacts): string {
  if (likelyLost === null || minLost === maxLost) return '';
  return `From the rate around it, about ${countRows(likelyLost)} ${were(likelyLost)} lost: that is a guess.`;
}

function countRows(count: bigint): string {
  return count === 1n ? '1 row' : `${count} rows`;
}

function were(count: bigint): string {
  return count === 1n ? 'was' : 'were';
}

/** `2026-11-21 03:12:04.120 UTC` */
function tellTime(ns: Nanos): string {
  return formatTime(ns, 3).replace('T', ' ').replace('Z', ' UTC');
}

/** Two units at most: `2.4 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`. */
function tellDuration(ns: Nanos): string {
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
