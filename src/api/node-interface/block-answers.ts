import { Injectable } from '@nestjs/common';
import type { BlockRecord, DecodedBlock } from '../../domain/blocks/block.js';
import { draftBlock } from '../../domain/blocks/block-draft.js';
import type { KnownBlock } from '../../domain/node-interface/known-block.js';
import { Code } from '@connectrpc/connect';
import { toBlockMessage } from '../../node-service/block-message.js';
import type { BlockQuestion } from '../../node-service/call.js';
import { ReadTexts } from '../../platform/reads/read-request.js';
import type { WantedBlock } from '../blocks/blocks.query.js';
import type { NodeQuestion } from './node-question.js';
import { LiveNodes, sizeOf } from './live-nodes.js';
import { callAnswer, noBlock, refusal, unrecorded, type CallReply } from './call-answer.js';
import { NO_PROVENANCE } from './node-answer.js';
import { ChainTransactions } from './chain-transactions.js';
import { RecordedBlockQuery, transactionsOf, type RecordedBlock } from './recorded-block.query.js';

const NOTHING_SEEN = unrecorded('No block of this node is on record at that moment.', ['block']);
const HASH_BYTES = 32;
const NOT_THERE = 'datastore: key not found';
/** Block members that may not be on record, by the camelCase names of the response. */
const UNRECORDED = ['block.data.txs', 'block.data.metadata.lastDataHash'] as const;

/**
 * Answers GetBlock from the record, and what is missing there from the node if it is reachable, checked against the record. A
 * block is never shown as empty because its transactions are unknown.
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

  /**
   * Answers for a block that the node has or had, but that was not recorded yet. For a past moment the node is not asked, since
   * its current answer does not show what it returned then.
   */
  private async answerUnrecorded({ node, at }: NodeQuestion, height: bigint): Promise<CallReply> {
    const answer = at === undefined ? await this.live.findBlock(node, { height }) : undefined;
    if (answer?.ok === false && answer.missing) return noBlock(`load block header: ${NOT_THERE}`);
    return answer?.ok
      ? callAnswer(toBlockMessage(answer.value), NO_PROVENANCE)
      : unrecorded(`Block ${height} is not on record.`, ['block']);
  }

  private async answerIfKnown(question: NodeQuestion, wanted: WantedBlock): Promise<CallReply | undefined> {
    const found = await this.blocks.findBlock(question, wanted);
    // Transactions are in the record only where the settings keep them whole.
    await new ReadTexts().hold(sizeOf(found?.record.transactions));
    return found && this.show(question.node, found);
  }

  /** Finds a block by the hash of its header, or of its signed header, which the node's own index uses. */
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

  /** The block as the node has it now; undefined where the node lacks it or has a different block by now. */
  private async fetch(node: string, record: BlockRecord): Promise<DecodedBlock | undefined> {
    const answer = await this.live.findBlock(node, { height: record.header.height }, 'IF_FREE');
    return answer?.ok && isSame(record, answer.value) ? answer.value : undefined;
  }

  /** Never proven: nothing on record shows whether `lastDataHash` is unchanged. */
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
  return `The transactions of block ${header.height} (${txCount}, ${txBytes} bytes) are not on record, and no node of its chain shows them now. The setting record.transactions: full records the transactions of later blocks; shape=spec shows the rest of this block as JSON.`;
}

const SIGNED = ['signature', 'signerAddress', 'signerPubKey'] as const;

/** Whether a block from a node is the recorded one, including its signature and data. */
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

/** Everything the log has of a block. The data's metadata repeats the header where the data was verified. */
function toKnown(record: BlockRecord): Omit<KnownBlock, 'headerDaHeight' | 'dataDaHeight'> {
  const { header, signature, signerAddress, signerPubKey, checks } = record;
  const { chainId, height, timeNs } = header;
  const metadata = checks.data === 'PASSED' ? { chainId, height, timeNs } : null;
  return { header, signature, signerAddress, signerPubKey, metadata, transactions: transactionsOf(record) };
}
