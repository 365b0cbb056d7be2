import { entryOf } from '../../../domain/collections.js';
import { ownerOf } from '../../../domain/events.js';
import type { RecordEvent } from '../facts/decode.js';
import { toChainId } from '../facts/chains.js';
import type { RecordMemory } from '../memory.js';

type Books = Pick<RecordMemory, 'nodes' | 'chainOf' | 'lineages' | 'brackets'>;

/** A node along the events. */
interface NodeState {
  /** The history whose blocks it showed last (by name where it has no key yet), where it is of the chain that the node names. */
  shown: number | string | null;
  /** Whether its list has told anything: else there are no rows of it. */
  hasList: boolean;
}

/**
 * Cuts events so that each that changes what earlier rows are (their kind, their history, their chain) stands by
 * itself. All that was told before it is decided without it.
 */
export function cutAtTurns(events: readonly RecordEvent[], memory: Books): RecordEvent[][] {
  const states = new Map<string, NodeState>();
  const parts: RecordEvent[][] = [];
  let open: RecordEvent[] | undefined;
  for (const event of events) {
    const state = entryOf(states, ownerOf(event.stream), () => stateOf(event.stream, memory));
    if (event.stream.endsWith('/submissions')) state.hasList = true;
    if (isTurn(event, state, memory) && state.hasList) {
      parts.push([event]);
      open = undefined;
    } else if (open) open.push(event);
    else parts.push((open = [event]));
  }
  return parts;
}

function stateOf(stream: string, { nodes, chainOf, brackets }: Books): NodeState {
  const node = nodes.find(stream);
  if (!node) return { shown: null, hasList: false };
  const { nodeKey, lineageKey, chainId, submissionCount } = node;
  const isOfChain = lineageKey !== null && chainOf.get(lineageKey) === chainId;
  return {
    shown: isOfChain ? lineageKey : null,
    hasList: submissionCount > 0n || brackets.openHoleOf(nodeKey) !== undefined,
  };
}

function isTurn(event: RecordEvent, state: NodeState, { lineages }: Books): boolean {
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
    case 'NodeRetired':
    case 'NodeDescribed':
      // It may name another chain, so that its next blocks tell anew.
      state.shown = null;
      return true;
    case 'BlocksObserved': {
      const { lineage, chain } = event.body;
      const history = lineages.find(toChainId(chain), lineage) ?? `${lineage} ${chain}`;
      const isSame = state.shown === history;
      state.shown = history;
      return !isSame;
    }
    default:
      return false;
  }
}
