import { Injectable } from '@nestjs/common';
import type { BlockRecord } from '../../domain/blocks/block.js';
import { Code } from '@connectrpc/connect';
import { toBytes, toTimestamp } from '../../node-service/block-message.js';
import type { Asked } from './asked.js';
import { callAnswer, refusal, unrecorded, type CallReply } from './call-answer.js';
import { RecordedBlockQuery, type RecordedBlock, type SaidProgress } from './recorded-block.query.js';
import { SaidQuery } from './said.query.js';

/** Names of the node's metadata, and under which name its value is recorded. */
const COUNTERS = {
  d: 'daIncluded',
  'last-submitted-header-height': 'lastSubmittedHeader',
  'last-submitted-data-height': 'lastSubmittedData',
} as const satisfies Readonly<Record<string, keyof SaidProgress['body']>>;

/** Metadata that nodes have and nobody asks them for. */
const UNRECORDED: ReadonlySet<string> = new Set(['gdh', 'lst-prnd-b']);

/** Of the state; its app hash is that of after the last block, whose header bears the one of before. */
const UNRECORDED_STATE = [
  'state.version',
  'state.initialHeight',
  'state.daHeight',
  'state.appHash',
  'state.nextProposerAddress',
];

/** Answers the small questions of the block service, as far as they are on record. */
@Injectable()
export class StoreAnswers {
  constructor(
    private readonly blocks: RecordedBlockQuery,
    private readonly said: SaidQuery,
  ) {}

  async getState(asked: Asked): Promise<CallReply> {
    const newest = await this.blocks.findBlock(asked, 'newest');
    if (!newest) return unrecorded('No block of this node is on record at that moment.', ['state']);
    const { header } = newest.record;
    const state = {
      chainId: header.chainId,
      lastBlockHeight: header.height,
      lastBlockTime: toTimestamp(header.timeNs),
    };
    return callAnswer({ state }, { ...standingOf(newest), missing: UNRECORDED_STATE });
  }

  async getMetadata(asked: Asked, key: string): Promise<CallReply> {
    const [, height, part] = /^rhb\/(\d{1,18})\/([hd])$/.exec(key) ?? [];
    if (height !== undefined) {
      const block = await this.blocks.findBlock(asked, { height: BigInt(height) });
      const daHeight = part === 'h' ? block?.headerDaHeight : block?.dataDaHeight;
      if (!block) return notRecorded(key);
      return daHeight ? counter(daHeight, block) : noSuchKey(key);
    }
    if (UNRECORDED.has(key)) return notRecorded(key);
    if (!Object.hasOwn(COUNTERS, key)) return noSuchKey(key);
    const progress = await this.blocks.findProgress(asked);
    if (!progress) return notRecorded(key);
    const value = progress.body[COUNTERS[key as keyof typeof COUNTERS]];
    // Not told, for whatever reason.
    if (value === null) return notRecorded(key);
    const later = key === 'd' ? await this.blocks.findIncludedBehind(asked, progress) : undefined;
    return later && later.height > BigInt(value)
      ? counter(later.height, later)
      : counter(BigInt(value), { asOf: progress.observedAt });
  }

  async getP2pStoreInfo(asked: Asked): Promise<CallReply> {
    const progress = await this.blocks.findProgress(asked);
    if (!progress) return unrecorded('The stores of this node are not on record at that moment.', ['stores']);
    const { headerStoreHead, oldest } = progress.body;
    const [newest, tail] = await Promise.all([
      this.blocks.findBlock(asked, 'newest'),
      this.findEnd(asked, oldest),
    ]);
    // It tells its progress once in a while, and shows its blocks meanwhile.
    const isShown = newest !== undefined && newest.record.header.height >= BigInt(headerStoreHead ?? 0);
    const height = isShown ? newest.record.header.height : headerStoreHead;
    const head = isShown ? describeEnd(newest.record) : await this.findEnd(asked, headerStoreHead);
    const store = { label: 'Header Store', height: height === null ? undefined : BigInt(height), head, tail };
    const missing = [...(head ? [] : ['stores.head']), ...(tail ? [] : ['stores.tail']), 'stores.Data Store'];
    const asOf = isShown ? newest.asOf : progress.observedAt;
    return callAnswer({ stores: [store] }, { isProven: false, asOf, missing });
  }

  async getNamespace({ node, at }: Asked): Promise<CallReply> {
    const told = await this.said.findNamespaces(node, at);
    if (!told)
      return unrecorded('No namespace of this node is on record at that moment.', ['headerNamespace']);
    const { headerNamespace, dataNamespace } = told;
    const namespaces = {
      headerNamespace: `0x${headerNamespace}`,
      dataNamespace: dataNamespace === null ? undefined : `0x${dataNamespace}`,
    };
    return callAnswer(namespaces, {
      isProven: at === undefined,
      asOf: told.toldAt,
      missing: dataNamespace === null ? ['dataNamespace'] : [],
    });
  }

  private async findEnd(asked: Asked, height: string | null): Promise<object | undefined> {
    const block =
      height === null ? undefined : await this.blocks.findBlock(asked, { height: BigInt(height) });
    return block && describeEnd(block.record);
  }
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
