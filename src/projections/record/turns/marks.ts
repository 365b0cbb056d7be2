import { entryOf } from '../../../domain/collections.js';
import type { Micros, Nanos } from '../../../domain/time.js';
import { columnsOf } from '../../../platform/rows/row-columns.js';
import { RollUpMarkEntity } from '../../../tables/statistics/roll-up-mark.entity.js';
import type { Query } from '../../projection.js';
import { quarterOf, quarterOfBlock, quarterSql } from '../../quarters.js';
import type { Row } from '../decisions/row.js';

/** Whose figures a change of a row alters. */
export interface RowOwner {
  readonly nodeKey: number;
  readonly chainId: string | null;
}

/** A row that has gone over to another chain. */
export interface MovedRow {
  readonly row: Row;
  /** The chain that it left; null for none. */
  readonly before: string | null;
}

/** The node of marks of a chain's own figures. */
const THE_CHAIN = 0;
const newSet = (): Set<Micros> => new Set();

const COLUMNS = columnsOf(RollUpMarkEntity, 'nodeKey', 'chain', 'quarterAt');

/**
 * The quarter hours whose figures a batch alters, of nodes and of chains; each is written once a batch.
 * Rather one too many than one too few: a mark too many costs one computation.
 */
export class MarkBook {
  private readonly nodes = new Map<number, Set<Micros>>();
  private readonly chains = new Map<string, Set<Micros>>();

  /** A row that a node showed, as it is after the batch or as it was before. */
  addRow(owner: RowOwner, at: Micros): void {
    entryOf(this.nodes, owner.nodeKey, newSet).add(quarterOf(at));
    this.addOfChain(owner.chainId, at);
  }

  /** A row that only the chain's figures change with. @param chain null: of none */
  addOfChain(chain: string | null, at: Micros): void {
    if (chain !== null) entryOf(this.chains, chain, newSet).add(quarterOf(at));
  }

  addBlock(owner: RowOwner, timeNs: Nanos): void {
    this.addRow(owner, quarterOfBlock(timeNs));
  }

  async write(query: Query): Promise<void> {
    const marks: Pick<RollUpMarkEntity, 'nodeKey' | 'chain' | 'quarterAt'>[] = [];
    for (const [nodeKey, quarters] of this.nodes) {
      for (const quarterAt of quarters) marks.push({ nodeKey, chain: '', quarterAt });
    }
    for (const [chain, quarters] of this.chains) {
      for (const quarterAt of quarters) marks.push({ nodeKey: THE_CHAIN, chain, quarterAt });
    }
    if (marks.length === 0) return;
    const added = COLUMNS.unnest(marks);
    await query(
      `INSERT INTO roll_up_mark (${added.names}) SELECT ${added.names} FROM ${added.sql}`,
      added.parameters,
    );
  }
}

/** Marks the figures of the chain that rows have left. */
export async function markMoved(moved: readonly MovedRow[], marks: MarkBook, query: Query): Promise<void> {
  if (moved.length === 0) return;
  for (const { row, before } of moved) marks.addOfChain(before, row.timeAt);
  // Fees of a DA height belong to the submissions there, one after the other: without these rows to others of them.
  const chains = new Set(moved.flatMap(({ row, before }) => [row.chainId, before]));
  const neighbours = await query<RowOwner & { quarter: Micros }>(
    `SELECT DISTINCT w.node_key AS "nodeKey", w.chain_id AS "chainId", ${quarterSql('w.time_at')} AS quarter FROM submission w
      WHERE w.da_height = ANY ($1::bigint[]) AND w.chain_id = ANY ($2::text[]) AND w.node_key IS NOT NULL`,
    [moved.flatMap(({ row }) => row.daHeight ?? []), [...chains]],
  );
  for (const row of neighbours) marks.addRow(row, row.quarter);
}
