import { Inject, Injectable } from '@nestjs/common';
import type { BlockRecord } from '../../domain/blocks/block.js';
import { hashTransactions } from '../../domain/blocks/block-encoding.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { ReadTexts } from '../../platform/reads/read-request.js';
import type { Database } from '../../platform/sql.js';
import { LiveNodes, sizeOf } from './live-nodes.js';
import { RecordedBlockQuery, transactionsOf } from './recorded-block.query.js';

/** The most other nodes of a chain to ask for a block's transactions, each once; the most recently seen first. */
const MOST_ASKED = 3;

/** Finds a block's transactions at other nodes of its chain. They are accepted only if they match the header's `dataHash`. */
@Injectable()
export class ChainTransactions {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly blocks: RecordedBlockQuery,
    private readonly live: LiveNodes,
  ) {}

  /** Searches the records of other nodes first; undefined where no node of the chain has them. */
  async find(node: string, block: BlockRecord): Promise<readonly Uint8Array[] | undefined> {
    const others = await this.findOthers(node, block.header.chainId);
    for (const other of others) {
      const recorded = await this.findRecorded(other, block);
      if (recorded) return recorded;
    }
    for (const other of others) {
      const shown = await this.live.findTransactions(other, block);
      if (shown) return shown;
    }
    return undefined;
  }

  private async findRecorded(node: string, block: BlockRecord): Promise<readonly Uint8Array[] | undefined> {
    if (block.hash === null) return undefined;
    const hash = Buffer.from(block.hash, 'hex');
    const found = await this.blocks.findBlock({ node, at: undefined }, { hash });
    await new ReadTexts().hold(sizeOf(found?.record.transactions));
    const transactions = found && transactionsOf(found.record);
    return transactions && hashTransactions(transactions) === block.header.dataHash
      ? transactions
      : undefined;
  }

  private async findOthers(node: string, chain: string): Promise<readonly string[]> {
    const rows = await this.reads.query<{ id: string }[]>(
      `SELECT id FROM node
        WHERE id <> $1 AND chain_id IN ($2, (SELECT chain_id FROM node WHERE id = $1))
        ORDER BY last_seen_at DESC NULLS LAST, id LIMIT $3`,
      [node, chain, MOST_ASKED],
    );
    return rows.map(({ id }) => id);
  }
}
