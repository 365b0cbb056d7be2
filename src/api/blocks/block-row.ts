import { selectList } from '../../platform/rows/row-columns.js';
import { BlockEntity } from '../../tables/record/block.entity.js';
import type { LineageEntity } from '../../tables/record/lineage.entity.js';
import type { ProposerEntity } from '../../tables/record/proposer.entity.js';
import { columnsOfFields, type Selected } from '../graphql/selected-fields.js';
import { changedAt, type ChangedRow } from '../graphql/updated-rows.js';

/** What a block is placed and named by, and what takes little to read. */
const ALWAYS = [
  'nodeKey',
  'lineageKey',
  'height',
  'timeNs',
  'txCount',
  'headerBlobBytes',
  'dataBlobBytes',
  'checks',
] as const satisfies readonly (keyof BlockEntity)[];

/** What is read for some fields only. */
const MADE_OF = {
  hash: ['hash'],
  lastHeaderHash: ['lastHeaderHash'],
  dataHash: ['dataHash'],
  appHash: ['appHash'],
  dataBytes: ['txBytes'],
  headerDaHeight: ['headerDaHeight'],
  dataDaHeight: ['dataDaHeight'],
  updatedAt: ['change'],
} as const satisfies Readonly<Record<string, readonly (keyof BlockEntity)[]>>;
type Sometimes = (typeof MADE_OF)[keyof typeof MADE_OF][number];

/** A row as {@link selectBlocks} reads it. A column that is made into no selected field is missing. */
export interface BlockRow
  extends
    Omit<BlockEntity, 'checks'>,
    Pick<LineageEntity, 'chainId' | 'n'>,
    Pick<ProposerEntity, 'proposerAddress'>,
    ChangedRow {
  /** Null of a block as it was known: checks keep no history. */
  readonly checks: number | null;
  /** Hash of the block before, where its own header need not say it. */
  readonly parentHash: string | null;
  /** Id of the node. */
  readonly nodeId: string;
}

const PARENT = `
      LEFT JOIN block parent ON b.last_header_hash IS NULL AND parent.node_key = b.node_key
                            AND parent.lineage_key = b.lineage_key AND parent.height = b.height - 1`;

/**
 * The blocks (`b`) that a statement finds, and what they leave out.
 *
 * @param selected of the fields of a block; with all of them every column is read
 */
export function selectBlocks(page: string, selected: Selected = 'ALL'): string {
  const columns = columnsOfFields<Sometimes>(selected, MADE_OF);
  const hasParent = columns.has('lastHeaderHash');
  return `
    SELECT ${selectList(BlockEntity, 'b', selected === 'ALL' ? undefined : [...ALWAYS, ...columns])},
           l.chain_id AS "chainId", l.n, p.proposer_address AS "proposerAddress", n.id AS "nodeId"
           ${hasParent ? ', parent.hash AS "parentHash"' : ''}${columns.has('change') ? `, ${changedAt('b')} AS "updatedAt"` : ''}
      FROM (${page}) b
      JOIN lineage l ON l.lineage_key = b.lineage_key
      JOIN proposer p ON p.proposer_key = b.proposer_key
      JOIN node n ON n.node_key = b.node_key${hasParent ? PARENT : ''}`;
}
