import { toPrintable } from '../printable-text.js';
import type { Millis } from '../time.js';
import type { HealthState } from './health-rule.js';

/** Calm that is shorter joins two troubles into one. */
export const QUIET_MS: Millis = 300_000;

/** States in which something is the matter. */
export const TROUBLED_STATES = ['WARNING', 'CRITICAL'] as const;
export type TroubledState = (typeof TROUBLED_STATES)[number];

/** Rules of health that say that nothing is known: they neither begin nor end trouble. */
export const BLIND_RULES: ReadonlySet<string> = new Set([
  'not-watched',
  'unreachable',
  'not-reached',
  'refused',
  'invalid',
  'blocks-not-seen',
]);

/** The rule that says that the node was taken out of the settings. Nobody is to look at it, so it ends all trouble at once. */
export const RETIRED_RULE = 'retired';

/** Rules of health by which nobody looks: Hindsight had stopped, or the node was taken out of the settings. */
export const UNWATCHED_RULES: ReadonlySet<string> = new Set(['not-watched', RETIRED_RULE]);

/** Rules of the DA component that say that a node sees no finality. */
export const FINALITY_RULES = ['inclusion-late', 'frozen'] as const;

/** What an incident is of: a node's DA, a node, finality as nodes see it, or our own coverage of a node. */
export const INCIDENT_SUBJECTS = ['DA', 'NODE', 'FINALITY', 'COVERAGE'] as const;
export type IncidentSubject = (typeof INCIDENT_SUBJECTS)[number];

/** Whether something is the matter. */
export function isTroubled(state: HealthState): state is TroubledState {
  return state === 'WARNING' || state === 'CRITICAL';
}

/** Whether it neither begins nor ends trouble, as nothing is known. */
export function isBlind({ state, rule }: { readonly state: HealthState; readonly rule: string }): boolean {
  return state === 'UNKNOWN' && BLIND_RULES.has(rule);
}

/** The nodes of an incident, as ids. */
interface NodesOfIncident {
  /** The one that it began with. */
  readonly nodeId: string;
  readonly nodes: readonly { readonly nodeId: string }[];
}

/** The ids of the nodes of an incident, each once; the one that it began with comes first. */
export function nodeIdsOf({ nodeId, nodes }: NodesOfIncident): string[] {
  return [...new Set([nodeId, ...nodes.map((node) => node.nodeId)])];
}

/**
 * What an incident affects: `DA submissions of alpha`, `node alpha and 2 more`, `finality at alpha`, `gap in the record of alpha`.
 *
 * @param incident names are as nodes and settings gave them; in the words they can be printed
 */
export function incidentInWords(incident: NodesOfIncident & { readonly subject: IncidentSubject }): string {
  const { subject, nodeId } = incident;
  const others = nodeIdsOf(incident).length - 1;
  const all = `${toPrintable(nodeId)}${others > 0 ? ` and ${others} more` : ''}`;
  return {
    DA: `DA submissions of ${all}`,
    NODE: `node ${all}`,
    FINALITY: `finality at ${all}`,
    COVERAGE: `gap in the record of ${all}`,
  }[subject];
}

/** The title of an incident: what it affects, and the chain. */
export function incidentTitle(
  incident: Parameters<typeof incidentInWords>[0] & { readonly chain: string | null },
): string {
  const { chain } = incident;
  return `${incidentInWords(incident)}${chain === null ? '' : ` (${toPrintable(chain)})`}`;
}
