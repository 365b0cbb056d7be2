import type { BlockChecks, BlockRecord, CheckResult } from '../../domain/blocks/block.js';
import { EMPTY_DATA_HASH } from '../../domain/blocks/block-encoding.js';
import type { LateChecks } from '../../domain/blocks/block-facts.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import type { KeyTable } from './record-keys.js';

/** A row of `block`. */
export interface StoredBlock {
  readonly nodeKey: number;
  readonly lineageKey: number;
  readonly fromPosition: bigint;
  readonly proposerKey: number;
  readonly block: BlockRecord;
  readonly checks: number;
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
  /** The block before was recorded of the same node, and this one names its hash. */
  readonly followsRecorded: boolean;
}

/** DA heights that a later event showed for a block recorded before: what the block has after it. */
export interface LateInclusion {
  readonly nodeKey: number;
  readonly lineageKey: number;
  readonly height: bigint;
  readonly timeNs: bigint;
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
  readonly position: bigint;
}

/** What a later event decided about a block recorded before. */
export interface LateCheck {
  readonly nodeKey: number;
  readonly lineageKey: number;
  readonly height: bigint;
  readonly clear: number;
  readonly set: number;
}

const CHECKS = ['link', 'hash', 'signature', 'proposer', 'data'] as const;
const CHECK_CODES: Readonly<Record<CheckResult, number>> = { NOT_CHECKED: 0, PASSED: 1, FAILED: 2 };
/** Bytes of an address or hash that are kept for telling proposers apart; none that is real has more. */
const MOST_ADDRESS_BYTES = 64;

const COLUMNS = [
  column('node_key', 'int4', (row: StoredBlock) => row.nodeKey),
  column('lineage_key', 'int4', (row: StoredBlock) => row.lineageKey),
  column('height', 'int8', (row: StoredBlock) => row.block.header.height),
  column('time_ns', 'int8', (row: StoredBlock) => row.block.header.timeNs),
  column('header_da_height', 'int8', (row: StoredBlock) => row.headerDaHeight),
  column('data_da_height', 'int8', (row: StoredBlock) => row.dataDaHeight),
  column('tx_bytes', 'int8', (row: StoredBlock) => BigInt(row.block.txBytes)),
  column('from_position', 'int8', (row: StoredBlock) => row.fromPosition),
  column('proposer_key', 'int4', (row: StoredBlock) => row.proposerKey),
  column('tx_count', 'int4', (row: StoredBlock) => row.block.txCount),
  column('header_blob_bytes', 'int4', (row: StoredBlock) => row.block.headerBlobBytes),
  column('data_blob_bytes', 'int4', (row: StoredBlock) => row.block.dataBlobBytes),
  column('checks', 'int2', (row: StoredBlock) => row.checks),
  column('hash', 'bytea', (row: StoredBlock) => row.block.hash),
  column('last_header_hash', 'bytea', (row: StoredBlock) =>
    row.followsRecorded ? null : row.block.header.lastHeaderHash || null,
  ),
  column('data_hash', 'bytea', (row: StoredBlock) =>
    row.block.header.dataHash === EMPTY_DATA_HASH ? null : row.block.header.dataHash,
  ),
  column('app_hash', 'bytea', (row: StoredBlock) => row.block.header.appHash || null),
];
const INCLUSION_COLUMNS = [
  column('node_key', 'int4', (row: LateInclusion) => row.nodeKey),
  column('lineage_key', 'int4', (row: LateInclusion) => row.lineageKey),
  column('height', 'int8', (row: LateInclusion) => row.height),
  column('header_da_height', 'int8', (row: LateInclusion) => row.headerDaHeight),
  column('data_da_height', 'int8', (row: LateInclusion) => row.dataDaHeight),
  column('position', 'int8', (row: LateInclusion) => row.position),
];
const CHECK_COLUMNS = [
  column('node_key', 'int4', (row: LateCheck) => row.nodeKey),
  column('lineage_key', 'int4', (row: LateCheck) => row.lineageKey),
  column('height', 'int8', (row: LateCheck) => row.height),
  column('clear', 'int2', (row: LateCheck) => row.clear),
  column('set', 'int2', (row: LateCheck) => row.set),
];

/** What is equal in most headers of a chain. */
export interface Proposer {
  readonly proposerAddress: string;
  readonly validatorHash: string;
  readonly versionBlock: bigint;
  readonly versionApp: bigint;
}

export const PROPOSER_TABLE: KeyTable<Proposer> = {
  table: 'proposer',
  keyColumn: 'proposer_key',
  columns: [
    column('proposer_address', 'bytea', (row) => row.proposerAddress),
    column('validator_hash', 'bytea', (row) => row.validatorHash),
    column('version_block', 'int8', (row) => row.versionBlock),
    column('version_app', 'int8', (row) => row.versionApp),
  ],
  identify: (row) => `${row.proposerAddress} ${row.validatorHash} ${row.versionBlock} ${row.versionApp}`,
};

export function proposerOf({ header }: BlockRecord): Proposer {
  return {
    proposerAddress: header.proposerAddress.slice(0, 2 * MOST_ADDRESS_BYTES),
    validatorHash: header.validatorHash.slice(0, 2 * MOST_ADDRESS_BYTES),
    versionBlock: header.versionBlock,
    versionApp: header.versionApp,
  };
}

/** Checks as `block.checks` holds them. */
export function packChecks(checks: BlockChecks): number {
  return CHECKS.reduce((code, check, index) => code | (CHECK_CODES[checks[check]] << (2 * index)), 0);
}

/** Late checks as the bits to clear and to set. */
export function toLateCheck(nodeKey: number, lineageKey: number, late: LateChecks): LateCheck {
  let clear = 0;
  let set = 0;
  CHECKS.forEach((check, index) => {
    const result = late.checks[check];
    if (result === undefined) return;
    clear |= 3 << (2 * index);
    set |= CHECK_CODES[result] << (2 * index);
  });
  return { nodeKey, lineageKey, height: late.height, clear, set };
}

/** Inserts blocks that are not there yet; the number inserted, by node. */
export async function insertBlocks(
  blocks: readonly StoredBlock[],
  query: Query,
): Promise<{ nodeKey: number; count: bigint }[]> {
  if (blocks.length === 0) return [];
  const added = unnestRows(COLUMNS, blocks);
  const rows = await query<{ node_key: number; count: string }>(
    `WITH added AS (
       INSERT INTO block (${added.names}) SELECT * FROM ${added.sql}
       ON CONFLICT (node_key, lineage_key, height) DO NOTHING RETURNING node_key
     )
     SELECT node_key, count(*) FROM added GROUP BY node_key`,
    added.parameters,
  );
  return rows.map((row) => ({ nodeKey: row.node_key, count: BigInt(row.count) }));
}

/** Sets the DA heights that blocks have now; each block at most once. */
export async function includeBlocks(inclusions: readonly LateInclusion[], query: Query): Promise<void> {
  if (inclusions.length === 0) return;
  const late = unnestRows(INCLUSION_COLUMNS, inclusions, 'late');
  await query(
    `UPDATE block b SET header_da_height = late.header_da_height, data_da_height = late.data_da_height,
            included_position = late.position
       FROM ${late.sql}
      WHERE b.node_key = late.node_key AND b.lineage_key = late.lineage_key AND b.height = late.height`,
    late.parameters,
  );
}

/** Sets checks that were decided later; each block at most once. */
export async function checkBlocks(checks: readonly LateCheck[], query: Query): Promise<void> {
  if (checks.length === 0) return;
  const added = unnestRows(CHECK_COLUMNS, checks, 'late');
  await query(
    `UPDATE block b SET checks = b.checks & ~late.clear | late.set FROM ${added.sql}
      WHERE b.node_key = late.node_key AND b.lineage_key = late.lineage_key AND b.height = late.height`,
    added.parameters,
  );
}
