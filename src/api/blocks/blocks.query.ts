import { Inject, Injectable } from '@nestjs/common';
import { toHashKey } from '../../domain/blocks/block-locator.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { ChangesReader } from '../../projections/record/readers/changes.reader.js';
import { blocksKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { BlockEntity } from '../../tables/record.entities.js';
import { toPage, toPageRequest, type Page, type PagingArgs } from '../graphql/connection.js';
import { codecFor, cursorsOf, keysetOrder, orderOf, type PageRequest } from '../graphql/keyed-list.js';
import type { Selected } from '../graphql/selected-fields.js';
import { limitOf, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, untilAsOf, type Past, type TravelArgs } from '../graphql/time-travel.js';
import { changeKey, findFirstChange } from '../graphql/updated-rows.js';
import { filterBlocks, keyConditions, lineConditions } from './block-filter.js';
import { BLOCK_ID_KEY, BLOCK_KEY } from './block-order.js';
import { selectLine } from './block-page.js';
import { selectBlocks, type BlockValues } from './block-fields.js';
import { Block, BlockOrder, type BlockFilter } from './block.type.js';

const CURSORS = cursorsOf<BlockValues>('blocks', BLOCK_KEY, ({ height, nodeKey, lineageKey }) => [
  height,
  nodeKey,
  lineageKey,
]);
const CHANGE_KEY = changeKey('b', BLOCK_ID_KEY);
const CHANGE_CURSORS = cursorsOf<BlockValues>('blocks-changes', CHANGE_KEY, (row) => [
  row.change,
  row.nodeKey,
  row.lineageKey,
  row.height,
]);
const KEYS = columnsOf(BlockEntity, 'nodeKey', 'lineageKey', 'height');
const IS_PRESENT = 'b.lineage_key IS NOT DISTINCT FROM own.lineage_key';

/** Every node and lineage with blocks, and the height up to which all of them are included. Hops over the primary key. */
const LINES = `
  RECURSIVE hop AS (
    (SELECT node_key, lineage_key FROM block ORDER BY node_key, lineage_key LIMIT 1)
    UNION ALL
    SELECT next.node_key, next.lineage_key
      FROM hop CROSS JOIN LATERAL (
        SELECT node_key, lineage_key FROM block
         WHERE (node_key, lineage_key) > (hop.node_key, hop.lineage_key)
         ORDER BY node_key, lineage_key LIMIT 1) next
  ), line AS (
    SELECT hop.node_key, hop.lineage_key, coalesce(walk.frontier, -1) AS frontier
      FROM hop
      JOIN node n ON n.node_key = hop.node_key
      JOIN lineage l ON l.lineage_key = hop.lineage_key
      LEFT JOIN inclusion_walk walk ON walk.node_key = hop.node_key AND walk.lineage_key = hop.lineage_key`;

/** The key of a stored block. */
export type BlockRowKey = Pick<BlockEntity, 'nodeKey' | 'lineageKey' | 'height'>;

/** Selects the latest of the blocks that were known at position `upTo` of the log; of one lineage, if named. */
export interface BlockSelection {
  readonly upTo?: bigint;
  readonly chain?: string | undefined;
  readonly lineage?: number | undefined;
}

/**
 * How to find a block of a node. `hash` is the header's hash, `signedHash` the hash of the signed header by which the real node
 * finds it.
 */
export type WantedBlock =
  { readonly height: bigint } | { readonly hash: Buffer } | { readonly signedHash: Buffer } | 'newest';
type BlockSelectionOrNow = BlockSelection | 'NOW';

@Injectable()
export class BlocksQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly changes: ChangesReader,
  ) {}

  /** A page of blocks; of changed blocks, the first change comes first. @param selected fields to read */
  async getBlocks(
    wished: BlockFilter,
    order: BlockOrder,
    args: PagingArgs,
    travel: TravelArgs = {},
    selected: Selected = 'ALL',
  ): Promise<Page<Block>> {
    const firstChange = await findFirstChange(this.changes, wished, travel);
    const past = await findPast(this.reads, travel);
    const filter = untilAsOf(wished, past);
    if (firstChange !== undefined) {
      const codec = codecFor(CHANGE_CURSORS, wished, travel);
      const request = toPageRequest(args, codec);
      const rows = await this.getChangedRows(filter, firstChange, request);
      return toPage(request, rows, codec, (row) => new Block(row, past));
    }
    const codec = codecFor(CURSORS, { order, wished }, travel);
    const request = toPageRequest(args, codec);
    const parameters = new SqlParameters();
    const ascends = order === BlockOrder.HEIGHT_ASC;
    const orderBy = orderOf(BLOCK_KEY, ascends === request.backwards ? 'DESC' : 'ASC');
    const limit = limitOf(request.size + 1);
    const ofLine = selectLine({ filter, past, request, ascends, limit }, parameters);
    const page = `WITH ${LINES} ${whereAll(lineConditions(filter, parameters))})
       SELECT b.* FROM line CROSS JOIN LATERAL (${ofLine}) b ORDER BY ${orderBy} LIMIT ${limit}`;
    const rows = await this.reads.query<BlockValues[]>(
      `${selectBlocks(page, selected)} ORDER BY ${orderBy}`,
      parameters.values,
    );
    return toPage(request, rows, codec, (row) => new Block(row, past));
  }

  private getChangedRows(
    filter: BlockFilter,
    firstChange: bigint,
    request: PageRequest,
  ): Promise<BlockValues[]> {
    const parameters = new SqlParameters();
    const keyset = keysetOrder(CHANGE_KEY, request, true, parameters);
    const conditions = [
      ...keyConditions(filter, parameters),
      ...filterBlocks(filter, parameters),
      ...parameters.compare('b.change', '>=', firstChange),
      ...keyset.conditions,
    ];
    const order = `ORDER BY ${keyset.orderBy}`;
    const limit = limitOf(request.size + 1);
    return this.reads.query<BlockValues[]>(
      `${selectBlocks(`SELECT b.* FROM block b ${whereAll(conditions)} ${order} LIMIT ${limit}`)} ${order}`,
      parameters.values,
    );
  }

  /** The blocks with these keys, in the same order; undefined if there is none. */
  async getRows(keys: readonly BlockRowKey[]): Promise<(Block | undefined)[]> {
    const wanted = KEYS.unnest(keys, 'wanted');
    const page = `SELECT b.* FROM ${wanted.sql} JOIN block b USING (node_key, lineage_key, height)`;
    const rows = await this.reads.query<BlockValues[]>(selectBlocks(page), [...wanted.parameters]);
    const nameOf = ({ nodeKey, lineageKey, height }: BlockRowKey): string =>
      `${nodeKey}/${lineageKey}/${height}`;
    const found = new Map(rows.map((row) => [nameOf(row), new Block(row)]));
    return keys.map((key) => found.get(nameOf(key)));
  }

  /** The node's block at a height. If it has several: the one of its present lineage, else of the latest lineage. */
  async findBlockByHeight(
    nodeId: string,
    height: bigint,
    travel: TravelArgs = {},
  ): Promise<Block | undefined> {
    return this.findBlock(nodeId, { height }, travel);
  }

  async findBlockByHash(nodeId: string, hash: Buffer, travel: TravelArgs = {}): Promise<Block | undefined> {
    return this.findBlock(nodeId, { hash }, travel);
  }

  /** The node's block at a height in one history of its chain. */
  async findBlockOf(
    nodeId: string,
    { height, chain, lineage }: { height: bigint; chain: string; lineage: number },
    travel: TravelArgs,
  ): Promise<Block | undefined> {
    const past = await findPast(this.reads, travel);
    const row = await this.findRowIn(past, nodeId, { height }, { chain, lineage });
    return row && new Block(row, past);
  }

  private async findBlock(
    nodeId: string,
    wanted: WantedBlock,
    travel: TravelArgs,
  ): Promise<Block | undefined> {
    const past = await findPast(this.reads, travel);
    const row = await this.findRowIn(past, nodeId, wanted);
    return row && new Block(row, past);
  }

  /**
   * Finds a block as it is stored.
   *
   * @param shown `NOW`: only blocks of the present lineage, as the node would show them now; else {@link BlockSelection}
   */
  async findRow(
    nodeId: string,
    wanted: WantedBlock,
    travel: TravelArgs = {},
    shown?: BlockSelectionOrNow,
  ): Promise<BlockValues | undefined> {
    return this.findRowIn(await findPast(this.reads, travel), nodeId, wanted, shown);
  }

  private async findRowIn(
    past: Past,
    nodeId: string,
    wanted: WantedBlock,
    shown?: BlockSelectionOrNow,
  ): Promise<BlockValues | undefined> {
    const { condition, order, values } = toCondition(wanted);
    // Few blocks have a given hash; the sum keeps the planner from also scanning all blocks of a node.
    const sum = wanted === 'newest' || 'height' in wanted ? '' : ' + 0';
    const parameters = new SqlParameters();
    parameters.values.push(nodeId);
    for (const value of values) parameters.values.push(value);
    const conditions = [
      condition,
      ...filterBlocks(untilAsOf({}, past), parameters),
      ...(shown === 'NOW' ? [IS_PRESENT] : shownConditions(shown, parameters)),
    ];
    const { upTo: knownAt = past.knownAt } = typeof shown === 'object' ? shown : {};
    const latest = typeof shown === 'object' ? 'b.from_position DESC' : 'b.is_present DESC, l.n DESC';
    const page = `
      SELECT b.*, ${IS_PRESENT} AS is_present
        FROM node own JOIN lineage any_lineage ON true
        JOIN ${blocksKnownAt(knownAt)}
          ON b.node_key${sum} = own.node_key AND b.lineage_key${sum} = any_lineage.lineage_key
       WHERE own.id = $1::text AND ${conditions.join(' AND ')} ${order}`;
    const rows = await this.reads.query<BlockValues[]>(
      `${selectBlocks(page)} ORDER BY ${latest} LIMIT 1`,
      parameters.values,
    );
    return rows[0];
  }
}

function shownConditions(shown: BlockSelection | undefined, parameters: SqlParameters): string[] {
  return [
    ...(shown?.chain === undefined ? [] : [`any_lineage.chain_id = ${parameters.add(shown.chain, 'text')}`]),
    ...(shown?.lineage === undefined ? [] : [`any_lineage.n = ${parameters.add(shown.lineage, 'int')}`]),
  ];
}

function toCondition(wanted: WantedBlock): {
  condition: string;
  order: string;
  values: readonly unknown[];
} {
  if (wanted === 'newest') {
    const order = 'ORDER BY b.height DESC LIMIT 1';
    return { condition: 'any_lineage.lineage_key = own.lineage_key', order, values: [] };
  }
  if ('height' in wanted) return { condition: 'b.height = $2::bigint', order: '', values: [wanted.height] };
  if ('signedHash' in wanted) {
    const values = [toHashKey(wanted.signedHash.toString('hex'))];
    return { condition: 'b.signed_mark = $2::bigint', order: '', values };
  }
  return {
    condition: 'substr(b.hash, 1, 8) = substr($2::bytea, 1, 8) AND b.hash = $2::bytea',
    order: '',
    values: [wanted.hash],
  };
}
