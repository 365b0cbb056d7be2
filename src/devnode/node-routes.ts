import { answerConnect } from './connect-routes.js';
import { answerDa } from './da-routes.js';
import {
  errorText,
  jsonAnswer,
  PAGE_NOT_FOUND,
  type DevnodeAnswer,
  type NodeRequest,
} from './http-server.js';
import { formatNanoseconds } from '../domain/node-interface/go-time.js';
import { ageOfHead, proposerAddress, type NodeView } from './node-view.js';

/** A node reports that it is not ready when its newest block is older than both this and five block times. */
const READY_WITHIN_MS = 10_000;
const READY_WITHIN_BLOCKS = 5;

/** Answers requests to the RPC port of a rollup node. */
export async function answerNode(view: NodeView, request: NodeRequest): Promise<DevnodeAnswer | 'dropped'> {
  const { path } = request;
  if (path === '/da' || path.startsWith('/da/')) return answerDa(view, request);
  if (path === '/health/live') return { status: 200, type: 'text/plain', body: 'OK\n' };
  if (path === '/health/ready') return answerReady(view);
  if (path === '/raft/node' && view.shape === 'connect') {
    // Without Raft the real node panics here, and the caller sees the connection close.
    return 'dropped';
  }
  return answerConnect(view, request);
}

function answerReady(view: NodeView): DevnodeAnswer {
  if (!view.chain.head) return errorText(503, 'UNREADY: no blocks yet');
  const limitMs = Math.max(READY_WITHIN_MS, READY_WITHIN_BLOCKS * view.blockTimeMs);
  if (ageOfHead(view) > limitMs) {
    return errorText(503, `UNREADY: node not ${view.isAggregator ? 'producing' : 'executing'} blocks`);
  }
  return { status: 200, type: 'text/plain', body: 'READY\n' };
}

/**
 * Answers the status query on its own port. `catching_up` is true while the newest block is older than two block
 * times, the rule of the real adapter. The real node wraps the record in JSON-RPC, the specification does not.
 */
export function answerStatus(view: NodeView, request: NodeRequest): DevnodeAnswer {
  if (request.path !== '/status') return PAGE_NOT_FOUND;
  const { head, oldest } = view.chain;
  const describe = (prefix: string, block: typeof head) => ({
    // The real adapter gives the data hash here.
    [`${prefix}_block_hash`]: (block?.header.dataHash ?? '').toUpperCase(),
    [`${prefix}_app_hash`]: (block?.header.appHash ?? '').toUpperCase(),
    [`${prefix}_block_height`]: String(block?.header.height ?? 0n),
    [`${prefix}_block_time`]: formatNanoseconds(block?.header.timeNs ?? 0n),
  });
  const record = {
    node_info: { id: view.peerId, network: view.chainId, version: 'devnode', moniker: view.chainId },
    sync_info: {
      ...describe('latest', head),
      ...describe('earliest', oldest),
      catching_up: ageOfHead(view) > 2 * view.blockTimeMs,
    },
    validator_info: { address: proposerAddress(view).slice(0, 40).toUpperCase(), voting_power: '1' },
  };
  return jsonAnswer(view.shape === 'connect' ? { jsonrpc: '2.0', id: -1, result: record } : record);
}
