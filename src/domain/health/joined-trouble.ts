import type { FailureCode } from '../submissions/failure-cause.js';
import type { Millis } from '../time.js';
import type { HealthInterval, IntervalEdit } from './health-intervals.js';
import { isBlind, isTroubled, QUIET_MS, RETIRED_RULE } from './trouble.js';

/** A second node's trouble is joined to an incident that began at most so long before or after it. What lasts for days takes in nothing. */
export const JOINED_WITHIN_MS: Millis = 3_600_000;

/** Troubles of two nodes are at once, although it was calm for so long in between. */
const AT_ONCE_MS: Millis = 30_000;

/** The first sign of a node's trouble. No two of a component begin so. */
export interface FirstSign {
  readonly node: string;
  readonly from: Millis;
}

/** The last trouble of a component of a node, its flapping joined; as JSON. */
export interface LastTrouble extends FirstSign {
  /** That its node was of when it began; null while unknown. */
  readonly chain: string | null;
  /** Null: nobody can say that another one has the same. */
  readonly cause: string | null;
  /** The first sign of the incident that it belongs to: its own, unless it was joined. */
  readonly root: FirstSign;
  /** The latest interval of the line. */
  readonly line: TroubleLine;
  /** It has ended in calm that was long enough. */
  readonly isOver: boolean;
}

interface TroubleLine {
  readonly from: Millis;
  readonly is: 'TROUBLE' | 'CALM' | 'BLIND' | 'RETIRED';
  /** For how long it was calm before that, since the last trouble; what nobody could see is left out. */
  readonly calmMs: Millis;
}

/** A trouble after an edit of its line. */
export interface TroubleStep {
  readonly trouble: LastTrouble | undefined;
  /** The first sign of one that began with the edit. */
  readonly begun?: FirstSign;
  /** The first sign of one that has never been. */
  readonly gone?: FirstSign;
}

/** What is known when trouble of a node begins. */
interface Beginning {
  /** The last troubles of the same component of other nodes of the chain that are watched. */
  readonly others: readonly LastTrouble[];
  readonly cause: string | null;
  readonly chain: string | null;
}

/**
 * Moves the last trouble of a component of a node on by one edit of its line, in the order of the log. When trouble begins while
 * another node of the chain has the same, it is joined to that one's incident, and stays there. What the DA layer refuses for one
 * reason is one incident also in the calm before that ends.
 */
export function foldTrouble(
  known: LastTrouble | undefined,
  node: string,
  edit: IntervalEdit,
  { others, cause, chain }: Beginning,
): TroubleStep {
  if (edit.kind === 'drop')
    return known?.from === edit.from ? { trouble: undefined, gone: known } : { trouble: known };
  const { from, to } = edit.interval;
  // An interval that ends is followed by the next one, which says so.
  if (to !== null) return { trouble: known };
  const line = lineAfter(known?.line, edit.interval);
  const isReplaced = known?.line.from === from;
  if (isReplaced && known.line.is === line.is) return { trouble: known };
  if (isReplaced && known.from === from && line.is !== 'TROUBLE') return { trouble: undefined, gone: known };
  const isOver = known !== undefined && (known.isOver || (!isReplaced && isCalmAt(known, from)));
  if (known !== undefined && !(isOver && line.is === 'TROUBLE'))
    return { trouble: { ...known, line, isOver } };
  if (line.is !== 'TROUBLE') return { trouble: known };
  const root = findRoot(others, cause, from) ?? { node, from };
  const trouble = { node, from, chain, cause, root, line, isOver: false };
  return { trouble, begun: { node, from } };
}

/**
 * The cause of a trouble by the rule that showed it first. Troubles of two nodes of a chain with the same cause are one
 * incident. Null where nobody can say that another trouble has the same cause.
 *
 * @param failure why the latest attempt failed
 */
export function causeOf(rule: string, failure: FailureCode | null): string | null {
  const cause = CAUSES[rule] ?? null;
  if (cause !== 'refused') return cause;
  return failure === null || VAGUE.has(failure) ? null : `${REFUSED}${failure}`;
}

/** Begins a cause that is known, not concluded from how a node fares. */
const REFUSED = 'refused: ';

/** Rules that grow out of one another are one cause. Holes in two lists have none in common. */
const CAUSES: Readonly<Record<string, string>> = {
  failures: 'refused',
  failing: 'refused',
  slow: 'waiting',
  silent: 'waiting',
  'inclusion-late': 'finality',
  frozen: 'finality',
  'look-failed': 'unreachable',
  unreachable: 'unreachable',
  'head-late': 'head',
  'head-still': 'head',
  'not-live': 'not-live',
  'not-ready': 'not-ready',
  'catching-up': 'catching-up',
  'histories-differ': 'history',
  'history-replaced': 'history',
  unwatched: 'unwatched',
};

/** Failures that say nothing of why. */
const VAGUE: ReadonlySet<FailureCode> = new Set(['UNKNOWN', 'DA_ERROR', 'CANCELED', 'NODE_PANIC']);

/** Of several open incidents it is the one that began first. */
function findRoot(others: readonly LastTrouble[], cause: string | null, at: Millis): FirstSign | undefined {
  if (cause === null) return undefined;
  const isNear = ({ root }: LastTrouble): boolean => Math.abs(at - root.from) <= JOINED_WITHIN_MS;
  const isLasting = (other: LastTrouble): boolean =>
    cause.startsWith(REFUSED) ? !isCalmAt(other, at) : isAtOnce(other, at);
  return others
    .filter((other) => other.cause === cause && !other.isOver && isLasting(other) && isNear(other))
    .map(({ root }) => root)
    .toSorted((a, b) => a.from - b.from || (a.node < b.node ? -1 : 1))[0];
}

function isCalmAt({ line }: Pick<LastTrouble, 'line'>, at: Millis): boolean {
  return line.is === 'RETIRED' || calmTo(line, at) >= QUIET_MS;
}

function isAtOnce({ line }: LastTrouble, at: Millis): boolean {
  return line.is !== 'RETIRED' && calmTo(line, at) < AT_ONCE_MS;
}

/** For how long it has been calm at a moment, since the last trouble. */
function calmTo({ from, is, calmMs }: TroubleLine, at: Millis): Millis {
  return is === 'TROUBLE' ? 0 : calmMs + (is === 'CALM' ? at - from : 0);
}

/** The line with an interval that is open now. It may take the place of the latest one, or be the one before that, opened again. */
function lineAfter(before: TroubleLine | undefined, interval: HealthInterval): TroubleLine {
  const { from } = interval;
  const is = kindOf(interval);
  if (before === undefined) return { from, is, calmMs: 0 };
  if (from > before.from) return { from, is, calmMs: calmTo(before, from) };
  const reopenedMs = is === 'CALM' ? before.from - from : 0;
  return { from, is, calmMs: Math.max(before.calmMs - reopenedMs, 0) };
}

function kindOf(interval: HealthInterval): TroubleLine['is'] {
  if (isTroubled(interval.state)) return 'TROUBLE';
  if (interval.rule === RETIRED_RULE) return 'RETIRED';
  return isBlind(interval) ? 'BLIND' : 'CALM';
}
