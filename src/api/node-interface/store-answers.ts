import { Injectable } from '@nestjs/common';
import type { BlockRecord } from '../../domain/blocks/block.js';
import { Code } from '@connectrpc/connect';
import { toBytes, toTimestamp } from '../../node-service/block-message.js';
import type { NodeQuestion } from './node-question.js';
import { callAnswer, refusal, unrecorded, type CallReply } from './call-answer.js';
import { RecordedBlockQuery, type RecordedBlock, type SaidProgress } from './recorded-block.query.js';
import { SaidQuery } from './said.query.js';
import { type ClaimedCall, ServiceClaimQuery } from './service-claim.query.js';

/** Names of the node's metadata, and under which name its value is recorded. */
const COUNTERS = {
  d: 'daIncluded',
  'last-submitted-header-height': 'lastSubmittedHeader',
  'last-submitted-data-height': 'lastSubmittedData',
} as const satisfies Readonly<Record<string, keyof SaidProgress['body']>>;

/** Of the state no block tells these. Its app hash is that of after the last block, whose header bears the one of before. */
const UNRECORDED_STATE = [
  'state.version',
  'state.initialHeight',
  'state.daHeight',
  'state.appHash',
  'state.nextProposerAddress',
];

/** Answers the small questions of the node's services, as far as they are on record. */
@Injectable()
export class StoreAnswers {
  constructor(
    private readonly blocks: RecordedBlockQuery,
    private readonly claims: ServiceClaimQuery,
    private readonly said: SaidQuery,
  ) {}

  /** As told last. Where blocks have been seen since: the state before the newest one, whose header tells the rest of it. */
  async getState(question: NodeQuestion): Promise<CallReply> {
    const [claim, newest] = await Promise.all([
      this.claims.find(question, 'StoreService/GetState'),
      this.blocks.findBlock(question, 'newest'),
    ]);
    const state = claim && (claim.message as unknown as ClaimedState).state;
    if (!claim || !state) return stateOf(newest);
    const height = (newest?.record.header.height ?? 0n) - 1n;
    if (!newest || height <= state.lastBlockHeight) return callAnswer(claim.message, claim);
    const below = await this.blocks.findBlock(question, { height });
    if (!below || newest.record.header.chainId !== state.chainId) return callAnswer(claim.message, claim);
    const { appHash, proposerAddress } = newest.record.header;
    const moved = {
      ...state,
      lastBlockHeight: height,
      lastBlockTime: toTimestamp(below.record.header.timeNs),
      appHash: toBytes(appHash),
      nextProposerAddress: toBytes(proposerAddress),
    };
    return callAnswer({ state: moved }, standingOf(newest));
  }

  /** What a call answered that no block and no progress tells. */
  async getClaimed(question: NodeQuestion, call: ClaimedCall): Promise<CallReply> {
    const claim = await this.claims.find(question, call);
    return claim
      ? callAnswer(claim.message, claim)
      : unrecorded(`What ${call} answers is not on record at that moment.`);
  }

  async getMetadata(question: NodeQuestion, key: string): Promise<CallReply> {
    const [, height, part] = /^rhb\/(\d{1,18})\/([hd])$/.exec(key) ?? [];
    if (height !== undefined) {
      const block = await this.blocks.findBlock(question, { height: BigInt(height) });
      const daHeight = part === 'h' ? block?.headerDaHeight : block?.dataDaHeight;
      if (!block) return notRecorded(key);
      return daHeight ? counter(daHeight, block) : noSuchKey(key);
    }
    if (key === 'gdh') return this.getGenesis(question, key);
    if (key === 'lst-prnd-b') {
      const claim = await this.claims.find(question, 'StoreService/GetMetadata');
      return claim ? callAnswer(claim.message, claim) : notRecorded(key);
    }
    if (!Object.hasOwn(COUNTERS, key)) return noSuchKey(key);
    const progress = await this.blocks.findProgress(question);
    if (!progress) return notRecorded(key);
    const value = progress.body[COUNTERS[key as keyof typeof COUNTERS]];
    // Not told, for whatever reason.
    if (value === null) return notRecorded(key);
    const later = key === 'd' ? await this.blocks.findIncludedBehind(question, progress) : undefined;
    return later && later.height > BigInt(value)
      ? counter(later.height, later)
      : counter(BigInt(value), { asOf: progress.observedAt });
  }

  /** Under this key nodes keep what they tell by a call of its own. */
  private async getGenesis(question: NodeQuestion, key: string): Promise<CallReply> {
    const claim = await this.claims.find(question, 'StoreService/GetGenesisDaHeight');
    const { height } = (claim?.message ?? {}) as unknown as { readonly height?: bigint };
    return claim && height !== undefined ? counter(height, claim) : notRecorded(key);
  }

  /** As told last, but for the header store: blocks that were seen since tell more of it. */
  async getP2pStoreInfo(question: NodeQuestion): Promise<CallReply> {
    const [claim, progress] = await Promise.all([
      this.claims.find(question, 'StoreService/GetP2PStoreInfo'),
      this.blocks.findProgress(question),
    ]);
    if (!progress) {
      return claim
        ? callAnswer(claim.message, claim)
        : unrecorded('The stores of this node are not on record at that moment.', ['stores']);
    }
    const { stores = [] } = (claim?.message ?? {}) as unknown as ClaimedStores;
    const others = stores.filter(({ label }) => label !== HEADER_STORE);
    const { store, missing, asOf } = await this.describeHeaderStore(question, progress);
    const unknown = claim ? missing : [...missing, 'stores.Data Store'];
    return callAnswer({ stores: [store, ...others] }, { isProven: false, asOf, missing: unknown });
  }

  private async describeHeaderStore(question: NodeQuestion, progress: SaidProgress) {
    const { headerStoreHead, oldest } = progress.body;
    const [newest, tail] = await Promise.all([
      this.blocks.findBlock(question, 'newest'),
      this.findEnd(question, oldest),
    ]);
    // It tells its progress once in a while, and shows its blocks meanwhile.
    const isShown = newest !== undefined && newest.record.header.height >= BigInt(headerStoreHead ?? 0);
    const height = isShown ? newest.record.header.height : headerStoreHead;
    const head = isShown ? describeEnd(newest.record) : await this.findEnd(question, headerStoreHead);
    const store = { label: HEADER_STORE, height: height === null ? undefined : BigInt(height), head, tail };
    const missing = [...(head ? [] : ['stores.head']), ...(tail ? [] : ['stores.tail'])];
    return { store, missing, asOf: isShown ? newest.asOf : progress.observedAt };
  }

  async getNamespace({ node, at }: NodeQuestion): Promise<CallReply> {
    const claim = await this.said.findNamespaces(node, at);
    if (!claim)
      return unrecorded('No namespace of this node is on record at that moment.', ['headerNamespace']);
    const { headerNamespace, dataNamespace } = claim;
    const namespaces = {
      headerNamespace: `0x${headerNamespace}`,
      dataNamespace: dataNamespace === null ? undefined : `0x${dataNamespace}`,
    };
    return callAnswer(namespaces, {
      isProven: at === undefined,
      asOf: claim.toldAt,
      missing: dataNamespace === null ? ['dataNamespace'] : [],
    });
  }

  private async findEnd(question: NodeQuestion, height: string | null): Promise<object | undefined> {
    const block =
      height === null ? undefined : await this.blocks.findBlock(question, { height: BigInt(height) });
    return block && describeEnd(block.record);
  }
}

interface ClaimedState {
  readonly state?: { readonly chainId: string; readonly lastBlockHeight: bigint };
}

interface ClaimedStores {
  readonly stores?: readonly { readonly label: string }[];
}

const HEADER_STORE = 'Header Store';

/** What the newest block alone tells of the state. */
function stateOf(newest: RecordedBlock | undefined): CallReply {
  if (!newest) return unrecorded('No block of this node is on record at that moment.', ['state']);
  const { header } = newest.record;
  const state = {
    chainId: header.chainId,
    lastBlockHeight: header.height,
    lastBlockTime: toTimestamp(header.timeNs),
  };
  return callAnswer({ state }, { ...standingOf(newest), missing: UNRECORDED_STATE });
}

/** An end of a store; undefined where the hash of its block is not known. */
function describeEnd({ header, hash }: BlockRecord): object | undefined {
  if (hash === null) return undefined;
  return { height: header.height, hash: toBytes(hash), time: toTimestamp(header.timeNs) };
}

function standingOf({ asOf }: Pick<RecordedBlock, 'asOf'>) {
  return { isProven: false, asOf };
}

/** 8 bytes, little-endian. A DA height stays once it is settled; the others move on. */
function counter(
  value: bigint,
  { asOf, isSettled = false }: Pick<RecordedBlock, 'asOf'> & Partial<RecordedBlock>,
): CallReply {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return callAnswer({ value: bytes }, { isProven: isSettled, asOf });
}

function notRecorded(key: string): CallReply {
  return unrecorded(`The metadata ${key} is not on record at that moment.`, ['value']);
}

function noSuchKey(key: string): CallReply {
  return refusal(Code.NotFound, `failed to get metadata for key '${key}': datastore: key not found`);
}
