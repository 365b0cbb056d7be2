import { ownerOf } from '../../../domain/events.js';
import type { RecordEvent } from '../facts/decode.js';
import { toChainId } from '../facts/chains.js';
import type { RecordMemory } from '../memory.js';

/**
 * Cuts events so that each that changes what earlier rows are (their kind, their history, their chain) stands by itself: all that
 * was told before it is decided without it. Of a node whose list has told nothing yet there are no such rows.
 */
export function cutAtTurns(
  events: readonly RecordEvent[],
  { nodes, lineages, brackets }: Pick<RecordMemory, 'nodes' | 'lineages' | 'brackets'>,
): RecordEvent[][] {
  const shown = new Map<string, string>();
  const withList = new Set<string>();
  for (const { id, nodeKey, lineageKey, chainId, submissionCount } of nodes.all()) {
    if (submissionCount > 0n || brackets.openHoleOf(nodeKey) !== undefined) withList.add(id);
    const lineage = lineageKey === null ? undefined : lineages.get(lineageKey);
    if (lineage && lineage.chainId === chainId) shown.set(id, `${lineage.n} ${lineage.chainId}`);
  }
  const parts: RecordEvent[][] = [];
  let open: RecordEvent[] | undefined;
  for (const event of events) {
    const node = ownerOf(event.stream);
    if (event.stream.endsWith('/submissions')) withList.add(node);
    if (isTurn(event, shown) && withList.has(node)) {
      parts.push([event]);
      open = undefined;
    } else if (open) open.push(event);
    else parts.push((open = [event]));
  }
  return parts;
}

/** @param shown the history whose blocks each node showed last, where it is of the chain that the node names; moved on */
function isTurn(event: RecordEvent, shown: Map<string, string>): boolean {
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
    case 'NodeRetired':
    case 'NodeDescribed':
      // It may name another chain, so that its next blocks tell anew.
      shown.delete(ownerOf(event.stream));
      return true;
    case 'BlocksObserved': {
      const history = `${event.body.lineage} ${toChainId(event.body.chain)}`;
      const node = ownerOf(event.stream);
      const isSame = shown.get(node) === history;
      shown.set(node, history);
      return !isSame;
    }
    default:
      return false;
  }
}
