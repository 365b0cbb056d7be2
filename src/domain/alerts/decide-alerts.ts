import { createHash } from 'node:crypto';
import { groupBy } from '../collections.js';
import { BLIND_RULES, QUIET_MS } from '../health/trouble.js';
import type { Millis } from '../time.js';
import { fitsHealth, reachOf } from './alert-condition.js';
import type { Alert, AlertEvents } from './alert-ledger.js';
import type { AlertRule } from './alert-rules.js';
import { isMuted, type Mute } from './alert-scope.js';
import {
  BREAK_MS,
  findRuns,
  ownerOf,
  subjectOf,
  type HealthSpan,
  type SampledSpan,
  type TroubleRun,
} from './trouble-runs.js';

/** The most alerts that one decision raises or resolves; more follow with the next decision. */
const MOST_AT_ONCE = 100;

export interface AlertFacts {
  readonly rules: readonly AlertRule[];
  /** The latest intervals of each node, in any order. */
  readonly health: readonly HealthSpan[];
  readonly sampled: readonly SampledSpan[];
  readonly mutes: readonly Mute[];
  /** Ids of the nodes that are monitored now. */
  readonly watched: readonly string[];
}

/** The last trouble of one subject by one rule. */
interface RuleTrouble extends TroubleRun {
  readonly rule: AlertRule;
  /** The end of the latest trouble that lasted as long as the rule waits; null if there was none. */
  readonly heldTo: Millis | null;
}

export interface AlertNews {
  readonly raised: readonly Alert[];
  readonly resolved: readonly AlertEnd[];
}

type AlertEnd = Omit<AlertEvents['AlertResolved'], 'destinations'>;

/**
 * Decides which alerts begin and which end. All nodes of a chain that have the same trouble when it is reported share one alert.
 * An alert is about the nodes that it names. A node that has the trouble later gets an alert of its own: one node's trouble hides
 * no other node's.
 *
 * @param open the alerts that were raised and not resolved
 * @param now on the observer's clock
 */
export function decideAlerts(facts: AlertFacts, open: readonly Alert[], now: Millis): AlertNews {
  const bySubject = new Map(facts.rules.flatMap((rule) => [...findTroubles(rule, facts, now)]));
  const troubles = [...bySubject.values()];
  const named = new Set(open.flatMap(subjectsOf));
  const news = [...bySubject].flatMap(([subject, one]) =>
    isPresent(one, now) && !named.has(subject) && isTold(one, troubles, facts.mutes, now) ? [one] : [],
  );
  const groups = groupBy(news, ({ rule, last }) => `${rule.name} ${ownerOf(rule, last)}`);
  const raised = [...groups.values()].flatMap((group) =>
    group.some(({ heldFrom }) => heldFrom !== null) ? [toAlert(group)] : [],
  );
  const watched = new Set(facts.watched);
  const resolved = open.flatMap((alert): AlertEnd[] => {
    const group = subjectsOf(alert).flatMap((subject) => bySubject.get(subject) ?? []);
    const isCalm = group.every(({ last }) => last.to !== null && now - last.to >= QUIET_MS);
    if (!isCalm || isBlind(alert, facts)) return [];
    // A rule that was removed from the settings is no longer judged, so the state of its nodes is unknown.
    const isAsked = facts.rules.some(({ name }) => name === alert.rule);
    const ends = group.length > 0 ? group.map(({ last }) => last.to ?? now) : [now];
    const until = ends.reduce((latest, end) => Math.max(latest, end), alert.since);
    const gone = alert.nodes.filter((node) => !isAsked || !watched.has(node));
    return [{ alert: alert.id, until, ...(gone.length > 0 && { gone }) }];
  });
  return { raised: raised.slice(0, MOST_AT_ONCE), resolved: resolved.slice(0, MOST_AT_ONCE) };
}

/** The shortest look-back on health: trouble with short breaks takes longer than its rule waits. */
const LEAST_LOOK_BACK_MS: Millis = 3_600_000;

/** How far back health matters to the alerts that begin at a moment, in milliseconds. */
export function lookBackOf(rules: readonly AlertRule[]): Millis {
  const each = rules.map(({ forMs, condition }) => Math.max(forMs, reachOf(condition)) + QUIET_MS);
  return Math.max(LEAST_LOOK_BACK_MS, ...each);
}

/** The subjects of an alert: its nodes, even if they have moved to another chain. */
function subjectsOf({ rule, nodes, owner }: Alert): string[] {
  return nodes.length === 0
    ? [subjectOf(rule, null, owner)]
    : nodes.map((node) => subjectOf(rule, node, owner));
}

function findTroubles(rule: AlertRule, facts: AlertFacts, now: Millis): Map<string, RuleTrouble> {
  return new Map(
    [...findRuns(rule, facts, now)].flatMap(([subject, runs]) => {
      const latest = runs.at(-1);
      const heldTo = runs.findLast(({ heldFrom }) => heldFrom !== null)?.until ?? null;
      return latest === undefined ? [] : [[subject, { ...latest, rule, heldTo }] as const];
    }),
  );
}

/** Whether trouble is open or in a short break. */
function isOngoing({ last, until }: RuleTrouble, now: Millis): boolean {
  return last.to === null || now - until < BREAK_MS;
}

/**
 * Whether trouble is to be reported as open. Trouble that has held for its time also continues in a short break, so a decision
 * during the break finds the same as one before or after it.
 */
function isPresent(trouble: RuleTrouble, now: Millis): boolean {
  return trouble.last.to === null || (trouble.heldFrom !== null && isOngoing(trouble, now));
}

/** Whether trouble is to be reported: no mute covers it, and no worse rule reports the same. */
function isTold(
  { rule, last }: RuleTrouble,
  troubles: readonly RuleTrouble[],
  mutes: readonly Mute[],
  now: Millis,
): boolean {
  const { node, chain } = last;
  if (isMuted(mutes, { rule: rule.name, node, chain }, now)) return false;
  const since = (last.seenAt ?? now) - reachOf(rule.condition);
  return !troubles.some(
    (other) =>
      rule.unless?.includes(other.rule.name) &&
      // Trouble that is over still explains a figure whose period it falls into, if it was reported.
      (isOngoing(other, now) || (other.heldTo !== null && other.heldTo > since)) &&
      (other.last.node === null
        ? other.last.chain === null || other.last.chain === chain
        : other.last.node === node),
  );
}

/** Whether the state of one of the alert's nodes is unknown now. Then the alert cannot be known to be over. */
function isBlind({ rule, nodes }: Alert, { rules, health }: AlertFacts): boolean {
  const condition = rules.find(({ name }) => name === rule)?.condition;
  if (condition?.kind !== 'health') return false;
  return health.some(
    (span) =>
      span.to === null &&
      (condition.component ?? span.component) === span.component &&
      !fitsHealth(condition, span) &&
      BLIND_RULES.has(span.rule) &&
      nodes.includes(span.node),
  );
}

function toAlert(present: readonly RuleTrouble[]): Alert {
  const [first, ...others] = present.toSorted((a, b) => a.first.from - b.first.from);
  if (first === undefined) throw new Error('An alert is of some trouble');
  const { name, severity, title, means, remedy } = first.rule;
  const owner = ownerOf(first.rule, first.last);
  const { node, from, position } = first.first;
  return {
    // Two nodes may have trouble since the same moment and be reported separately, e.g. if one was silenced.
    id: `${name}-${digest(`${owner} ${node ?? ''} ${position} ${from}`)}`,
    rule: name,
    severity,
    owner,
    chain: first.last.chain,
    nodes: [first, ...others].flatMap(({ last }) => last.node ?? []),
    since: from,
    reason: first.last.reason,
    words: { title, means, remedy },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
