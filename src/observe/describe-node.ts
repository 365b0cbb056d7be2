import type { NodeEvents } from '../domain/events.js';
import type { NodeApi } from '../node-api/node-api.js';
import type { DaDocument } from '../node-api/da-documents.client.js';
import type { NodeAnswer } from '../node-api/answer.js';
import type { NodeShape } from '../domain/events.js';

/** What a node tells of itself; null for what it does not say (now). */
export type NodeDescription = NodeEvents['NodeDescribed'];

/**
 * Asks a node what it is. Four or five small questions; the newest block only where nothing else tells the
 * chain or the shape.
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
    const block = await api.block('latest', signal);
    chain ??= (block.ok && block.value.header.chainId) || null;
  }
  if (chain === null && node.statusUrl !== undefined) {
    chain = (await api.status(signal))?.chainId ?? null;
  }
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
 * Whether a node submits to the DA layer. A real node says so only when it does not; where DA monitoring is
 * switched off nothing tells.
 */
function readRole(health: NodeAnswer<DaDocument>, shape: NodeShape | null): boolean | null {
  if (!health.ok) {
    return null;
  }
  const said = health.value.json['is_aggregator'] ?? health.value.json['isAggregator'];
  if (typeof said === 'boolean') {
    return said;
  }
  return shape === 'EV_NODE' && health.value.json['metrics'] !== undefined ? true : null;
}
