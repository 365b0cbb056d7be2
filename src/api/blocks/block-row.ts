import { selectList } from '../../platform/rows/row-columns.js';
import { BlockEntity } from '../../tables/record/block.entity.js';
import type { LineageEntity } from '../../tables/record/lineage.entity.js';
import type { ProposerEntity } from '../../tables/record/proposer.entity.js';
import { columnsOfFields, type Selected } from '../graphql/selected-fields.js';
import { joinLists } from '../graphql/sql-text.js';
import { changedAt, type ChangedRow } from '../graphql/updated-rows.js';

/** The columns that a field is made of, or that it is looked up by. Of names and hashes that other tables hold see below. */
const MADE_OF = {
  /** Its place in the list. */
  cursor: ['height', 'nodeKey', 'lineageKey'],
  id: ['height'],
  versionId: ['height'],
  node: ['nodeKey'],
  includedAt: ['nodeKey', 'lineageKey', 'height', 'txCount', 'headerDaHeight', 'dataDaHeight'],
  height: ['height'],
  time: ['timeNs'],
  hash: ['hash'],
  lastHeaderHash: ['lastHeaderHash'],
  dataHash: ['dataHash'],
  appHash: ['appHash'],
  txCount: ['txCount'],
  dataBytes: ['txBytes'],
  headerBlobBytes: ['headerBlobBytes'],
  dataBlobBytes: ['dataBlobBytes'],
  headerDaHeight: ['headerDaHeight'],
  dataDaHeight: ['dataDaHeight'],
  checks: ['checks'],
  updatedAt: ['change'],
} as const satisfies Readonly<Record<string, readonly (keyof BlockEntity)[]>>;
type Column = (typeof MADE_OF)[keyof typeof MADE_OF][number];

/** A row as {@link selectBlocks} reads it. A column that no selected field is made of is missing. */
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
 * @param selected of the fields of a block, `cursor` stands for its place; with all of them every column is read
 */
export function selectBlocks(page: string, selected: Selected = 'ALL'): string {
  const columns = columnsOfFields<Column>(selected, MADE_OF);
  const hasParent = columns.has('lastHeaderHash');
  return `
    SELECT ${joinLists(
      selectList(BlockEntity, 'b', selected === 'ALL' ? undefined : [...columns]),
      'l.chain_id AS "chainId", l.n, p.proposer_address AS "proposerAddress", n.id AS "nodeId"',
      hasParent && 'parent.hash AS "parentHash"',
      columns.has('change') && `${changedAt('b')} AS "updatedAt"`,
    )}
      FROM (${page}) b
      JOIN lineage l ON l.lineage_key = b.lineage_key
      JOIN proposer p ON p.proposer_key = b.proposer_key
      JOIN node n ON n.node_key = b.node_key${hasParent ? PARENT : ''}`;
}
