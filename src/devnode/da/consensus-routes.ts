import { formatNanoseconds } from '../../domain/node-interface/go-time.js';
import { jsonAnswer, type DevnodeAnswer, type NodeRequest } from '../http-server.js';
import { refuseAddress } from './bech32.js';
import type { DaView } from './da-view.js';

/** A request that the consensus node refuses: an HTTP status, and gRPC's code and text. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    /** The height whose state was opened before; undefined if the request did not get that far. */
    readonly height?: bigint,
  ) {
    super(message);
  }
}

const BALANCE = /^\/cosmos\/bank\/v1beta1\/balances\/([^/]+)\/by_denom$/;
const STATUS = '/cosmos/base/node/v1beta1/status';
const INFO = '/cosmos/base/tendermint/v1beta1/node_info';

/** Answers the REST paths of the consensus node (celestia-appd) for its head and for balances at a height. */
export function answerConsensus(view: DaView, request: NodeRequest): DevnodeAnswer {
  view.count(`${request.method} ${request.path}`);
  try {
    const height = heightOf(view, request.headers['x-cosmos-block-height']);
    return { ...jsonAnswer(answer(view, request, height)), headers: describeState(height) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      status: error.status,
      type: 'application/json',
      body: `{"code":${error.code}, "message":${JSON.stringify(error.message)}, "details":[]}`,
      headers: describeState(error.height),
    };
  }
}

function answer({ chain, chainId }: DaView, { path, query }: NodeRequest, height: bigint): object {
  if (path === STATUS) {
    const { head } = chain;
    return {
      earliest_store_height: '0',
      height: String(head.height),
      timestamp: formatNanoseconds(head.timeNs),
      app_hash: Buffer.from(head.hash, 'hex').toString('base64'),
      validator_hash: Buffer.from(head.hash, 'hex').toString('base64'),
    };
  }
  if (path === INFO) return describeNode(chainId);
  const [, address] = BALANCE.exec(path) ?? [];
  if (address === undefined) throw new Refusal(501, 12, 'Not Implemented');
  const denom = query.get('denom') ?? '';
  if (denom === '') throw new Refusal(400, 3, 'invalid denom: ', height);
  const reason = refuseAddress(address);
  if (reason !== undefined) throw new Refusal(400, 3, `invalid address: ${reason}`, height);
  const amount = denom === 'utia' ? chain.ledger.balanceOf(address, height) : 0n;
  return { balance: { denom, amount: String(amount) } };
}

function describeNode(network: string): object {
  return {
    default_node_info: {
      protocol_version: { p2p: '8', block: '11', app: '9' },
      default_node_id: '80e5fd732fbc46a70de891c5b7102605a593d945',
      listen_addr: 'tcp://127.0.0.1:26656',
      network,
      version: '0.38.17',
      channels: 'QCAiIzA4YGEyMVBR',
      moniker: 'devnode',
      other: { tx_index: 'off', rpc_address: 'tcp://127.0.0.1:26657' },
    },
    application_version: {
      name: 'celestia-app',
      app_name: 'celestia-appd',
      version: '9.0.4',
      git_commit: '',
      build_tags: '',
      go_version: '',
      build_deps: [{ path: 'cel.dev/expr', version: 'v0.25.2', sum: '' }],
      cosmos_sdk_version: 'v0.52.3',
    },
  };
}

function heightOf({ chain: { head } }: DaView, header: string | string[] | undefined): bigint {
  if (typeof header !== 'string') return head.height;
  if (BigInt(header) <= head.height) return BigInt(header);
  const text = 'invalid height: cannot query with height in the future; please provide a valid height';
  throw new Refusal(500, 2, `codespace sdk code 26: ${text}`);
}

function describeState(height: bigint | undefined): Record<string, string> {
  return height === undefined
    ? {}
    : {
        'grpc-metadata-content-type': 'application/grpc+cosmos-sdk-grpc-codec',
        'grpc-metadata-x-cosmos-block-height': String(height),
      };
}
