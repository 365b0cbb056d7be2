import { fitsHealth } from '../domain/alerts/alert-condition.js';
import type { Alert } from '../domain/alerts/alert-ledger.js';
import type { AlertRule } from '../domain/alerts/alert-rules.js';
import { JUDGED_COMPONENTS } from '../domain/health/health-rule.js';
import type { HealthFold } from '../domain/health/health-fold.js';
import { findPresentTrouble } from '../domain/health/present-trouble.js';
import type { Millis } from '../domain/time.js';
import type { Database } from '../platform/sql.js';

interface PresentRow {
  readonly node: string;
  readonly state: HealthFold;
  readonly thresholds: Readonly<Record<string, number>> | null;
}

/**
 * Reads the current reason of alerts about health, by alert id: the reason of each alert's first node. Alerts in a short break,
 * and alerts about anything else, are left out.
 * @param now on the observer's clock
 */
export async function readReasonsOfNow(
  dataSource: Pick<Database, 'query'>,
  alerts: readonly Pick<Alert, 'id' | 'rule' | 'nodes'>[],
  rules: readonly AlertRule[],
  now: Millis,
): Promise<ReadonlyMap<string, string>> {
  const asked = alerts.flatMap(({ id, rule, nodes: [node] }) => {
    const condition = rules.find(({ name }) => name === rule)?.condition;
    return condition?.kind === 'health' && node !== undefined ? [{ id, node, condition }] : [];
  });
  if (asked.length === 0) return new Map();
  const rows = await dataSource.query<PresentRow[]>(
    `SELECT f.node, f.state, t.thresholds FROM health_fold f LEFT JOIN health_threshold t ON t.chain = f.chain
      WHERE f.node = ANY ($1::text[])`,
    [[...new Set(asked.map(({ node }) => node))]],
  );
  const troubles = rows.flatMap(({ node, state, thresholds }) =>
    JUDGED_COMPONENTS.flatMap((component) => {
      const trouble = findPresentTrouble(component, state, thresholds, now);
      return trouble ? [{ ...trouble, node }] : [];
    }),
  );
  return new Map(
    asked.flatMap(({ id, node, condition }) => {
      const trouble = troubles.find((one) => one.node === node && fitsHealth(condition, one));
      return trouble ? [[id, trouble.reason] as const] : [];
    }),
  );
}
