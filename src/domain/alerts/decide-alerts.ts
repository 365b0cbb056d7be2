import { createHash } from 'node:crypto';
import { groupBy } from '../collections.js';
import type { HealthComponent, HealthState } from '../health/health-rule.js';
import { BLIND_RULES, QUIET_MS } from '../health/trouble.js';
import type { Millis } from '../time.js';
import { fitsHealth, reachOf } from './alert-condition.js';
import type { Alert, AlertEvents } from './alert-ledger.js';
import type { AlertRule } from './alert-rules.js';
import { isInScope, isMuted, type Mute } from './alert-scope.js';

/** Alerts that begin with one look; more begin with the next one. */
const MOST_AT_ONCE = 100;

/** Names an alert that is of no node and no chain. */
const OURSELVES = 'hindsight';

/** Names an alert of nodes whose chain is not known. */
const UNKNOWN_CHAIN = 'chain not known';

/** A time in which something held. Times are those of the observer's clock. */
export interface TroubleSpan {
  /** Null of what is of a chain, or of Hindsight itself. */
  readonly node: string | null;
  /** Null until the node has said its chain. */
  readonly chain: string | null;
  readonly reason: string;
  readonly from: Millis;
  /** Null of the present one. */
  readonly to: Millis | null;
  /** The event that made it known; 0 where that is none. */
  readonly position: bigint;
  /** Until when it is known to have held; left out of what holds until something else is told. */
  readonly seenAt?: Millis;
}

/** An interval of a node's health. */
export interface HealthSpan extends TroubleSpan {
  readonly node: string;
  readonly component: HealthComponent;
  readonly rule: string;
  readonly state: HealthState;
}

/** A time in which the condition of a rule held that is not of health. */
export interface SampledSpan extends TroubleSpan {
  /** Name of the rule of alerts. */
  readonly alertRule: string;
  /** The last look that found it; nothing is known of the time since. */
  readonly seenAt: Millis;
}

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

/** Trouble of one node, or of what has none, by one rule, its flapping joined. */
interface Trouble {
  readonly rule: AlertRule;
  readonly first: TroubleSpan;
  readonly last: TroubleSpan;
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
  const bySubject = new Map(facts.rules.flatMap((rule) => [...findTroubles(rule, facts)]));
  const troubles = [...bySubject.values()];
  const named = new Set(open.flatMap(subjectsOf));
  const news = [...bySubject].flatMap(([subject, one]) =>
    one.last.to === null && !named.has(subject) && isTold(one, troubles, facts.mutes, now) ? [one] : [],
  );
  const groups = groupBy(news, ({ rule, last }) => `${rule.name} ${ownerOf(rule, last)}`);
  const raised = [...groups.values()].flatMap((group) =>
    group.some((one) => hasHeld(one, now)) ? [toAlert(group)] : [],
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

/** How far before a moment health says something of the alerts that begin then, in milliseconds. */
export function lookBackOf(rules: readonly AlertRule[]): Millis {
  const each = rules.map(({ forMs, condition }) => Math.max(forMs, reachOf(condition)) + QUIET_MS);
  return Math.max(QUIET_MS, ...each);
}

/** The subjects of an alert: its nodes, even where they have moved to another chain. */
function subjectsOf({ rule, nodes, owner }: Alert): string[] {
  return nodes.length === 0
    ? [subjectOf(rule, null, owner)]
    : nodes.map((node) => subjectOf(rule, node, owner));
}

/** A node, or the owner where there is none, by a rule. */
function subjectOf(rule: string, node: string | null, owner: string): string {
  return JSON.stringify([rule, node, node === null && owner]);
}

/** The last trouble of each subject by a rule. */
function findTroubles(rule: AlertRule, { health, sampled }: AlertFacts): Map<string, Trouble> {
  const { name, condition, scope = {} } = rule;
  const spans: readonly TroubleSpan[] =
    condition.kind === 'health'
      ? health.filter((span) => fitsHealth(condition, span))
      : sampled.filter(({ alertRule }) => alertRule === name);
  const troubles = new Map<string, Trouble>();
  const inScope = spans.filter(({ node, chain }) => isInScope(scope, { rule: name, node, chain }));
  for (const span of inScope.toSorted((a, b) => a.from - b.from)) {
    const subject = subjectOf(name, span.node, ownerOf(rule, span));
    const known = troubles.get(subject);
    const isJoined = known !== undefined && (known.last.to === null || span.from - known.last.to < QUIET_MS);
    const last = isJoined && (known.last.to ?? Infinity) >= (span.to ?? Infinity) ? known.last : span;
    troubles.set(subject, { rule, first: isJoined ? known.first : span, last });
  }
  return troubles;
}

/** Tells whether it is known to have held for as long as its rule waits. */
function hasHeld({ rule, first, last }: Trouble, now: Millis): boolean {
  return (last.to ?? last.seenAt ?? now) - first.from >= rule.forMs;
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
      (other.last.to === null || (other.last.to > since && hasHeld(other, now))) &&
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

function ownerOf({ groupBy }: AlertRule, { node, chain }: TroubleSpan): string {
  if (node === null) return chain ?? OURSELVES;
  return groupBy === 'NODE' ? node : (chain ?? UNKNOWN_CHAIN);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
