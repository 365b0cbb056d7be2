import type { Nanos } from '../domain/time.js';
import type { HttpClient } from '../platform/http.js';
import { describeStatus, readObjectAnswer, refused, unreachable, type NodeAnswer } from './answer.js';
import { SMALL } from './limits.js';
import {
  readChainId,
  readHeight,
  readObject,
  readText,
  readTimeNs,
  readUint64,
  type WireObject,
} from './wire-values.js';

/** The newest block of a consensus node. */
export interface ConsensusHead {
  readonly chain: string;
  readonly height: bigint;
  /** The block's own time. */
  readonly timeNs: Nanos;
}

/** Where a consensus node answers REST. */
export interface ConsensusAccess {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The reads of a consensus node of the DA chain (celestia-appd, its REST by grpc-gateway, port 1317). Never throws. */
export class ConsensusApi {
  /** The DA chain, which is asked once: the answer that names it is long. */
  private chain: string | undefined;

  constructor(
    private readonly http: HttpClient,
    private readonly access: ConsensusAccess,
  ) {}

  async head(signal?: AbortSignal): Promise<NodeAnswer<ConsensusHead>> {
    if (this.chain === undefined) {
      const info = await this.get('/cosmos/base/tendermint/v1beta1/node_info', {}, readNetwork, signal);
      if (!info.ok) return info;
      this.chain = info.value;
    }
    const { chain } = this;
    return this.get('/cosmos/base/node/v1beta1/status', {}, (status) => readStatus(status, chain), signal);
  }

  /** The balance of an account in utia after the block of this height; 0 for an account that never existed. */
  balance(account: string, height: bigint, signal?: AbortSignal): Promise<NodeAnswer<bigint>> {
    const path = `/cosmos/bank/v1beta1/balances/${account}/by_denom?denom=utia`;
    return this.get(path, { 'x-cosmos-block-height': String(height) }, readBalance, signal);
  }

  private async get<T>(
    path: string,
    headers: Readonly<Record<string, string>>,
    read: (object: WireObject) => T,
    signal: AbortSignal | undefined,
  ): Promise<NodeAnswer<T>> {
    const answer = await this.http.request({
      url: this.access.url.replace(/\/+$/, '') + path,
      headers: { ...this.access.headers, ...headers },
      limits: SMALL,
      ...(signal && { signal }),
    });
    if (answer.kind === 'failure') return unreachable(answer);
    if (answer.status !== 200) return refused(answer, 'INVALID', describeStatus(answer));
    return readObjectAnswer(answer, read);
  }
}

function readNetwork(info: WireObject): string {
  const network = readChainId(readObject(info, 'default_node_info'), 'network');
  if (network === '') throw new Error('a node without a network');
  return network;
}

function readStatus(status: WireObject, chain: string): ConsensusHead {
  const height = readHeight(status, 'height');
  const timeNs = readTimeNs(status, 'timestamp');
  if (height === 0n || timeNs === 0n) throw new Error('a status without a height or a time');
  return { chain, height, timeNs };
}

function readBalance(answer: WireObject): bigint {
  const balance = readObject(answer, 'balance');
  if (readText(balance, 'denom') !== 'utia') throw new Error('not a balance in utia');
  return readUint64(balance, 'amount');
}
