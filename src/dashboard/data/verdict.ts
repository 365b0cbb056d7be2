import { isJudgedByDa } from '../../domain/health/judged-by-da.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentRowFragment } from './answers.gen.js';
import { sentence } from './words.js';

/** The states of a node that decide its verdict. */
export interface VerdictInput {
  readonly aggregator: boolean | null;
  readonly headFloat: number | null;
  readonly pendingFloat: number | null;
  readonly da: { readonly state: string; readonly rule: string; readonly reason: string } | null;
  readonly node: { readonly state: string; readonly reason: string } | null;
  readonly claim: string | null;
  readonly claimDiffers: boolean | null;
}

/**
 * Describes the state of all nodes in one line. Unknown is never healthy.
 * @param gone number of nodes that are no longer monitored
 * @param open number of open incidents, which close after a calm time when all nodes are healthy
 */
export function verdictOf(nodes: readonly VerdictInput[], gone = 0, open = 0): string {
  const worst = nodes.map(worstOf);
  const [first, ...others] = ['CRITICAL', 'WARNING', 'UNKNOWN'].flatMap((state) => {
    const number = worst.filter((one) => one === state).length;
    return number === 0 ? [] : [{ number, state: state.toLowerCase() }];
  });
  if (nodes.length === 0) return gone === 0 ? 'No nodes monitored yet' : 'No nodes monitored';
  const all = nodes.length === 1 ? '1 node' : `${nodes.length} nodes`;
  if (first !== undefined) {
    const rest = others.map(({ number, state }) => `, ${number} ${state}`).join('');
    return `${first.number} of ${all} ${first.state}${rest}`;
  }
  const healthy = nodes.length === 1 ? 'Node healthy' : `All ${all} healthy`;
  return open === 0 ? healthy : `${healthy} · ${open} ${open === 1 ? 'incident' : 'incidents'} recovering`;
}

/** The worst state of a node and its DA layer. */
export function worstOf(node: VerdictInput): State {
  const states: readonly string[] = [
    node.node?.state ?? 'UNKNOWN',
    ...(judgedByDa(node) ? [node.da?.state ?? 'UNKNOWN'] : []),
  ];
  return WORST_FIRST.find((state) => states.includes(state)) ?? 'HEALTHY';
}

/** The worst state of all nodes; unknown without nodes. */
export function worstOfAll(nodes: readonly VerdictInput[]): State {
  const states = nodes.map(worstOf);
  return WORST_FIRST.find((state) => states.includes(state)) ?? 'UNKNOWN';
}

const WORST_FIRST = ['CRITICAL', 'UNKNOWN', 'WARNING', 'HEALTHY'] as const;
type State = (typeof WORST_FIRST)[number];

/** Compares nodes: the worst come first; unknown counts as worse than a warning. */
export function bySeverity(a: VerdictInput, b: VerdictInput): number {
  return WORST_FIRST.indexOf(worstOf(a)) - WORST_FIRST.indexOf(worstOf(b));
}

/** Whether a node was never polled: afterwards it always has a state, possibly unknown. */
export function isUnseen({ da, node }: Pick<VerdictInput, 'da' | 'node'>): boolean {
  return da === null && node === null;
}

/** Why a node needs attention, in words; empty when it is healthy. */
export function attentionOf(judged: VerdictInput, zone?: string): string[] {
  const { da, node, claim, claimDiffers } = judged;
  return [
    ...(node && node.state !== 'HEALTHY'
      ? [`node ${node.state.toLowerCase()}: ${sentence(node.reason, undefined, zone)}`]
      : []),
    ...(da && da.state !== 'HEALTHY' && judgedByDa(judged)
      ? [`DA ${da.state.toLowerCase()}: ${sentence(da.reason, undefined, zone)}`]
      : []),
    ...(claimDiffers
      ? [`The node reports its DA as “${toPrintable(claim ?? '')}”; the record disagrees`]
      : []),
  ];
}

function judgedByDa({ headFloat: head, pendingFloat: pending, ...node }: VerdictInput): boolean {
  return isJudgedByDa({ ...node, head, pending });
}

export type JudgedIncident = Pick<IncidentRowFragment, 'severity' | 'presentState' | 'lastSignAt' | 'to'>;

/** The present state of an incident; undefined when it is recovering or over. In a past, its worst state until then. */
export function presentStateOf(incident: JudgedIncident): JudgedIncident['severity'] | undefined {
  const { severity, presentState, lastSignAt, to } = incident;
  return to !== null || lastSignAt !== null ? undefined : (presentState ?? severity);
}
