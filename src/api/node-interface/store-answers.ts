import { Injectable } from '@nestjs/common';
import type { Message } from '@bufbuild/protobuf';
import { Code, type ConnectError } from '@connectrpc/connect';
import { toBytes, toTimestamp } from '../../node-service/block-message.js';
import type { Call } from '../../node-service/messages.js';
import type { NodeQuestion } from './node-question.js';
import { callAnswer, noSuchKey, refusal, unrecorded, type CallReply } from './call-answer.js';
import { LiveCalls } from './live-calls.js';
import { NO_PROVENANCE, type Provenance } from './node-answer.js';
import { RecordedBlockQuery, type RecordedBlock, type SaidProgress } from './recorded-block.query.js';
import { SaidQuery } from './said.query.js';
import { type ClaimedCall, ServiceClaimQuery } from './service-claim.query.js';

/** Metadata keys of the node, and the names under which their values are recorded. */
const COUNTERS = {
  d: 'daIncluded',
  'last-submitted-header-height': 'lastSubmittedHeader',
  'last-submitted-data-height': 'lastSubmittedData',
} as const satisfies Readonly<Record<string, keyof SaidProgress['body']>>;

/**
 * Members of the state that no block contains. The app hash is the one after the last block; a header has only the one before it.
 */
const UNRECORDED_STATE = [
  'state.version',
  'state.initialHeight',
  'state.daHeight',
  'state.appHash',
  'state.nextProposerAddress',
];

const GENESIS_KEY = 'gdh';
/** The most characters of a key in an error message. */
const LONGEST_SHOWN = 100;

/**
 * Answers the small calls of the node's services from the record, else from the node if it is reachable. A value that the node
 * reported as missing is "not found"; a value it was never asked for is "unavailable".
 */
@Injectable()
export class StoreAnswers {
  constructor(
    private readonly blocks: RecordedBlockQuery,
    private readonly claims: ServiceClaimQuery,
    private readonly said: SaidQuery,
    private readonly live: LiveCalls,
  ) {}

  /** The last reported state. If blocks were observed since: the state before the newest block, whose header has the rest. */
  async getState(question: NodeQuestion): Promise<CallReply> {
    const [claim, newest] = await Promise.all([
      this.claims.find(question, 'StoreService/GetState'),
      this.blocks.findBlock(question, 'newest'),
    ]);
    const state = (claim?.message as ClaimedState | undefined)?.state;
    if (!claim?.message || !state) return this.askNow(question, 'StoreService/GetState', stateOf(newest));
    const height = (newest?.record.header.height ?? 0n) - 1n;
    if (!newest || height <= state.lastBlockHeight) return callAnswer(claim.message, claim);
    const below = await this.blocks.findBlock(question, { height });
    if (!below || newest.record.header.chainId !== state.chainId) return callAnswer(claim.message, claim);
    const { appHash, proposerAddress } = newest.record.header;
    // Copied member by member: a spread message keeps its type's name, and would still be taken for a message.
    const moved = {
      version: state.version,
      chainId: state.chainId,
      initialHeight: state.initialHeight,
      daHeight: state.daHeight,
      lastBlockHeight: height,
      lastBlockTime: toTimestamp(below.record.header.timeNs),
      appHash: toBytes(appHash),
      nextProposerAddress: toBytes(proposerAddress),
    };
    return callAnswer({ state: moved }, standingOf(newest));
  }

  /** The last response to a call that neither blocks nor progress can answer. */
  async getClaimed(question: NodeQuestion, call: ClaimedCall): Promise<CallReply> {
    const claim = await this.claims.find(question, call);
    if (claim) return claim.message ? callAnswer(claim.message, claim) : notFound(call, claim);
    return this.askNow(question, call, unrecorded(`The answer of ${call} is not on record at that moment.`));
  }

  /** The stores as they are if the node is reachable, else as last reported: both values from the same moment. */
  async getP2pStoreInfo(question: NodeQuestion): Promise<CallReply> {
    const call = 'StoreService/GetP2PStoreInfo';
    const shown = await this.live.find(question, call);
    return shown && shown !== 'MISSING' ? callAnswer(shown, NO_PROVENANCE) : this.getClaimed(question, call);
  }

  async getMetadata(question: NodeQuestion, key: string): Promise<CallReply> {
    const recorded = await this.findMetadata(question, key);
    if (recorded) return recorded;
    const otherwise = unrecorded(`The metadata ${shorten(key)} is not on record at that moment.`, ['value']);
    return this.askNow(question, 'StoreService/GetMetadata', otherwise, { key });
  }

  /** Undefined where the node was never asked for the key, or did not answer. */
  private async findMetadata(question: NodeQuestion, key: string): Promise<CallReply | undefined> {
    const [, height, part] = /^rhb\/(\d{1,18})\/([hd])$/.exec(key) ?? [];
    if (height !== undefined) {
      const block = await this.blocks.findBlock(question, { height: BigInt(height) });
      const daHeight = part === 'h' ? block?.headerDaHeight : block?.dataDaHeight;
      return block && (daHeight ? counter(daHeight, block) : noSuchKey(key, standingOf(block)));
    }
    if (key === GENESIS_KEY) return this.findGenesis(question);
    if (key === 'lst-prnd-b') {
      const claim = await this.claims.find(question, 'StoreService/GetMetadata');
      return claim && (claim.message ? callAnswer(claim.message, claim) : noSuchKey(key, claim));
    }
    return Object.hasOwn(COUNTERS, key)
      ? this.findCounter(question, key as keyof typeof COUNTERS)
      : undefined;
  }

  private async findCounter(
    question: NodeQuestion,
    key: keyof typeof COUNTERS,
  ): Promise<CallReply | undefined> {
    const progress = await this.blocks.findProgress(question);
    if (!progress) return undefined;
    const { [COUNTERS[key]]: value, lacks } = progress.body;
    const later = key === 'd' ? await this.blocks.findIncludedBehind(question, progress) : undefined;
    if (later && later.height > BigInt(value ?? 0)) return counter(later.height, later);
    const told = { asOf: progress.observedAt };
    if (value !== null) return counter(BigInt(value), told);
    return lacks?.includes(COUNTERS[key]) ? noSuchKey(key, standingOf(told)) : undefined;
  }

  /** Nodes also return the value of this key by a call of its own. */
  private async findGenesis(question: NodeQuestion): Promise<CallReply | undefined> {
    const claim = await this.claims.find(question, 'StoreService/GetGenesisDaHeight');
    if (claim?.message === null) return noSuchKey(GENESIS_KEY, claim);
    const { height } = (claim?.message ?? {}) as unknown as { readonly height?: bigint };
    return claim && height !== undefined ? counter(height, claim) : undefined;
  }

  /** Asks the node, because the record has no answer to the call. @param otherwise the result if the node does not answer */
  private async askNow(
    question: NodeQuestion,
    call: Call,
    otherwise: CallReply,
    request?: { readonly key: string },
  ): Promise<CallReply> {
    const shown = await this.live.find(question, call, request);
    if (shown === 'MISSING') return notFound(call, NO_PROVENANCE, request?.key);
    return shown ? callAnswer(shown, NO_PROVENANCE) : otherwise;
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
    const isWhole = dataNamespace !== null;
    return callAnswer(
      namespaces,
      { isProven: at === undefined, asOf: claim.toldAt, missing: isWhole ? [] : ['dataNamespace'] },
      isWhole ? undefined : 'The namespace of data is not on record at that moment.',
    );
  }
}

interface ClaimedState extends Message {
  readonly state?: Message & {
    readonly version?: Message;
    readonly chainId: string;
    readonly initialHeight: bigint;
    readonly lastBlockHeight: bigint;
    readonly daHeight: bigint;
  };
}

/** The part of the state that the newest block contains. */
function stateOf(newest: RecordedBlock | undefined): CallReply {
  if (!newest) return unrecorded('No block of this node is on record at that moment.', ['state']);
  const { header } = newest.record;
  const state = {
    chainId: header.chainId,
    lastBlockHeight: header.height,
    lastBlockTime: toTimestamp(header.timeNs),
  };
  const standing = { ...standingOf(newest), missing: UNRECORDED_STATE };
  return callAnswer(
    { state },
    standing,
    `Only the block of the state is on record, ${header.height}; shape=spec shows it as JSON.`,
  );
}

function standingOf({ asOf }: Pick<RecordedBlock, 'asOf'>) {
  return { isProven: false, asOf };
}

/** 8 bytes, little-endian. A settled DA height is final; the other counters continue to grow. */
function counter(
  value: bigint,
  { asOf, isSettled = false }: Pick<RecordedBlock, 'asOf'> & Partial<RecordedBlock>,
): CallReply {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return callAnswer({ value: bytes }, { isProven: isSettled, asOf });
}

/** @param key the requested metadata key, if any */
function notFound(call: Call, standing: Provenance, key?: string): ConnectError {
  if (call === 'StoreService/GetGenesisDaHeight') return noSuchKey(GENESIS_KEY, standing);
  return key === undefined
    ? refusal(Code.NotFound, `${call}: not found`, standing)
    : noSuchKey(key, standing);
}

function shorten(key: string): string {
  return key.length > LONGEST_SHOWN ? `${key.slice(0, LONGEST_SHOWN)}…` : key;
}
