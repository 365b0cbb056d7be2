import { Injectable } from '@nestjs/common';
import type { BlockRecord, DecodedBlock } from '../../domain/blocks/block.js';
import { draftBlock } from '../../domain/blocks/block-draft.js';
import type { KnownBlock } from '../../domain/node-interface/known-block.js';
import { Code } from '@connectrpc/connect';
import { toBlockMessage } from '../../node-service/block-message.js';
import type { BlockQuestion } from '../../node-service/call.js';
import { ReadTexts } from '../../platform/reads/read-request.js';
import type { NodeQuestion } from './node-question.js';
import { LiveNodes, sizeOf } from './live-nodes.js';
import { callAnswer, noBlock, refusal, unrecorded, type CallReply } from './call-answer.js';
import { NO_STANDING } from './node-answer.js';
import { ChainTransactions } from './chain-transactions.js';
import {
  RecordedBlockQuery,
  transactionsOf,
  type RecordedBlock,
  type WantedBlock,
} from './recorded-block.query.js';

const NOTHING_SEEN = unrecorded('No block of this node is on record at that moment.', ['block']);
const HASH_BYTES = 32;
const NOT_THERE = 'datastore: key not found';
/** What is not on record of a block: names of the answer's members, in camelCase. */
const UNRECORDED = ['block.data.txs', 'block.data.metadata.lastDataHash'] as const;

/**
 * Answers GetBlock: what is on record, and from the node, while it lives, what is not, checked against the record. A block
 * is never shown as empty because its transactions are unknown.
 */
@Injectable()
export class BlockAnswers {
  constructor(
    private readonly blocks: RecordedBlockQuery,
    private readonly live: LiveNodes,
    private readonly others: ChainTransactions,
  ) {}

  async getBlock(question: NodeQuestion, wanted: BlockQuestion | undefined): Promise<CallReply> {
    if (!wanted) return refusal(Code.InvalidArgument, 'invalid or unsupported identifier type provided');
    if ('height' in wanted) {
      return this.answer(question, wanted.height === 0n && question.shape === 'EV-NODE' ? 'newest' : wanted);
    }
    return this.answerByHash(question, wanted.hash);
  }

  private async answer(
    question: NodeQuestion,
    wanted: WantedBlock & ({ readonly height: bigint } | 'newest'),
  ): Promise<CallReply> {
    const found = await this.answerIfKnown(question, wanted);
    if (found) return found;
    if (wanted === 'newest') {
      return unrecorded('The newest block of this node is not on record at that moment.', ['block']);
    }
    const head = await this.blocks.findHead(question);
    if (head === undefined) return NOTHING_SEEN;
    return wanted.height > head || wanted.height === 0n
      ? noBlock(`load block header: ${NOT_THERE}`)
      : this.answerUnrecorded(question, wanted.height);
  }

  /** A block that the node has, or had, and that was not read yet. The node of today does not tell what it showed in the past. */
  private async answerUnrecorded({ node, at }: NodeQuestion, height: bigint): Promise<CallReply> {
    const answer = at === undefined ? await this.live.findBlock(node, { height }) : undefined;
    if (answer?.ok === false && answer.missing) return noBlock(`load block header: ${NOT_THERE}`);
    return answer?.ok
      ? callAnswer(toBlockMessage(answer.value), NO_STANDING)
      : unrecorded(`Block ${height} is not on record.`, ['block']);
  }

  private async answerIfKnown(question: NodeQuestion, wanted: WantedBlock): Promise<CallReply | undefined> {
    const found = await this.blocks.findBlock(question, wanted);
    // Where the settings keep whole transactions.
    await new ReadTexts().hold(sizeOf(found?.record.transactions));
    return found && this.show(question.node, found);
  }

  /** By the hash of the header, or by that of the signed header, which the node's own index has. */
  private async answerByHash(question: NodeQuestion, hash: Uint8Array): Promise<CallReply> {
    const wanted = Buffer.from(hash);
    const found =
      wanted.length === HASH_BYTES &&
      ((await this.answerIfKnown(question, { hash: wanted })) ??
        (await this.answerIfKnown(question, { signedHash: wanted })));
    if (found) return found;
    if ((await this.blocks.findHead(question)) === undefined) return NOTHING_SEEN;
    const reason = `failed to load height from index failed to get height for hash [${[...hash].join(' ')}]`;
    return noBlock(`${reason}: ${NOT_THERE}`);
  }

  /** The block as the node still has it; undefined where it does not, or has another one by now. */
  private async fetch(node: string, record: BlockRecord): Promise<DecodedBlock | undefined> {
    const answer = await this.live.findBlock(node, { height: record.header.height }, 'IF_FREE');
    return answer?.ok && isSame(record, answer.value) ? answer.value : undefined;
  }

  /** Never proven: nothing on record tells whether `lastDataHash` is as it was. */
  private async show(node: string, found: RecordedBlock): Promise<CallReply> {
    const { record, asOf, headerDaHeight, dataDaHeight } = found;
    const own = toKnown(record);
    const fetched = await this.fetch(node, record);
    const { metadata } = fetched ?? own;
    const transactions = fetched?.transactions ?? own.transactions ?? (await this.others.find(node, record));
    const known = { ...own, transactions, metadata, headerDaHeight, dataDaHeight };
    const missing = [
      ...(known.transactions ? [] : [UNRECORDED[0]]),
      ...(known.metadata?.lastDataHash === undefined ? [UNRECORDED[1]] : []),
    ];
    const incomplete = known.transactions ? undefined : describeLack(record);
    return callAnswer(toBlockMessage(known), { isProven: false, asOf, missing }, incomplete);
  }
}

function describeLack({ header, txCount, txBytes }: BlockRecord): string {
  return `The transactions of block ${header.height} (${txCount}, ${txBytes} bytes) are not on record, and no node of its chain shows them now. The setting record.transactions: full keeps those of later blocks; shape=spec shows the rest of this one as JSON.`;
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
  const { header, signature, signerAddress, signerPubKey, checks } = record;
  const { chainId, height, timeNs } = header;
  const metadata = checks.data === 'PASSED' ? { chainId, height, timeNs } : null;
  return { header, signature, signerAddress, signerPubKey, metadata, transactions: transactionsOf(record) };
}
