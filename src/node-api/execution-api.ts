import type { Clock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import { JsonRpc, type RpcAccess, type RpcAnswer } from './json-rpc.js';
import { SMALL } from './limits.js';
import { isObject } from './wire-values.js';

/** A block of the execution layer. */
export interface ExecutionBlock {
  readonly number: bigint;
  /** Lower-case hex without a prefix, as `stateRoot`. */
  readonly hash: string;
  readonly stateRoot: string;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
}

/** The reads of an execution client that need no secret and harm nothing. */
export class ExecutionApi {
  private readonly rpc: JsonRpc;

  constructor(http: HttpClient, clock: Pick<Clock, 'monotonic'>, access: RpcAccess) {
    this.rpc = new JsonRpc(http, clock, access);
  }

  /** `eth_getBlockByNumber` without transactions. Null: the client lacks the block. */
  block(which: bigint | 'latest', signal?: AbortSignal): Promise<RpcAnswer<ExecutionBlock | null>> {
    const name = which === 'latest' ? which : `0x${which.toString(16)}`;
    return this.rpc.call('eth_getBlockByNumber', [name, false], readBlock, SMALL, signal);
  }

  /** `eth_chainId`. */
  chainId(signal?: AbortSignal): Promise<RpcAnswer<bigint>> {
    return this.rpc.call('eth_chainId', [], (result) => readQuantity(result, 'chainId'), SMALL, signal);
  }

  /** `web3_clientVersion`. */
  client(signal?: AbortSignal): Promise<RpcAnswer<string>> {
    return this.rpc.call('web3_clientVersion', [], readClient, SMALL, signal);
  }
}

const LONGEST_CLIENT = 100;
const QUANTITY = /^0x[0-9a-f]{1,16}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;

function readBlock(result: unknown): ExecutionBlock | null {
  if (result === null) return null;
  if (!isObject(result)) throw new Error('not a block');
  return {
    number: readQuantity(result['number'], 'number'),
    hash: readHash(result['hash'], 'hash'),
    stateRoot: readHash(result['stateRoot'], 'stateRoot'),
    timestamp: readQuantity(result['timestamp'], 'timestamp'),
  };
}

function readQuantity(value: unknown, name: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw new Error(`${name} is not a quantity`);
  return BigInt(value);
}

function readHash(value: unknown, name: string): string {
  if (typeof value !== 'string' || !HASH.test(value)) throw new Error(`${name} is not a hash`);
  return value.slice(2).toLowerCase();
}

function readClient(result: unknown): string {
  if (typeof result !== 'string') throw new Error('not a text');
  return result.slice(0, LONGEST_CLIENT);
}
