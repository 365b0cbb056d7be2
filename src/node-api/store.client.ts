import { HIGHEST_HEIGHT } from '../domain/bounds.js';
import { isNotFound, type ServiceClaim } from '../domain/claims.js';
import type { Namespaces } from '../domain/submissions/submission-codes.js';
import type { Nanos } from '../domain/time.js';
import type { HttpResponse } from '../platform/http-messages.js';
import {
  describeStatus,
  type JsonBody,
  type NodeAnswer,
  readJson,
  readObjectAnswer,
  refused,
  type Refused,
} from './answer.js';
import type { ConnectService, ServiceCall } from './connect-service.js';
import type { DaDocument } from './da-documents.client.js';
import { SMALL } from './limits.js';
import { detectEncoding, readHex, toBytes } from './wire-bytes.js';
import {
  isObject,
  member,
  readChainId,
  readHeight,
  readObject,
  readText,
  readTimeNs,
  UnreadableField,
  type WireObject,
} from './wire-values.js';

/** The node's own summary of its chain state (`GetState`). */
export interface StoreState {
  readonly chainId: string;
  readonly initialHeight: bigint;
  readonly lastBlockHeight: bigint;
  readonly lastBlockTimeNs: Nanos;
  /** DA height that the node has read up to; 0 where it does not say. */
  readonly daHeight: bigint;
  readonly appHash: string;
  readonly nextProposerAddress: string;
}

/** One end of a store of the P2P network. */
interface StoreEnd {
  readonly height: bigint;
  /** Header hash in the header store, data hash in the data store; hex. */
  readonly hash: string;
  readonly timeNs: Nanos;
}

interface StoreRange {
  readonly head: StoreEnd | null;
  /** The oldest entry that the store still has. */
  readonly tail: StoreEnd | null;
}

/** `GetP2PStoreInfo`; null for a store that the node does not list. */
export interface P2pStores {
  readonly header: StoreRange | null;
  readonly data: StoreRange | null;
}

/** The call that each claim answers. */
const CLAIMED_BY = {
  state: { service: 'StoreService', method: 'GetState', json: '{}' },
  stores: { service: 'StoreService', method: 'GetP2PStoreInfo', json: '{}' },
  genesis: { service: 'StoreService', method: 'GetGenesisDaHeight', json: '{}' },
  signer: { service: 'ConfigService', method: 'GetSignerInfo', json: '{}' },
  peers: { service: 'P2PService', method: 'GetPeerInfo', json: '{}' },
  net: { service: 'P2PService', method: 'GetNetInfo', json: '{}' },
  pruned: { service: 'StoreService', method: 'GetMetadata', json: '{"key":"lst-prnd-b"}' },
} as const satisfies Readonly<Record<ServiceClaim, Partial<ServiceCall>>>;

const METADATA_BYTES = 8;
const NAMESPACE_BYTES = 29;

/** The small calls of the node's block service. */
export class StoreClient {
  constructor(private readonly service: ConnectService) {}

  state(signal?: AbortSignal): Promise<NodeAnswer<StoreState>> {
    return this.ask({ method: 'GetState', signal }, readState);
  }

  /** One counter of the node's own book-keeping, a height: 8 bytes, little-endian. A key that the node lacks is `MISSING`. */
  metadata(key: string, signal?: AbortSignal): Promise<NodeAnswer<bigint>> {
    return this.ask({ method: 'GetMetadata', json: JSON.stringify({ key }), signal }, readCounter);
  }

  p2pStoreInfo(signal?: AbortSignal): Promise<NodeAnswer<P2pStores>> {
    return this.ask({ method: 'GetP2PStoreInfo', signal }, readStores);
  }

  /** Namespaces in lower-case hex; equal where header and data share one, null where left out. */
  namespace(signal?: AbortSignal): Promise<NodeAnswer<Namespaces>> {
    return this.ask({ service: 'ConfigService', method: 'GetNamespace', signal }, readNamespaces);
  }

  /** An answer as the node sent it. "Not found" is an answer, too: see `isNotFound`. */
  async claim(claim: ServiceClaim, signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    const response = await this.call({ ...CLAIMED_BY[claim], signal });
    return 'ok' in response || (response.status !== 200 && !saysNotFound(response))
      ? refuse(response)
      : readObjectAnswer(response, toDocument, NO_OBJECT);
  }

  /** The answer to any small call, as the node sent it; `MISSING` if the node answers "not found". */
  document(question: StoreQuestion): Promise<NodeAnswer<DaDocument>> {
    return this.ask(question, toDocument);
  }

  private async ask<T>(
    question: StoreQuestion,
    read: (answer: WireObject, body: JsonBody) => T,
  ): Promise<NodeAnswer<T>> {
    const response = await this.call(question);
    return 'ok' in response || response.status !== 200
      ? refuse(response)
      : readObjectAnswer(response, read, NO_OBJECT);
  }

  private call(question: StoreQuestion): Promise<HttpResponse | Refused> {
    return this.service.call({ service: 'StoreService', json: '{}', limits: SMALL, ...question });
  }
}

const NO_OBJECT = 'answer is not an object';

/** A small call; by default to the store service, with an empty message. */
export type StoreQuestion = Pick<ServiceCall, 'method' | 'signal'> & Partial<ServiceCall>;

function toDocument(json: WireObject, { text, original }: JsonBody): DaDocument {
  return { json, text, ...(original !== undefined && { original }) };
}

function refuse(response: HttpResponse | Refused): Refused {
  if ('ok' in response) return response;
  if (saysNotFound(response)) return refused(response, 'MISSING', 'not found');
  return refused(response, 'INVALID', describeStatus(response));
}

/** Whether the service itself says "not found": a server in front of a node answers 404, too. */
function saysNotFound(response: HttpResponse): boolean {
  if (response.status !== 404) return false;
  const body = readJson(response);
  return body.ok && isObject(body.json) && isNotFound(body.json);
}

function readState(answer: WireObject): StoreState {
  const state = readObject(answer, 'state');
  const encoding = detectEncoding([member(state, 'appHash'), member(state, 'nextProposerAddress')]);
  return {
    chainId: readChainId(state, 'chainId'),
    initialHeight: readHeight(state, 'initialHeight'),
    lastBlockHeight: readHeight(state, 'lastBlockHeight'),
    lastBlockTimeNs: readTimeNs(state, 'lastBlockTime'),
    daHeight: readHeight(state, 'daHeight'),
    appHash: readHex(state, 'appHash', encoding),
    nextProposerAddress: readHex(state, 'nextProposerAddress', encoding),
  };
}

function readCounter(answer: WireObject): bigint {
  const text = readText(answer, 'value');
  // 8 bytes are 12 characters of base64 or 16 of hex.
  const bytes = toBytes(
    text,
    'value',
    text.replace(/^0x/i, '').length === 2 * METADATA_BYTES ? 'hex' : 'base64',
  );
  if (bytes.length !== METADATA_BYTES) {
    throw new UnreadableField('value', `is ${bytes.length} bytes long, not ${METADATA_BYTES}`);
  }
  const counter = bytes.readBigUInt64LE();
  if (counter > HIGHEST_HEIGHT) throw new UnreadableField('value', 'is too large for a height');
  return counter;
}

function readStores(answer: WireObject): P2pStores {
  const stores = member(answer, 'stores') ?? [];
  if (!Array.isArray(stores)) throw new UnreadableField('stores', 'is not a list');
  const find = (label: RegExp): StoreRange | null => {
    const store = stores.filter(isObject).find((candidate) => label.test(readText(candidate, 'label')));
    return store ? { head: readEnd(store, 'head'), tail: readEnd(store, 'tail') } : null;
  };
  return { header: find(/header/i), data: find(/data/i) };
}

function readEnd(store: WireObject, name: string): StoreEnd | null {
  if (member(store, name) === undefined) return null;
  const end = readObject(store, name);
  return {
    height: readHeight(end, 'height'),
    hash: readHex(end, 'hash', null),
    timeNs: readTimeNs(end, 'time'),
  };
}

function readNamespaces(answer: WireObject): Namespaces {
  const read = (name: string): string | null => {
    const namespace = readHex(answer, name, 'hex');
    if (namespace !== '' && namespace.length !== 2 * NAMESPACE_BYTES) {
      throw new UnreadableField(name, `is not ${NAMESPACE_BYTES} bytes long`);
    }
    return namespace || null;
  };
  const header = read('headerNamespace');
  // Without a namespace of its own the data goes where the headers go.
  return { header, data: read('dataNamespace') ?? header };
}
