import { entryOf } from '../../../domain/collections.js';
import { ownerOf } from '../../../domain/events.js';
import type { RecordEvent } from '../facts/decode.js';
import { toChainId } from '../facts/chains.js';
import type { RecordMemory } from '../memory.js';

/** A node along the events. */
interface NodeState {
  /** The history whose blocks it showed last, where it is of the chain that the node names. */
  shown: string | null;
  /** Whether its list has told anything: else there are no rows of it. */
  hasList: boolean;
}

/**
 * Cuts events so that each that changes what earlier rows are (their kind, their history, their chain) stands by itself: all that
 * was told before it is decided without it.
 */
export function cutAtTurns(
  events: readonly RecordEvent[],
  memory: Pick<RecordMemory, 'nodes' | 'lineages' | 'brackets'>,
): RecordEvent[][] {
  const states = new Map<string, NodeState>();
  const parts: RecordEvent[][] = [];
  let open: RecordEvent[] | undefined;
  for (const event of events) {
    const state = entryOf(states, ownerOf(event.stream), () => stateOf(event.stream, memory));
    if (event.stream.endsWith('/submissions')) state.hasList = true;
    if (isTurn(event, state) && state.hasList) {
      parts.push([event]);
      open = undefined;
    } else if (open) open.push(event);
    else parts.push((open = [event]));
  }
  return parts;
}

function stateOf(
  stream: string,
  { nodes, lineages, brackets }: Pick<RecordMemory, 'nodes' | 'lineages' | 'brackets'>,
): NodeState {
  const node = nodes.find(stream);
  if (!node) return { shown: null, hasList: false };
  const { nodeKey, lineageKey, chainId, submissionCount } = node;
  const lineage = lineageKey === null ? undefined : lineages.get(lineageKey);
  return {
    shown: lineage && lineage.chainId === chainId ? `${lineage.n} ${lineage.chainId}` : null,
    hasList: submissionCount > 0n || brackets.openHoleOf(nodeKey) !== undefined,
  };
}

function isTurn(event: RecordEvent, state: NodeState): boolean {
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
    case 'NodeRetired':
    case 'NodeDescribed':
      // It may name another chain, so that its next blocks tell anew.
      state.shown = null;
      return true;
    case 'BlocksObserved': {
      const history = `${event.body.lineage} ${toChainId(event.body.chain)}`;
      const isSame = state.shown === history;
      state.shown = history;
      return !isSame;
    }
    default:
      return false;
  }
}
