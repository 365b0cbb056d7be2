import { percent, type ConditionOf } from '../../domain/alerts/alert-condition.js';
import type { Finding } from '../../domain/alerts/sampled-lines.js';
import { budgetPeriodName } from '../../domain/cost/budget-period.js';
import { Decimal } from '../../domain/cost/decimal.js';
import { duration } from '../../domain/health/health-rule.js';
import { millisToMicros, type Millis } from '../../domain/time.js';
import { onConnection, type Database } from '../../platform/sql.js';
import { readBudget } from '../../statistics/read/cost/budget.reader.js';
import { inSnapshot } from '../../platform/snapshot.js';
import { getCoverageOf } from '../../statistics/read/coverage/coverage.query.js';
import { timeOf, type SampleScope, type NodeFinding } from './node-conditions.js';

/** Chains that have cost more than a budget, or are forecast to. Uses the lower bound of the cost: only what is proven. */
export async function findCosts(
  source: Database,
  condition: ConditionOf<'cost'>,
  chains: Iterable<string>,
  at: Millis,
): Promise<Finding[]> {
  const { budget, unit, per, yearStart, forecast } = condition;
  const limit = Decimal.parse(budget);
  const findings: Finding[] = [];
  for (const chain of chains) {
    const running = await inSnapshot(source, (query) =>
      readBudget(query, chain, condition, millisToMicros(at)),
    );
    const amount = forecast ? running.expected : running.spent;
    if (!amount || !limit || amount.compare(limit) <= 0) {
      const reason = unit === 'TIA' ? 'no fees are known' : `no price in ${unit} is known`;
      if (!amount) findings.push({ node: null, chain, holds: 'unknown', reason });
      continue;
    }
    const what = forecast ? 'is forecast to cost' : 'has cost at least';
    findings.push({
      node: null,
      chain,
      holds: true,
      reason: `The ${budgetPeriodName(per, yearStart)} ${what} ${rounded(amount)} ${unit}; the budget is ${budget} ${unit}.`,
    });
  }
  return findings;
}

/** Four significant digits, which is enough to act on. */
function rounded(amount: Decimal): string {
  return String(Number(amount.toNumber().toPrecision(4)));
}

/**
 * Nodes whose list was covered too little in a period, among those that were monitored throughout. A node that was a follower or
 * had no list at any moment of the period is left out, whatever its role is today.
 */
export async function findUncovered(
  source: Database,
  { below, overMs }: ConditionOf<'coverage'>,
  { nodes: watched, at }: SampleScope,
): Promise<NodeFinding[]> {
  const [fromUs, nowUs] = [millisToMicros(at - overMs), millisToMicros(at)];
  const nodes = await source.query<{ node: string }[]>(
    `SELECT n.id AS node FROM node n JOIN event e ON e.position = n.from_position
      WHERE n.id = ANY ($2::text[]) AND e.recorded_at <= $1::timestamptz
        AND NOT EXISTS (SELECT FROM availability_interval a
              WHERE a.node = n.id AND a.to_position IS NULL AND a.state IN ('NOT_AGGREGATOR', 'DISABLED', 'NOT_SUPPORTED')
                AND a.from_at < $3::timestamptz AND coalesce(a.to_at, 'infinity') > $1::timestamptz)`,
    [timeOf(at - overMs), watched, timeOf(at)],
  );
  const of = { nodes: nodes.map(({ node }) => node), by: 'NODE' } as const;
  const coverage = await onConnection(source, (query) =>
    getCoverageOf(query, { fromUs, toUs: nowUs, nowUs }, of),
  );
  return nodes.flatMap(({ node }): NodeFinding[] => {
    const share = coverage.get(node) ?? 0;
    if (share >= below) return [];
    return [
      { node, holds: true, reason: `Only ${percent(share)} of the last ${duration(overMs)} is covered.` },
    ];
  });
}
