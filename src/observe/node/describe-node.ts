import type { NodeEvents } from '../../domain/events.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { DaDocument } from '../../node-api/da-documents.client.js';
import type { NodeAnswer } from '../../node-api/answer.js';
import type { NodeShape } from '../../domain/events.js';

/** What a node tells of itself; null for what it does not say (now). */
export type NodeDescription = NodeEvents['NodeDescribed'];

/**
 * Asks a node what it is by three small questions. It asks for a block only where neither the answers nor the blocks
 * seen so far tell the chain and the shape.
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
  let chain = (state.ok && state.value.chainId) || api.chainId;
  if (chain === null || api.shape === null) {
    await askForABlock(api, signal);
    chain ??= api.chainId;
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

/** The newest block; the specification names no way to ask for it, so a node may know only its heights. */
async function askForABlock(api: NodeApi, signal: AbortSignal): Promise<void> {
  const newest = await api.block('latest', signal);
  if (!newest.ok && newest.state !== 'UNREACHABLE') await api.block({ height: 1n }, signal);
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
