import { Injectable } from '@nestjs/common';
import type { BlockRecord, DecodedBlock } from '../../domain/blocks/block.js';
import { draftBlock } from '../../domain/blocks/block-draft.js';
import { blockToJson, type KnownBlock } from '../../domain/node-interface/block-json.js';
import {
  internal,
  parseBlockRequest,
  type BlockRequest,
} from '../../domain/node-interface/connect-request.js';
import { ReadTexts } from '../../platform/reads/read-request.js';
import type { Asked } from './asked.js';
import { LiveNodes, sizeOf } from './live-nodes.js';
import { connectAnswer, NO_STANDING, refusal, unavailable, type NodeAnswer } from './node-answer.js';
import { RecordedBlockQuery, type RecordedBlock, type WantedBlock } from './recorded-block.query.js';

const SHAPES_OF = { SPEC: 'specification', 'EV-NODE': 'connect' } as const;
const NOTHING_SEEN = unavailable('No block of this node is on record at that moment.', ['block']);
const HASH_BYTES = 32;
type HashRequest = Extract<BlockRequest, { kind: 'hash' }>;
const NOT_THERE = 'datastore: key not found';
/** What is not on record of a block: names of the answer's members, in camelCase. */
const UNRECORDED = ['block.data.txs', 'block.data.metadata.lastDataHash'] as const;

/** Answers GetBlock: what is on record, and from the node, while it lives, what is not, checked against the record. */
@Injectable()
export class BlockAnswers {
  constructor(
    private readonly blocks: RecordedBlockQuery,
    private readonly live: LiveNodes,
  ) {}

  /** @param body the request's, JSON */
  async getBlock(asked: Asked, body: string): Promise<NodeAnswer> {
    const request = parseBlockRequest(body);
    switch (request.kind) {
      case 'refused':
        return refusal(request.error);
      case 'height':
        return this.answer(asked, request.height === 0n && asked.shape === 'EV-NODE' ? 'newest' : request);
      case 'hash':
        return this.answerByHash(asked, request);
      default:
        return request satisfies never;
    }
  }

  private async answer(
    asked: Asked,
    wanted: WantedBlock & ({ readonly height: bigint } | 'newest'),
  ): Promise<NodeAnswer> {
    const found = await this.answerIfKnown(asked, wanted);
    if (found) return found;
    if (wanted === 'newest') {
      return unavailable('The newest block of this node is not on record at that moment.', ['block']);
    }
    const head = await this.blocks.findHead(asked);
    if (head === undefined) return NOTHING_SEEN;
    return wanted.height > head || wanted.height === 0n
      ? refusal(internal(`load block header: ${NOT_THERE}`))
      : this.answerUnrecorded(asked, wanted.height);
  }

  /** A block that the node has, or had, and that was not read yet. The node of today does not tell what it showed in the past. */
  private async answerUnrecorded({ node, at, shape }: Asked, height: bigint): Promise<NodeAnswer> {
    const answer = at === undefined ? await this.live.findBlock(node, { height }) : undefined;
    if (answer?.ok === false && answer.missing) return refusal(internal(`load block header: ${NOT_THERE}`));
    return answer?.ok
      ? connectAnswer(blockToJson(answer.value, SHAPES_OF[shape]), NO_STANDING)
      : unavailable(`Block ${height} is not on record.`, ['block']);
  }

  private async answerIfKnown(asked: Asked, wanted: WantedBlock): Promise<NodeAnswer | undefined> {
    const found = await this.blocks.findBlock(asked, wanted);
    // Where the settings keep whole transactions.
    await new ReadTexts().hold(sizeOf(found?.record.transactions));
    return found && this.show(asked, found, await this.fetch(asked.node, found.record));
  }

  /** By the hash of the header, or by that of the signed header, which the node's own index has. */
  private async answerByHash(asked: Asked, { hash, text }: HashRequest): Promise<NodeAnswer> {
    const wanted = readHash(text);
    const found =
      wanted.length === HASH_BYTES &&
      ((await this.answerIfKnown(asked, { hash: wanted })) ??
        (await this.answerIfKnown(asked, { signedHash: wanted })));
    if (found) return found;
    if ((await this.blocks.findHead(asked)) === undefined) return NOTHING_SEEN;
    const reason = `failed to load height from index failed to get height for hash [${[...hash].join(' ')}]`;
    return refusal(internal(`${reason}: ${NOT_THERE}`));
  }

  /** The block as the node still has it; undefined where it does not, or has another one by now. */
  private async fetch(node: string, record: BlockRecord): Promise<DecodedBlock | undefined> {
    const answer = await this.live.findBlock(node, { height: record.header.height }, 'IF_FREE');
    return answer?.ok && isSame(record, answer.value) ? answer.value : undefined;
  }

  /** Never proven: nothing on record tells whether `lastDataHash` is as it was. */
  private show({ shape }: Asked, found: RecordedBlock, fetched: DecodedBlock | undefined): NodeAnswer {
    const { record, asOf, headerDaHeight, dataDaHeight } = found;
    const own = toKnown(record);
    const { transactions, metadata } = fetched ?? own;
    const known = { ...own, transactions, metadata, headerDaHeight, dataDaHeight };
    const missing = [
      ...(known.transactions ? [] : [UNRECORDED[0]]),
      ...(known.metadata?.lastDataHash === undefined ? [UNRECORDED[1]] : []),
    ];
    const json = blockToJson(known, SHAPES_OF[shape]);
    return connectAnswer(json, { isProven: false, asOf, missing });
  }
}

const SIGNED = ['signature', 'signerAddress', 'signerPubKey'] as const;

/** Whether a block that a node shows is the recorded one, its signature and its data included. */
function isSame(record: BlockRecord, shown: DecodedBlock): boolean {
  const { header } = record;
  const draft = draftBlock({ height: header.height, block: shown });
  const isHeader =
    record.hash === null
      ? shown.header.dataHash === header.dataHash && shown.header.lastHeaderHash === header.lastHeaderHash
      : draft.hash === record.hash;
  return (
    isHeader &&
    SIGNED.every((name) => record[name] === shown[name]) &&
    (draft.checks.data !== 'FAILED' || record.checks.data !== 'PASSED')
  );
}

/** All that the log has of a block. Its data repeats the header where that was checked. */
function toKnown(record: BlockRecord): Omit<KnownBlock, 'headerDaHeight' | 'dataDaHeight'> {
  const { header, signature, signerAddress, signerPubKey, checks, txCount } = record;
  const { chainId, height, timeNs } = header;
  const kept = record.transactions?.kind === 'full' ? record.transactions.values : undefined;
  const transactions = txCount === 0 ? [] : kept?.map((hex) => Buffer.from(hex, 'hex'));
  const metadata = checks.data === 'PASSED' ? { chainId, height, timeNs } : null;
  return { header, signature, signerAddress, signerPubKey, metadata, transactions };
}

/** Of 32 bytes in hex, with or without 0x, or base64; of anything else a hash that no block has. */
function readHash(text: string): Buffer {
  const hex = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  return hex === undefined ? Buffer.from(text, 'base64') : Buffer.from(hex, 'hex');
}
