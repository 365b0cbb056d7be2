import { nodeIdsOf } from '../../domain/health/trouble.js';
import type { Database } from '../../platform/sql.js';
import { findChainOwner, type IntervalOwner } from '../../statistics/interval/interval-request.js';
import type { Incident } from './incident.type.js';

/**
 * Finds whose figures an incident has: for one node, its own; for several nodes, those of their chain, which count each attempt
 * once.
 */
export async function findIncidentOwner(
  source: Pick<Database, 'query'>,
  incident: Pick<Incident, 'nodeKey' | 'nodeId' | 'nodes' | 'chain'>,
): Promise<IntervalOwner> {
  const { nodeKey: key, nodeId: id, chain } = incident;
  const isJoined = nodeIdsOf(incident).length > 1 && chain !== null;
  const ofChain = isJoined ? await findChainOwner(source, chain) : undefined;
  return ofChain ?? { nodes: [{ id, key }], chain: null };
}
