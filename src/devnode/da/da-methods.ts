import { createSigner } from '../signer.js';
import { blobsIn, BroadcastError, type DaBlock } from './da-chain.js';
import { describeHeader } from './da-header.js';
import { DaFailure, DaProtocolError, type DaCall } from './da-json-rpc.js';
import {
  ADDRESS,
  BLOBS,
  COMMITMENT,
  decodeParameters,
  HEIGHT,
  NAMESPACE,
  NAMESPACES,
  TX_CONFIG,
  type TxConfig,
} from './da-parameters.js';
import type { DaLevel } from './da-tokens.js';
import type { DaBlob } from './da-transaction.js';
import type { DaView } from './da-view.js';

interface DaMethod {
  readonly needs: DaLevel;
  readonly parameters?: Parameters<typeof decodeParameters>[1];
  readonly run: (view: DaView, parameters: readonly unknown[], signal: AbortSignal) => unknown;
}

/** Go's zero time. */
const NO_TIME = '0001-01-01T00:00:00Z';

/** The methods that ev-node and monitors call, and some that a read token is refused. */
const METHODS: Readonly<Record<string, DaMethod>> = {
  'node.Ready': { needs: 'read', run: () => true },
  'node.Info': {
    needs: 'admin',
    run: () => ({ type: 'Light', api_version: 'v0.31.0-devnode' }),
  },
  'p2p.Info': {
    needs: 'admin',
    run: ({ chainId }) => ({
      ID: createSigner(`da node ${chainId}`).peerId,
      Addrs: ['/ip4/127.0.0.1/tcp/2121'],
    }),
  },
  'p2p.Peers': { needs: 'admin', run: () => [] },
  'p2p.NATStatus': { needs: 'admin', run: () => 0 },
  'header.SyncState': { needs: 'read', run: syncState },
  'header.SyncWait': { needs: 'read', run: () => null },
  'header.LocalHead': { needs: 'read', run: (view) => describeHeader(view.head(), view.chainId) },
  'header.NetworkHead': { needs: 'read', run: (view) => describeHeader(view.head(), view.chainId) },
  'header.GetByHeight': {
    needs: 'read',
    parameters: [HEIGHT],
    run: (view, [height]) => describeHeader(getBlock(view, height as bigint), view.chainId),
  },
  'das.SamplingStats': { needs: 'read', run: samplingStats },
  'state.AccountAddress': { needs: 'read', run: (view) => view.address },
  'state.Balance': { needs: 'read', run: (view, _, signal) => balance(view, view.address, signal) },
  'state.BalanceForAddress': {
    needs: 'read',
    parameters: [ADDRESS],
    run: (view, [address], signal) => balance(view, address as string, signal),
  },
  'blob.GetAll': { needs: 'read', parameters: [HEIGHT, NAMESPACES], run: getAll },
  'blob.Get': { needs: 'read', parameters: [HEIGHT, NAMESPACE, COMMITMENT], run: getBlob },
  'blob.Submit': {
    needs: 'write',
    parameters: [BLOBS, TX_CONFIG],
    run: (view, [blobs, config], signal) => submit(view, blobs as DaBlob[], config as TxConfig, signal),
  },
};

/** Methods that celestia-node has for subscriptions alone. */
const SUBSCRIPTIONS = new Set(['blob.Subscribe', 'header.Subscribe']);

/**
 * The calls of one request.
 * @param permissions of its token; none without a token
 * @param signal aborted when the client leaves
 */
export function callsOf(view: DaView, permissions: readonly string[], signal: AbortSignal): DaCall {
  return (name, params) => {
    view.count(name);
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (!method) return SUBSCRIPTIONS.has(name) ? refuseSubscription(name) : undefined;
    return call(name, method, params);
  };

  async function call(name: string, { needs, parameters = [], run }: DaMethod, params: unknown) {
    const decoded = decodeParameters(name, parameters, params);
    if (!permissions.includes(needs)) {
      const short = name.slice(name.indexOf('.') + 1);
      throw new DaFailure(`missing permission to invoke '${short}' (need '${needs}')`);
    }
    return run(view, decoded, signal);
  }
}

async function refuseSubscription(name: string): Promise<never> {
  const reason = 'not supported in this mode (no out channel support)';
  throw new DaProtocolError(-32601, `method '${name}' ${reason}`);
}

function syncState(view: DaView): object {
  return {
    id: 0,
    height: view.head().height,
    from_height: 0,
    to_height: 0,
    from_hash: '',
    to_hash: '',
    start: NO_TIME,
    end: NO_TIME,
  };
}

function samplingStats(view: DaView): object {
  const { height } = view.head();
  return {
    head_of_sampled_chain: height,
    head_of_catchup: height,
    network_head_height: height,
    concurrency: 0,
    catch_up_done: true,
    is_running: true,
  };
}

/** The state that a node proves by its head is the one after the block before it. */
async function balance(view: DaView, address: string, signal: AbortSignal): Promise<object> {
  const refusal = await view.awaitConsensus(signal, false);
  if (refusal !== undefined)
    throw new DaFailure(`failed to query for balance: ${refusal}; result log: ; result code: 0`);
  const amount = view.chain.ledger.balanceOf(address, view.head().height - 1n);
  return { denom: 'utia', amount: String(amount) };
}

function getBlock(view: DaView, height: bigint): DaBlock {
  const head = view.head();
  if (height === 0n) throw new DaFailure('height is equal to 0');
  if (height > head.height) {
    const heights = `networkHeight: ${head.height}, requestedHeight: ${height}`;
    throw new DaFailure(`header: given height is from the future: ${heights}`);
  }
  const block = view.chain.find(height);
  if (!block) throw new DaFailure('header: not found');
  return block;
}

function getAll(view: DaView, [height, namespaces]: readonly unknown[]): object[] | null {
  const block = getBlock(view, height as bigint);
  const found = blobsIn(block, new Set(namespaces as string[]));
  return found.length > 0 ? found.map(({ blob, index }) => describeBlob(blob, index)) : null;
}

function getBlob(view: DaView, [height, namespace, commitment]: readonly unknown[]): object {
  const block = getBlock(view, height as bigint);
  const found = blobsIn(block, new Set([namespace as string])).find(
    ({ blob }) => blob.commitment === commitment,
  );
  if (!found) throw new DaFailure('blob: not found');
  return describeBlob(found.blob, found.index);
}

function describeBlob({ namespace, data, commitment }: DaBlob, index: number): object {
  return {
    namespace: Buffer.from(namespace, 'hex').toString('base64'),
    data: Buffer.from(data).toString('base64'),
    share_version: 0,
    commitment: Buffer.from(commitment, 'hex').toString('base64'),
    index,
  };
}

async function submit(
  view: DaView,
  blobs: readonly DaBlob[],
  { gasPrice, signerAddress, feeGranter }: TxConfig,
  signal: AbortSignal,
): Promise<bigint> {
  if (blobs.length === 0) throw new DaFailure('state: no blobs provided');
  const bytes = blobs.reduce((sum, { data }) => sum + data.length, 0);
  if (bytes > view.maxBlobBytes()) throw new DaFailure('blob: over size limit');
  const signer = signerAddress ?? view.address;
  const refusal = await view.awaitConsensus(signal, true);
  if (refusal !== undefined) {
    // The recorded node says so of an account that it had not loaded before its consensus node failed.
    const isLoaded = view.chain.sequenceOf(signer) > 0n;
    throw new DaFailure(isLoaded ? refusal : `account for signer ${signer} not found`);
  }
  try {
    const message = { kind: 'blobs', blobs } as const;
    return (await view.chain.broadcast({ signer, message, feeGranter, gasPrice })).height;
  } catch (error) {
    throw error instanceof BroadcastError ? new DaFailure(error.message) : error;
  }
}
