import type { Nanos } from '../domain/time.js';
import type { Clock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import type { HttpLimits } from '../platform/http-messages.js';
import { JsonRpc, type RpcAccess, type RpcAnswer } from './json-rpc.js';
import { SMALL } from './limits.js';
import {
  isObject,
  readChainId,
  readHeight,
  readObject,
  readText,
  readTimeNs,
  readUint64,
  type WireObject,
} from './wire-values.js';

/** A header with a hundred validators takes up to 200 kB. */
const HEADER: HttpLimits = { bodyBytes: 4 * 1_048_576, headersMs: 4_000, totalMs: 5_000 };
/** The DA node fails after 38 s if the consensus node behind it hangs. */
const BALANCE: HttpLimits = { bodyBytes: 65_536, headersMs: 45_000, totalMs: 45_000 };

/** The newest header of a DA node. */
export interface DaHead {
  /** Null if the header names none. */
  readonly chain: string | null;
  readonly height: bigint;
  /** The header's own time. */
  readonly timeNs: Nanos;
}

export interface DaSampling {
  readonly isRunning: boolean;
  /** Heights whose samples failed. */
  readonly failed: number;
  /** The height up to which all is sampled. */
  readonly head: bigint;
}

/**
 * The reads of one DA node (celestia-node, JSON-RPC) that harm nothing: a token with the permission `read` is enough. Never
 * `header.SyncWait`, which blocks.
 */
export class DaNodeApi {
  private readonly rpc: JsonRpc;

  constructor(http: HttpClient, clock: Pick<Clock, 'monotonic'>, access: RpcAccess) {
    this.rpc = new JsonRpc(http, clock, access);
  }

  /** `header.LocalHead`: heights are text there. */
  head(signal?: AbortSignal): Promise<RpcAnswer<DaHead>> {
    return this.rpc.call('header.LocalHead', [], readHead, HEADER, signal);
  }

  /** The height up to which it synchronises (`header.SyncState`); 0 if it did not since its start. */
  syncTo(signal?: AbortSignal): Promise<RpcAnswer<bigint>> {
    const read = (result: unknown) => readHeight(objectOf(result), 'to_height');
    return this.rpc.call('header.SyncState', [], read, SMALL, signal);
  }

  /** `das.SamplingStats`. */
  sampling(signal?: AbortSignal): Promise<RpcAnswer<DaSampling>> {
    return this.rpc.call('das.SamplingStats', [], readSampling, SMALL, signal);
  }

  /** The address of the DA node's own account (`state.AccountAddress`). */
  address(signal?: AbortSignal): Promise<RpcAnswer<string>> {
    return this.rpc.call('state.AccountAddress', [], readAddress, SMALL, signal);
  }

  /** The balance of an account in utia (`state.BalanceForAddress`); 0 for an account that never existed. Takes up to 45 s. */
  balance(account: string, signal?: AbortSignal): Promise<RpcAnswer<bigint>> {
    return this.rpc.call('state.BalanceForAddress', [account], readBalance, BALANCE, signal);
  }
}

function objectOf(result: unknown): WireObject {
  if (!isObject(result)) throw new Error('not an object');
  return result;
}

function readHead(result: unknown): DaHead {
  const header = readObject(objectOf(result), 'header');
  const height = readHeight(header, 'height');
  const timeNs = readTimeNs(header, 'time');
  if (height === 0n || timeNs === 0n) throw new Error('a header without a height or a time');
  return { chain: readChainId(header, 'chain_id') || null, height, timeNs };
}

function readSampling(result: unknown): DaSampling {
  const stats = objectOf(result);
  const { failed } = stats;
  return {
    isRunning: stats['is_running'] === true,
    failed: isObject(failed) ? Object.keys(failed).length : 0,
    head: readHeight(stats, 'head_of_sampled_chain'),
  };
}

const ADDRESS = /^[a-z]{1,20}1[02-9ac-hj-np-z]{6,90}$/;

function readAddress(result: unknown): string {
  if (typeof result !== 'string' || !ADDRESS.test(result)) throw new Error('not an address');
  return result;
}

function readBalance(result: unknown): bigint {
  const balance = objectOf(result);
  const denom = readText(balance, 'denom');
  if (denom !== 'utia') throw new Error('not a balance in utia');
  return readUint64(balance, 'amount');
}
