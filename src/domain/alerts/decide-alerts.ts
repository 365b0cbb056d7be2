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

/** Alerts that begin with one look; more begin with the next one. */
const MOST_AT_ONCE = 100;

/** What alerts are decided from. */
export interface AlertFacts {
  readonly rules: readonly AlertRule[];
  /** The latest intervals of each node, in any order. */
  readonly health: readonly HealthSpan[];
  readonly sampled: readonly SampledSpan[];
  readonly mutes: readonly Mute[];
  /** Ids of the nodes that are watched now. */
  readonly watched: readonly string[];
}

/** The last trouble of one subject by one rule. */
interface Trouble extends TroubleRun {
  readonly rule: AlertRule;
  /** The end of the latest trouble that had held for as long as the rule waits; null where none had. */
  readonly heldTo: Millis | null;
}

/** The alerts that begin and those that end. */
export interface AlertNews {
  readonly raised: readonly Alert[];
  readonly resolved: readonly AlertEnd[];
}

/** How an alert ended. */
type AlertEnd = Omit<AlertEvents['AlertResolved'], 'destinations'>;

/**
 * Decides which alerts begin and which end: one for all nodes of a chain that have the same trouble when it is told. An alert is about
 * the nodes that it names. One that has the trouble later is told of by an alert of its own: what one node suffers hides nobody else's.
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
    // Nobody judges a rule that left the settings, so the state of its nodes is not known any more.
    const isAsked = facts.rules.some(({ name }) => name === alert.rule);
    const ends = group.length > 0 ? group.map(({ last }) => last.to ?? now) : [now];
    const until = ends.reduce((latest, end) => Math.max(latest, end), alert.since);
    const gone = alert.nodes.filter((node) => !isAsked || !watched.has(node));
    return [{ alert: alert.id, until, ...(gone.length > 0 && { gone }) }];
  });
  return { raised: raised.slice(0, MOST_AT_ONCE), resolved: resolved.slice(0, MOST_AT_ONCE) };
}

/** Health is looked back on for at least so long: trouble with short breaks takes longer than its rule waits. */
const LEAST_LOOK_BACK_MS: Millis = 3_600_000;

/** How far before a moment health says something of the alerts that begin then, in milliseconds. */
export function lookBackOf(rules: readonly AlertRule[]): Millis {
  const each = rules.map(({ forMs, condition }) => Math.max(forMs, reachOf(condition)) + QUIET_MS);
  return Math.max(LEAST_LOOK_BACK_MS, ...each);
}

/** The subjects of an alert: its nodes, even where they have moved to another chain. */
function subjectsOf({ rule, nodes, owner }: Alert): string[] {
  return nodes.length === 0
    ? [subjectOf(rule, null, owner)]
    : nodes.map((node) => subjectOf(rule, node, owner));
}

/** The last trouble of each subject by a rule. */
function findTroubles(rule: AlertRule, facts: AlertFacts, now: Millis): Map<string, Trouble> {
  return new Map(
    [...findRuns(rule, facts, now)].flatMap(([subject, runs]) => {
      const latest = runs.at(-1);
      const heldTo = runs.findLast(({ heldFrom }) => heldFrom !== null)?.until ?? null;
      return latest === undefined ? [] : [[subject, { ...latest, rule, heldTo }] as const];
    }),
  );
}

/** Tells whether it lasts. What has held for its time does in a short break: a look in it finds the same as one beside it. */
function isPresent({ last, until, heldFrom }: Trouble, now: Millis): boolean {
  return last.to === null || (heldFrom !== null && now - until < BREAK_MS);
}

/** Tells whether people want to know of it: nobody asked for silence, and nothing worse of it says the same. */
function isTold(
  { rule, last }: Trouble,
  troubles: readonly Trouble[],
  mutes: readonly Mute[],
  now: Millis,
): boolean {
  const { node, chain } = last;
  if (isMuted(mutes, { rule: rule.name, node, chain }, now)) return false;
  const since = (last.seenAt ?? now) - reachOf(rule.condition);
  return !troubles.some(
    (other) =>
      rule.unless?.includes(other.rule.name) &&
      // What is over still explains a figure of a time that it falls into, where people were told of it.
      (isPresent(other, now) || (other.heldTo !== null && other.heldTo > since)) &&
      (other.last.node === null
        ? other.last.chain === null || other.last.chain === chain
        : other.last.node === node),
  );
}

/** Tells whether nothing is known of one of its nodes now. Then nobody can say that it is over. */
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

function toAlert(present: readonly Trouble[]): Alert {
  const [first, ...others] = present.toSorted((a, b) => a.first.from - b.first.from);
  if (first === undefined) throw new Error('An alert is of some trouble');
  const { name, severity, title, means, remedy } = first.rule;
  const owner = ownerOf(first.rule, first.last);
  const { node, from, position } = first.first;
  return {
    // Two nodes may have it since the same moment and be told apart, as where one was silenced.
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
