import type { NodeEvents } from '../../domain/events.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { DaDocument } from '../../node-api/da-documents.client.js';
import type { NodeAnswer } from '../../node-api/answer.js';
import type { NodeShape } from '../../domain/events.js';

/** What a node tells of itself; null for what it does not say (now). */
export type NodeDescription = Omit<NodeEvents['NodeDescribed'], 'seen'>;

/**
 * Asks a node what it is by three small questions. It asks for a block only where the answers do not tell the chain, or no block
 * seen so far the shape. Blocks seen before say nothing of the chain: another process may answer now.
 */
export async function describeNode(
  api: NodeApi,
  node: { readonly statusUrl?: string },
  signal: AbortSignal,
): Promise<NodeDescription> {
  const [state, namespace, health] = await Promise.all([
    api.state(signal),
    api.namespace(signal),
    api.health(signal),
  ]);
  let chain = (state.ok && state.value.chainId) || null;
  if (chain === null || api.shape === null) {
    const shown = await askForABlock(api, signal);
    chain ??= shown;
  }
  if (chain === null && node.statusUrl !== undefined) chain = (await api.status(signal))?.chainId ?? null;
  const { servicePrefix, shape } = api;
  return {
    chain,
    servicePrefix,
    shape,
    aggregator: readRole(health, shape),
    headerNamespace: namespace.ok ? namespace.value.header : null,
    dataNamespace: namespace.ok ? namespace.value.data : null,
  };
}

/**
 * The newest block; the specification names no way to ask for it, so a node may know only its heights.
 *
 * @returns the chain that it names
 */
async function askForABlock(api: NodeApi, signal: AbortSignal): Promise<string | null> {
  const newest = await api.block('latest', signal);
  const isFinal = newest.ok || newest.state === 'UNREACHABLE';
  const block = isFinal ? newest : await api.block({ height: 1n }, signal);
  return (block.ok && block.value.header.chainId) || null;
}

/**
 * Whether a node submits to the DA layer. A real node says so only when it does not; where DA monitoring is
 * switched off nothing tells.
 */
function readRole(health: NodeAnswer<DaDocument>, shape: NodeShape | null): boolean | null {
  if (!health.ok) return null;
  const said = health.value.json['is_aggregator'] ?? health.value.json['isAggregator'];
  if (typeof said === 'boolean') return said;
  return shape === 'EV_NODE' && health.value.json['metrics'] !== undefined ? true : null;
}
