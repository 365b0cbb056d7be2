import type { CheckResult } from '../../domain/blocks/block.js';
import { EMPTY_DATA_HASH } from '../../domain/blocks/block-encoding.js';
import type { Micros } from '../../domain/time.js';
import { dateTime, exactInt64 } from '../graphql/fields.js';
import {
  flatOf,
  id,
  inFiles,
  int,
  int64,
  key,
  selectFields,
  text,
  type FlatField,
  type FieldValues,
} from '../graphql/flat-fields.js';
import { selectsAny, type Selected } from '../graphql/selected-fields.js';
import { changedAt } from '../graphql/updated-rows.js';

const bytes = flatOf<number>(exactInt64, 'INT64');
const nanoseconds = flatOf<bigint>(dateTime, 'INT64');
const hash = { kind: 'WORD' } as const;
const hex = (column: string): string => `encode(${column}, 'hex')`;

/** A check result, two bits at `shift`. Null for a block of the past: checks keep no history. */
const checkAt = (shift: number): FlatField<CheckResult | null> =>
  inFiles(
    'WORD',
    `CASE WHEN b.checks IS NOT NULL THEN coalesce(('{NOT_CHECKED,PASSED,FAILED}'::text[])[((b.checks >> ${shift}) & 3) + 1], 'NOT_CHECKED') END`,
  );

/** The flat fields of a block, in the column order of its files. GraphQL and files are both built from them. */
export const BLOCK_FIELDS = {
  nodeId: id('n.id', '`node.id`, for tools that want flat rows.', { column: 'node' }),
  chainId: text('l.chain_id', 'Id of its chain.'),
  lineage: text(
    "l.chain_id || '/' || l.n",
    '`chain/n`: the fork of the chain that the block belongs to. A proven difference opens the next fork.',
  ),
  height: int64('b.height', 'Its height in the chain.'),
  fileTime: inFiles<Micros>(
    'TIME',
    "'epoch'::timestamptz + b.time_ns / 1000 * interval '1 microsecond'",
    'time',
  ),
  time: nanoseconds('b.time_ns', 'When the block was made, as the proposer states; UTC.', {
    column: 'time_ns',
  }),
  hash: text.orNull(hex('b.hash'), "Header hash, computed; null under a scheme that we don't know.", hash),
  // A header whose parent hash the node left out (the first one) has empty bytes.
  lastHeaderHash: text.orNull(
    `nullif(${hex('coalesce(b.last_header_hash, parent.hash)')}, '')`,
    "Hash of the previous block's header; null if neither header states it, as for the first block.",
    hash,
  ),
  dataHash: text(
    `coalesce(${hex('b.data_hash')}, '${EMPTY_DATA_HASH}')`,
    'Hash of its transactions, from the header.',
    hash,
  ),
  appHash: text.orNull(
    hex('b.app_hash'),
    'Hash of the application state, from the header; null if the node left it out.',
    hash,
  ),
  proposerAddress: text(hex('p.proposer_address'), 'Address of the proposer, from the header.', hash),
  txCount: int('b.tx_count', 'Number of its transactions.'),
  dataBytes: int64('b.tx_bytes', "Sum of the transactions' bytes."),
  headerBlobBytes: bytes.orNull(
    'b.header_blob_bytes',
    "Computed size of its header as posted to the DA layer; null under a scheme that we don't know.",
  ),
  dataBlobBytes: bytes.orNull(
    'b.data_blob_bytes',
    "Computed size of its data as posted to the DA layer; 0 without transactions, null under a scheme that we don't know.",
  ),
  headerDaHeight: int64.orNull(
    'b.header_da_height',
    'DA height that includes its header; null while the header is not included.',
  ),
  dataDaHeight: int64.orNull(
    'b.data_da_height',
    'DA height that includes its data; same as `headerDaHeight` if the block has no transactions.',
  ),
  checksLink: checkAt(0),
  checksHash: checkAt(2),
  checksSignature: checkAt(4),
  checksProposer: checkAt(6),
  checksData: checkAt(8),
  updatedAt: inFiles<Micros | null>('TIME', changedAt('b')),
  withdrawn: inFiles<boolean>('BOOL', 'false'),
  nodeKey: key<number>('b.node_key'),
  lineageKey: key<number>('b.lineage_key'),
  n: key<number>('l.n'),
  fromPosition: key<bigint>('b.from_position'),
  headerIncludedPosition: key<bigint | null>('b.header_included_position'),
  dataIncludedPosition: key<bigint | null>('b.data_included_position'),
  change: key<bigint>('b.change'),
};

/** A row as {@link selectBlocks} reads it. Columns that no selected field needs are missing. */
export type BlockValues = FieldValues<typeof BLOCK_FIELDS>;

const NAME = ['nodeId', 'chainId', 'n', 'height'] as const;

/** Columns that other fields are looked up by; `recorded`: where the block is in the log. */
const NEEDS = {
  cursor: ['height', 'nodeKey', 'lineageKey', 'change'],
  id: NAME,
  versionId: NAME,
  node: ['nodeKey'],
  includedAt: ['nodeKey', 'lineageKey', 'height', 'txCount', 'headerDaHeight', 'dataDaHeight'],
  checks: ['checksLink', 'checksHash', 'checksSignature', 'checksProposer', 'checksData'],
  updatedAt: ['updatedAt'],
  recorded: ['fromPosition', 'headerIncludedPosition', 'dataIncludedPosition'],
} as const satisfies Readonly<Record<string, readonly (keyof BlockValues)[]>>;

const NAMES = `
      JOIN node n ON n.node_key = b.node_key
      JOIN lineage l ON l.lineage_key = b.lineage_key
      JOIN proposer p ON p.proposer_key = b.proposer_key`;
const PARENT = `
      LEFT JOIN block parent ON b.last_header_hash IS NULL AND parent.node_key = b.node_key
                            AND parent.lineage_key = b.lineage_key AND parent.height = b.height - 1`;

/** Joins for the fields of `block b`. */
export const BLOCK_NAMES = `${NAMES} ${PARENT}`;

/**
 * SQL of the blocks (`b`) that the statement `page` finds, with all their fields.
 * @param selected fields of a block; `cursor`: its cursor
 */
export function selectBlocks(page: string, selected: Selected = 'ALL'): string {
  const joins = selectsAny(selected, ['lastHeaderHash']) ? BLOCK_NAMES : NAMES;
  return `SELECT ${selectFields(BLOCK_FIELDS, NEEDS, selected)} FROM (${page}) b ${joins}`;
}
