import type { HealthComponent } from '../../domain/health/health-rule.js';
import type { HealthFold } from '../../domain/health/health-fold.js';
import { findPresentTrouble } from '../../domain/health/present-trouble.js';
import type { TroubledState } from '../../domain/health/trouble.js';
import type { Millis } from '../../domain/time.js';
import type { Past } from '../graphql/time-travel.js';

/** What the health of a node is a function of now. */
interface PresentNode {
  readonly node: string;
  readonly fold: HealthFold;
  readonly thresholds: Readonly<Record<string, number>> | null;
}

/** The present of an incident. */
export interface IncidentPresent {
  readonly component: HealthComponent;
  /** Of one that is open, in the present. */
  readonly present: readonly PresentNode[] | null;
  /** The time at which it was read. */
  readonly nowMs: Millis;
}

/** The part of a node; `to` is null while it lasts. */
interface Part {
  readonly node: string;
  readonly to: string | null;
}

/** What is the matter now: the state is the one of now, not the worst. */
interface PresentWords {
  readonly rule: string;
  readonly state: TroubledState;
  readonly reason: string;
}

/** SQL of the present of the nodes of an incident that is open, and null in a past: what they were then is not kept. */
export function selectPresent({ asOf, knownAt }: Past): string {
  if (asOf !== undefined || knownAt !== undefined) return 'NULL::json';
  return `CASE WHEN told.to_at IS NULL THEN (
    SELECT json_agg(json_build_object('node', f.node, 'fold', f.state, 'thresholds', t.thresholds))
      FROM health_fold f LEFT JOIN health_threshold t ON t.chain = f.chain WHERE f.node = ANY (told.nodes)) END`;
}

/** What is the matter now with a node of an incident; undefined where nothing is, or the past is asked about. */
export function partOfNow(
  { component, present, nowMs }: IncidentPresent,
  { node, to }: Part,
): PresentWords | undefined {
  const own = to === null ? present?.find((one) => one.node === node) : undefined;
  return own && findPresentTrouble(component, own.fold, own.thresholds, nowMs);
}

/** What is the matter now in an incident: with the first of the nodes that are worst. */
export function wordsOfNow(
  row: IncidentPresent & { readonly parts: readonly Part[] },
): PresentWords | undefined {
  const lasting = row.parts.flatMap((part) => partOfNow(row, part) ?? []);
  return lasting.find(({ state }) => state === 'CRITICAL') ?? lasting[0];
}
