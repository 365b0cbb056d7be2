import type { BlockChecks, CheckResult } from '../../domain/blocks/block.js';
import { EMPTY_DATA_HASH } from '../../domain/blocks/block-encoding.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { BlockEntity } from '../../tables/record/block.entity.js';
import type { LineageEntity } from '../../tables/record/lineage.entity.js';
import type { ProposerEntity } from '../../tables/record/proposer.entity.js';
import { PRESENT } from '../graphql/time-travel.js';
import { changedAt, toUpdated, type ChangedRow } from '../graphql/updated-rows.js';
import { Block } from './block.type.js';

/** A row as {@link selectBlocks} reads it. */
export interface BlockRow
  extends
    Omit<BlockEntity, 'checks'>,
    Pick<LineageEntity, 'chainId' | 'n'>,
    Pick<ProposerEntity, 'proposerAddress'>,
    ChangedRow {
  /** Null of a block as it was known. */
  readonly checks: number | null;
  /** Hash of the block before, where its own header need not say it. */
  readonly parentHash: string | null;
  /** Id of the node. */
  readonly nodeId: string;
}

/** Everything about the blocks (`b`) that a statement finds; what they leave out is filled in here and below. */
export function selectBlocks(page: string): string {
  return `
    SELECT ${selectList(BlockEntity, 'b')}, l.chain_id AS "chainId", l.n,
           p.proposer_address AS "proposerAddress", n.id AS "nodeId", parent.hash AS "parentHash",
           ${changedAt('b')} AS "updatedAt"
      FROM (${page}) b
      JOIN lineage l ON l.lineage_key = b.lineage_key
      JOIN proposer p ON p.proposer_key = b.proposer_key
      JOIN node n ON n.node_key = b.node_key
      LEFT JOIN block parent ON b.last_header_hash IS NULL AND parent.node_key = b.node_key
                            AND parent.lineage_key = b.lineage_key AND parent.height = b.height - 1`;
}

/** The block as it is shown. */
export function toBlock({ checks, updatedAt, ...row }: BlockRow, past = PRESENT): Block {
  return Object.assign(new Block(), row, toUpdated({ updatedAt }), {
    past,
    time: row.timeNs,
    // A header whose parent hash the node left out (the first) has empty bytes.
    lastHeaderHash: (row.lastHeaderHash ?? row.parentHash) || null,
    dataHash: row.dataHash ?? EMPTY_DATA_HASH,
    dataBytes: row.txBytes,
    lineage: `${row.chainId}/${row.n}`,
    checks: unpackChecks(checks ?? NOTHING_CHECKED),
  });
}

/** Checks keep no history, so of a block as it was known nothing is checked. */
const NOTHING_CHECKED = 0;
const RESULTS: readonly CheckResult[] = ['NOT_CHECKED', 'PASSED', 'FAILED'];

/** Two bits a check, from the lowest. */
function unpackChecks(packed: number): BlockChecks {
  const resultAt = (shift: number): CheckResult => RESULTS[(packed >> shift) & 3] ?? 'NOT_CHECKED';
  return {
    link: resultAt(0),
    hash: resultAt(2),
    signature: resultAt(4),
    proposer: resultAt(6),
    data: resultAt(8),
  };
}
