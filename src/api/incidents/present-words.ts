import type { HealthComponent } from '../../domain/health/health-rule.js';
import type { HealthFold } from '../../domain/health/health-fold.js';
import { findPresentTrouble } from '../../domain/health/present-trouble.js';
import type { TroubledState } from '../../domain/health/trouble.js';
import type { Millis } from '../../domain/time.js';
import type { Past } from '../graphql/time-travel.js';

/** The inputs from which the present health of a node is computed. */
interface PresentNode {
  readonly node: string;
  readonly fold: HealthFold;
  readonly thresholds: Readonly<Record<string, number>> | null;
}

export interface IncidentPresent {
  readonly component: HealthComponent;
  /** Null unless the incident is open and read in the present. */
  readonly present: readonly PresentNode[] | null;
  readonly nowMs: Millis;
}

/** The part of a node; `to` is null while it lasts. */
interface PartPeriod {
  readonly node: string;
  readonly to: string | null;
}

/** The present trouble: `state` is the state of now, not the worst. */
interface PresentWords {
  readonly rule: string;
  readonly state: TroubledState;
  readonly reason: string;
}

/** SQL of the present of the nodes of an open incident; null in a past, because former states are not kept. */
export function selectPresent({ asOf, knownAt }: Past): string {
  if (asOf !== undefined || knownAt !== undefined) return 'NULL::json';
  return `CASE WHEN told.to_at IS NULL THEN (
    SELECT json_agg(json_build_object('node', f.node, 'fold', f.state, 'thresholds', t.thresholds))
      FROM health_fold f LEFT JOIN health_threshold t ON t.chain = f.chain WHERE f.node = ANY (told.nodes)) END`;
}

/** Present trouble of a node of an incident; undefined if there is no trouble, or in a past. */
export function partOfNow(
  { component, present, nowMs }: IncidentPresent,
  { node, to }: PartPeriod,
): PresentWords | undefined {
  const own = to === null ? present?.find((one) => one.node === node) : undefined;
  return own && findPresentTrouble(component, own.fold, own.thresholds, nowMs);
}

/** Present trouble of an incident: of the first node among the worst. */
export function wordsOfNow(
  row: IncidentPresent & { readonly parts: readonly PartPeriod[] },
): PresentWords | undefined {
  const lasting = row.parts.flatMap((part) => partOfNow(row, part) ?? []);
  return lasting.find(({ state }) => state === 'CRITICAL') ?? lasting[0];
}
