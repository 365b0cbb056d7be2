import type { FailureCode } from '../submissions/failure-cause.js';
import type { Millis } from '../time.js';
import type { RuleInterval, IntervalEdit } from './health-intervals.js';
import { isBlind, isTroubled, QUIET_MS, RETIRED_RULE } from './trouble.js';

/**
 * A second node's trouble joins an incident that began at most this long before or after it. An incident that lasts for days
 * takes in no more.
 */
export const JOINED_WITHIN_MS: Millis = 3_600_000;

/** Troubles of two nodes count as simultaneous if the calm between them was shorter than this. */
const AT_ONCE_MS: Millis = 30_000;

/** The first sign of a node's trouble. It identifies a trouble of a component. */
export interface FirstSign {
  readonly node: string;
  readonly from: Millis;
}

/** The last trouble of a component of a node, with its flapping joined; as JSON. */
export interface LastTrouble extends FirstSign {
  /** The chain of its node when it began; null if unknown. */
  readonly chain: string | null;
  /** Null if no other trouble can be known to have the same cause. */
  readonly cause: string | null;
  /** The first sign of its incident: its own, unless it was joined to another. */
  readonly root: FirstSign;
  /** The latest interval of the line. */
  readonly line: TroubleLine;
  /** Whether it has ended: enough calm followed. */
  readonly isOver: boolean;
}

interface TroubleLine {
  readonly from: Millis;
  readonly is: 'TROUBLE' | 'CALM' | 'BLIND' | 'RETIRED';
  /** How long it was calm before that since the last trouble, without unmonitored times. */
  readonly calmMs: Millis;
}

/** A trouble after an edit of its line. */
export interface TroubleStep {
  readonly trouble: LastTrouble | undefined;
  /** The first sign of a trouble that began with the edit. */
  readonly begun?: FirstSign;
  /** The first sign of a trouble that turned out never to have happened. */
  readonly gone?: FirstSign;
}

/** Facts that are known when trouble of a node begins. */
interface Beginning {
  /** The last troubles of the same component at other monitored nodes of the chain. */
  readonly others: readonly LastTrouble[];
  readonly cause: string | null;
  readonly chain: string | null;
}

/**
 * Applies one edit of a component's line to its last trouble, in the order of the log. When trouble begins while another node of
 * the chain has trouble of the same cause, it joins that node's incident and stays there. Refusals by the DA layer for one reason
 * are one incident also in the calm before the incident ends.
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
  // The next interval follows and shows that this one ended.
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
 * The cause of a trouble by the rule that showed it first. Troubles of two nodes of a chain with the same cause are one incident.
 * Null if no other trouble can be known to have the same cause.
 *
 * @param failure why the latest attempt failed
 */
export function causeOf(rule: string, failure: FailureCode | null): string | null {
  const cause = CAUSES[rule] ?? null;
  if (cause !== 'refused') return cause;
  return failure === null || VAGUE.has(failure) ? null : `${REFUSED}${failure}`;
}

/** Prefix of a cause that is known, not concluded from the node's state. */
const REFUSED = 'refused: ';

/** Rules that grow out of one another are one cause. Gaps in two lists have no common cause. */
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
  'da-node-unreachable': 'da-node',
  'da-node-behind': 'da-head',
  'consensus-unreachable': 'consensus',
  'funds-low': 'funds',
};

/** Failure codes that do not reveal the cause. */
const VAGUE: ReadonlySet<FailureCode> = new Set(['UNKNOWN', 'DA_ERROR', 'CANCELED', 'NODE_PANIC']);

/** The first sign of the incident that began first, if several are open. */
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

/** How long it has been calm at `at` since the last trouble. */
function calmTo({ from, is, calmMs }: TroubleLine, at: Millis): Millis {
  return is === 'TROUBLE' ? 0 : calmMs + (is === 'CALM' ? at - from : 0);
}

/** The line with the interval that is open now. That interval may replace the latest one, or be the one before it, reopened. */
function lineAfter(before: TroubleLine | undefined, interval: RuleInterval): TroubleLine {
  const { from } = interval;
  const is = kindOf(interval);
  if (before === undefined) return { from, is, calmMs: 0 };
  if (from > before.from) return { from, is, calmMs: calmTo(before, from) };
  const reopenedMs = is === 'CALM' ? before.from - from : 0;
  return { from, is, calmMs: Math.max(before.calmMs - reopenedMs, 0) };
}

function kindOf(interval: RuleInterval): TroubleLine['is'] {
  if (isTroubled(interval.state)) return 'TROUBLE';
  if (interval.rule === RETIRED_RULE) return 'RETIRED';
  return isBlind(interval) ? 'BLIND' : 'CALM';
}
