import { STATUS_CODES } from 'node:http';
import type { Millis } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';
import { refuseUnder, type DaMode, type DaReceipt, type DaTarget } from '../da-layer.js';
import { callRpc, type RpcOutcome } from '../rpc-client.js';
import { blobIdOf, commitmentOf } from './da-transaction.js';

interface RemoteDaSettings {
  readonly clock: Clock;
  /** The DA node's JSON-RPC. */
  readonly url: string;
  readonly token: string | undefined;
  /** The account that pays the fees, when the DA node's own does not. */
  readonly feeGranter: string | undefined;
  /** The address and token by which the rollup node reaches the DA node. */
  readonly mode: () => DaMode;
  readonly timeoutMs: Millis;
}

/** Texts by which ev-node recognizes an error of the DA node, and the status of its row. */
const STATUSES: readonly (readonly [text: string, status: string])[] = [
  ['timed out waiting for tx to be included in a block', 'Not Included In Block'],
  ['tx already in mempool', 'Already In Mempool'],
  ['incorrect account sequence', 'Incorrect Account Sequence'],
  ['blob: over size limit', 'Too Big'],
  ['context deadline exceeded', 'Context Deadline'],
  ['context canceled', 'Context Canceled'],
];
/** The recorded text of a row when the DA node was stopped: the rollup node calls it by WebSocket. */
const DISCONNECTED = 'handler: websocket connection closed';

/** A DA node of another process, called as ev-node calls it; its refusals become the texts of the rows. */
export class RemoteDa implements DaTarget {
  constructor(private readonly settings: RemoteDaSettings) {}

  async submit(namespace: string, blobs: readonly Uint8Array[], signal: AbortSignal): Promise<DaReceipt> {
    const { clock, mode, feeGranter, timeoutMs } = this.settings;
    const refusal = await refuseUnder(mode(), clock, timeoutMs, signal);
    if (refusal) return refusal;
    const name = Buffer.from(namespace, 'hex').toString('base64');
    const given = blobs.map((blob) => ({
      namespace: name,
      data: Buffer.from(blob).toString('base64'),
      share_version: 0,
      commitment: '',
      index: -1,
    }));
    const config = feeGranter === undefined ? {} : { fee_granter_address: feeGranter };
    const outcome = await this.call('blob.Submit', [given, config], signal);
    if (outcome.kind === 'result' && typeof outcome.result === 'number') {
      const height = BigInt(outcome.result);
      const blobIds = blobs.map((blob) => blobIdOf(height, commitmentOf(namespace, blob)));
      return { status: 'Success', height, blobIds };
    }
    return toRefusal(reasonOf(outcome));
  }

  async findBlob(blobId: string, namespace: string): Promise<Uint8Array | undefined> {
    const id = Buffer.from(blobId, 'hex');
    if (id.length < 8) return undefined;
    const height = id.readBigUInt64LE();
    const name = Buffer.from(namespace, 'hex').toString('base64');
    const outcome = await this.call('blob.Get', [height, name, id.subarray(8).toString('base64')]);
    if (outcome.kind !== 'result') return undefined;
    const { data } = outcome.result as { data?: unknown };
    return typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
  }

  private call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<RpcOutcome> {
    const { url, token, timeoutMs } = this.settings;
    return callRpc({ url, method, params, token, timeoutMs, ...(signal && { signal }) });
  }
}

function reasonOf(outcome: RpcOutcome): string {
  switch (outcome.kind) {
    case 'error':
      return outcome.message;
    case 'status':
      return `sendRequest failed: request failed, http status ${outcome.status} ${STATUS_CODES[outcome.status]}`;
    case 'failure':
      if (outcome.reason === 'ABORTED') return 'context canceled';
      return outcome.reason === 'TIMEOUT' ? 'context deadline exceeded' : DISCONNECTED;
    case 'result':
      return 'unexpected result of blob.Submit';
  }
}

function toRefusal(reason: string): DaReceipt {
  const status = STATUSES.find(([text]) => reason.includes(text))?.[1] ?? 'Error';
  return { status, message: `failed to submit blobs: ${reason}` };
}
