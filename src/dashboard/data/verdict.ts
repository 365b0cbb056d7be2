import { toPrintable } from '../../domain/printable-text.js';
import { sentence } from './words.js';

/** The states of a node that a verdict rests on. */
export interface Judged {
  readonly aggregator: boolean | null;
  readonly headFloat: number | null;
  readonly pendingFloat: number | null;
  readonly da: { readonly state: string; readonly rule: string; readonly reason: string } | null;
  readonly node: { readonly state: string; readonly reason: string } | null;
  readonly claim: string | null;
  readonly claimDiffers: boolean | null;
}

/**
 * Says in a line how all nodes are. Unknown is never healthy.
 * @param gone how many were watched once
 * @param open the number of open incidents, which close after calm where all nodes are healthy
 */
export function verdictOf(nodes: readonly Judged[], gone = 0, open = 0): string {
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
  return open === 0 ? healthy : `${healthy} · ${open} ${open === 1 ? 'incident' : 'incidents'} closing`;
}

function worstOf(node: Judged): string {
  const states = [
    node.node?.state ?? 'UNKNOWN',
    ...(isJudgedByDa(node) ? [node.da?.state ?? 'UNKNOWN'] : []),
  ];
  return WORST_FIRST.find((state) => states.includes(state)) ?? 'HEALTHY';
}

const WORST_FIRST = ['CRITICAL', 'UNKNOWN', 'WARNING', 'HEALTHY'];

/** Compares nodes: the worst come first, and unknown is worse than a warning. */
export function bySeverity(a: Judged, b: Judged): number {
  return WORST_FIRST.indexOf(worstOf(a)) - WORST_FIRST.indexOf(worstOf(b));
}

/** Whether nobody has looked at it yet: else there is a state, be it unknown. */
export function isUnseen({ da, node }: Pick<Judged, 'da' | 'node'>): boolean {
  return da === null && node === null;
}

/** Says in words why a node needs attention; empty where it is healthy. */
export function attentionOf(judged: Judged, zone: string): string[] {
  const { da, node, claim, claimDiffers } = judged;
  return [
    ...(node && node.state !== 'HEALTHY'
      ? [`node ${node.state.toLowerCase()}: ${sentence(node.reason, zone)}`]
      : []),
    ...(da && da.state !== 'HEALTHY' && isJudgedByDa(judged)
      ? [`DA ${da.state.toLowerCase()}: ${sentence(da.reason, zone)}`]
      : []),
    ...(claimDiffers ? [`reports its DA as “${toPrintable(claim ?? '')}”; the record disagrees`] : []),
  ];
}

/**
 * A follower submits nothing: its DA health is unknown for good, and nobody can act on that. So is that of a node which
 * shows no list, does not say that it submits, and was not seen to show inclusion: its blocks are not known to wait.
 */
function isJudgedByDa({ aggregator, da, headFloat, pendingFloat }: Judged): boolean {
  if (da !== null && da.state !== 'UNKNOWN') return true;
  const isQuiet =
    aggregator === null && da?.rule === 'disabled' && headFloat !== null && pendingFloat === null;
  return aggregator !== false && !isQuiet;
}

/** What is the matter with nodes, the worst first: those of which the same is to be said stand together. */
export function attentionOfAll(
  nodes: readonly (Judged & { readonly id: string })[],
  zone: string,
): { readonly words: string; readonly ids: readonly string[] }[] {
  const ids = new Map<string, string[]>();
  for (const node of nodes.toSorted(bySeverity))
    for (const words of attentionOf(node, zone)) ids.set(words, [...(ids.get(words) ?? []), node.id]);
  return [...ids].map(([words, named]) => ({ words, ids: named }));
}
