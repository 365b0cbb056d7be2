import { toPrintable } from '../printable-text.js';
import type { Millis } from '../time.js';
import type { HealthState } from './health-rule.js';

/** Shorter calm joins two troubles into one. */
export const QUIET_MS: Millis = 300_000;

export const TROUBLED_STATES = ['WARNING', 'CRITICAL'] as const;
export type TroubledState = (typeof TROUBLED_STATES)[number];

/** Rules of health by which the state is unknown: they neither begin nor end trouble. */
export const BLIND_RULES: ReadonlySet<string> = new Set([
  'not-watched',
  'unreachable',
  'not-reached',
  'refused',
  'invalid',
  'blocks-not-seen',
]);

/** The rule of a node that was removed from the settings. The node is no longer polled, so it ends all trouble at once. */
export const RETIRED_RULE = 'retired';

/** Rules of health without polls: Hindsight was stopped, or the node was removed from the settings. */
export const UNWATCHED_RULES: ReadonlySet<string> = new Set(['not-watched', RETIRED_RULE]);

/** Rules of the DA component for a node that sees no finality. */
export const FINALITY_RULES = ['inclusion-late', 'frozen'] as const;

/** The subject of an incident: a component, or finality as nodes see it. */
export const INCIDENT_SUBJECTS = ['DA', 'NODE', 'FINALITY', 'DA_NODE', 'EXECUTION', 'COVERAGE'] as const;
export type IncidentSubject = (typeof INCIDENT_SUBJECTS)[number];

export function isTroubled(state: HealthState): state is TroubledState {
  return state === 'WARNING' || state === 'CRITICAL';
}

/** Whether an interval neither begins nor ends trouble, because the state is unknown. */
export function isBlind({ state, rule }: { readonly state: HealthState; readonly rule: string }): boolean {
  return state === 'UNKNOWN' && BLIND_RULES.has(rule);
}

/** The nodes of an incident, as ids. */
export interface NodesOfIncident {
  /** The node at which the incident began. */
  readonly nodeId: string;
  readonly nodes: readonly { readonly nodeId: string }[];
}

/** The ids of an incident's nodes, without duplicates; the node at which it began comes first. */
export function nodeIdsOf({ nodeId, nodes }: NodesOfIncident): string[] {
  return [...new Set([nodeId, ...nodes.map((node) => node.nodeId)])];
}

/**
 * Describes what an incident affects: `DA submissions of alpha`, `node alpha and 2 more`, `finality at alpha`, `gap in the record
 * of alpha`.
 *
 * @param incident with names as nodes and settings gave them; the text is made printable
 */
export function incidentInWords(incident: NodesOfIncident & { readonly subject: IncidentSubject }): string {
  const { subject, nodeId } = incident;
  const others = nodeIdsOf(incident).length - 1;
  const all = `${toPrintable(nodeId)}${others > 0 ? ` and ${others} more` : ''}`;
  return {
    DA: `DA submissions of ${all}`,
    NODE: `node ${all}`,
    FINALITY: `finality at ${all}`,
    DA_NODE: `DA node of ${all}`,
    EXECUTION: `execution layer of ${all}`,
    COVERAGE: `gap in the record of ${all}`,
  }[subject];
}

/** The title of an incident: what it affects, and the chain if known. */
export function incidentTitle(
  incident: Parameters<typeof incidentInWords>[0] & { readonly chain: string | null },
): string {
  const { chain } = incident;
  return `${incidentInWords(incident)}${chain === null ? '' : ` (${toPrintable(chain)})`}`;
}
