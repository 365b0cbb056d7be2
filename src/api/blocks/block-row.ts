import type { CheckResult } from '../../domain/blocks/block.js';
import { EMPTY_DATA_HASH } from '../../domain/blocks/block-encoding.js';
import type { Block, BlockChecks } from './block.type.js';

/** A row as {@link selectBlocks} reads it. */
export interface BlockRow {
  readonly node_key: number;
  readonly lineage_key: number;
  readonly chain_id: string;
  readonly lineage_n: number;
  readonly height: string;
  readonly time_ns: string;
  readonly hash: string | null;
  readonly last_header_hash: string | null;
  readonly data_hash: string | null;
  readonly app_hash: string | null;
  readonly proposer_address: string;
  readonly tx_count: number;
  readonly tx_bytes: string;
  readonly header_blob_bytes: number | null;
  readonly data_blob_bytes: number | null;
  readonly header_da_height: string | null;
  readonly data_da_height: string | null;
  readonly checks: number;
}

/** Everything about the blocks (`b`) that a statement finds; what they leave out is filled in here and below. */
export function selectBlocks(page: string): string {
  return `
    SELECT b.node_key, b.lineage_key, l.chain_id, l.n AS lineage_n, b.height, b.time_ns,
           encode(b.hash, 'hex') AS hash, encode(coalesce(b.last_header_hash, parent.hash), 'hex') AS last_header_hash,
           encode(b.data_hash, 'hex') AS data_hash, encode(b.app_hash, 'hex') AS app_hash,
           encode(p.proposer_address, 'hex') AS proposer_address, b.tx_count, b.tx_bytes, b.header_blob_bytes,
           b.data_blob_bytes, b.header_da_height, b.data_da_height, b.checks
      FROM (${page}) b
      JOIN lineage l ON l.lineage_key = b.lineage_key
      JOIN proposer p ON p.proposer_key = b.proposer_key
      LEFT JOIN block parent ON b.last_header_hash IS NULL AND parent.node_key = b.node_key
                            AND parent.lineage_key = b.lineage_key AND parent.height = b.height - 1`;
}

/** The block as it is shown. */
export function toBlock(row: BlockRow): Block {
  return {
    nodeKey: row.node_key,
    height: row.height,
    time: BigInt(row.time_ns),
    chainId: row.chain_id,
    hash: row.hash,
    // A header whose parent hash the node left out (the first) has empty bytes.
    lastHeaderHash: row.last_header_hash || null,
    dataHash: row.data_hash ?? EMPTY_DATA_HASH,
    appHash: row.app_hash,
    proposerAddress: row.proposer_address,
    txCount: row.tx_count,
    dataBytes: row.tx_bytes,
    headerBlobBytes: row.header_blob_bytes,
    dataBlobBytes: row.data_blob_bytes,
    headerDaHeight: row.header_da_height,
    dataDaHeight: row.data_da_height,
    lineage: `${row.chain_id}/${row.lineage_n}`,
    checks: unpackChecks(row.checks),
  };
}

const RESULTS: readonly CheckResult[] = ['NOT_CHECKED', 'PASSED', 'FAILED'];

/** Two bits a check, from the lowest. */
function unpackChecks(packed: number): BlockChecks {
  const [link, hash, signature, proposer, data] = [0, 2, 4, 6, 8].map(
    (shift): CheckResult => RESULTS[(packed >> shift) & 3] ?? 'NOT_CHECKED',
  ) as [CheckResult, CheckResult, CheckResult, CheckResult, CheckResult];
  return { link, hash, signature, proposer, data };
}
