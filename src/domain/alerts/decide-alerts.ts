import { createHash } from 'node:crypto';
import type { HealthComponent } from '../health/health-rule.js';
import type { Millis } from '../time.js';
import { BLIND_RULES, QUIET_MS } from '../health/trouble.js';
import { ALERT_RULES, type AlertRule } from './alert-rules.js';
import type { Alert } from './alert-ledger.js';

/** Alerts that begin with one look; more begin with the next one. */
const MOST_AT_ONCE = 100;

/** An interval of a node's health. Times are those of the observer's clock. */
export interface HealthSpan {
  readonly node: string;
  /** Null until it has said its chain. */
  readonly chain: string | null;
  readonly component: HealthComponent;
  readonly rule: string;
  readonly reason: string;
  readonly from: Millis;
  /** Null of the present one. */
  readonly to: Millis | null;
  /** The event that made it known. */
  readonly position: bigint;
}

/** Trouble of one node by one rule, its flapping joined. */
interface Trouble {
  readonly first: HealthSpan;
  readonly last: HealthSpan;
}

/** The alerts that begin and those that end. */
export interface AlertNews {
  readonly raised: readonly Alert[];
  readonly resolved: readonly { readonly alert: string; readonly until: Millis }[];
}

/**
 * Decides which alerts begin and which end: one for all nodes of a chain that have the same trouble.
 * A node that begins to have it while the alert is open is not told of again.
 *
 * @param spans the latest intervals of each node, in any order
 * @param open the alerts that were raised and not resolved
 * @param now on the observer's clock
 */
export function decideAlerts(spans: readonly HealthSpan[], open: readonly Alert[], now: Millis): AlertNews {
  const groups = new Map<string, { rule: AlertRule; owner: string; troubles: Trouble[] }>();
  for (const rule of ALERT_RULES) {
    for (const trouble of findTroubles(rule, spans)) {
      const owner = trouble.last.chain ?? trouble.last.node;
      const group = groups.get(groupOf(rule.name, owner)) ?? { rule, owner, troubles: [] };
      group.troubles.push(trouble);
      groups.set(groupOf(rule.name, owner), group);
    }
  }
  const isOpen = new Set(open.map(({ rule, owner }) => groupOf(rule, owner)));
  const raised = [...groups].flatMap(([name, { rule, owner, troubles }]) => {
    const present = troubles.filter(({ last }) => last.to === null);
    const isDue = present.some(({ first }) => now - first.from >= rule.forMs);
    return isOpen.has(name) || !isDue ? [] : [toAlert(rule, owner, present)];
  });
  const resolved = open.flatMap((alert) => {
    const troubles = groups.get(groupOf(alert.rule, alert.owner))?.troubles ?? [];
    const isCalm = troubles.every(({ last }) => last.to !== null && now - last.to >= QUIET_MS);
    if (!isCalm || isBlind(alert, spans)) return [];
    const ends = troubles.map(({ last }) => last.to ?? now);
    return [{ alert: alert.id, until: ends.reduce((latest, end) => Math.max(latest, end), alert.since) }];
  });
  return { raised: raised.slice(0, MOST_AT_ONCE), resolved: resolved.slice(0, MOST_AT_ONCE) };
}

/** The last trouble of each node by a rule. */
function findTroubles(rule: AlertRule, spans: readonly HealthSpan[]): Trouble[] {
  const troubles = new Map<string, Trouble>();
  const fitting = spans.filter(
    ({ component, rule: by }) => component === rule.component && rule.rules.includes(by),
  );
  for (const span of fitting.toSorted((a, b) => a.from - b.from)) {
    const known = troubles.get(span.node);
    const isJoined = known !== undefined && span.from - (known.last.to ?? span.from) < QUIET_MS;
    troubles.set(span.node, { first: isJoined ? known.first : span, last: span });
  }
  return [...troubles.values()];
}

/** Tells whether nothing is known of one of its nodes now. Then nobody can say that it is over. */
function isBlind({ rule, nodes }: Alert, spans: readonly HealthSpan[]): boolean {
  const known = ALERT_RULES.find(({ name }) => name === rule);
  return spans.some(
    (span) =>
      span.to === null &&
      span.component === known?.component &&
      !known.rules.includes(span.rule) &&
      BLIND_RULES.has(span.rule) &&
      nodes.includes(span.node),
  );
}

function toAlert({ name, severity }: AlertRule, owner: string, present: readonly Trouble[]): Alert {
  const [first, ...others] = present.toSorted((a, b) => a.first.from - b.first.from);
  if (first === undefined) throw new Error('An alert is of a node');
  const { from, position, chain } = first.first;
  return {
    id: `${name}-${digest(`${owner} ${position}`)}`,
    rule: name,
    severity,
    owner,
    chain,
    nodes: [first, ...others].map(({ last }) => last.node),
    since: from,
    reason: first.last.reason,
  };
}

function groupOf(rule: string, owner: string): string {
  return `${rule} ${owner}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
