import type { NodeEvents } from '../../domain/events.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { DaDocument } from '../../node-api/da-documents.client.js';
import type { NodeAnswer } from '../../node-api/answer.js';
import type { NodeShape } from '../../domain/events.js';

/** A node's own report about itself; null for fields that it does not report (now). */
export type NodeDescription = Omit<NodeEvents['NodeDescribed'], 'seen'>;

/**
 * Describes a node with three small requests. It requests a block only if the answers do not report the chain, or if no
 * block seen so far has shown the node's shape. Earlier blocks do not prove the chain: another process may answer now.
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
 * Requests the newest block, else block 1: the specification has no request for the newest block, so a node may accept only
 * heights.
 *
 * @returns the chain that the block names
 */
async function askForABlock(api: NodeApi, signal: AbortSignal): Promise<string | null> {
  const newest = await api.block('latest', signal);
  const isFinal = newest.ok || newest.state === 'UNREACHABLE';
  const block = isFinal ? newest : await api.block({ height: 1n }, signal);
  return (block.ok && block.value.header.chainId) || null;
}

/**
 * Whether a node submits to the DA layer. A real node reports this only when it does not submit; null where DA monitoring
 * is disabled.
 */
function readRole(health: NodeAnswer<DaDocument>, shape: NodeShape | null): boolean | null {
  if (!health.ok) return null;
  const said = health.value.json['is_aggregator'] ?? health.value.json['isAggregator'];
  if (typeof said === 'boolean') return said;
  return shape === 'EV_NODE' && health.value.json['metrics'] !== undefined ? true : null;
}
