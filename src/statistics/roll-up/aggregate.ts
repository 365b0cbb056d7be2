import { entryOf, groupBy } from '../../domain/collections.js';
import { PriceBook, type Prices } from '../../domain/cost/price-book.js';
import type { Query } from '../../platform/sql.js';
import {
  addGroup,
  type CostGroup,
  groupRows,
  type PricedRow,
  readPricedRow,
  type Unread,
} from './aggregation/group-rows.js';
import { blockRows, type BlockRow, type BlockStatistic, BlockSums } from './aggregation/block-sums.js';
import { type CarriedRow, carriedRows } from './aggregation/carried-rows.js';
import { countedRows } from './aggregation/counted-rows.js';
import { feeRows } from './aggregation/fee-rows.js';
import { readPages } from './aggregation/read-cursor.js';
import {
  cutUnits,
  type AggregationInput,
  type PricePiece,
  type Unit,
  wholeUnits,
} from './aggregation/unit.js';
import { Members } from './members.js';
import { STATISTIC_SUMS, type Statistic, type StatisticSum, StatisticSums } from './statistic.js';

export type { Statistic } from './statistic.js';
export type { AggregationInput, Unit } from './aggregation/unit.js';

/** The sums of a unit: statistics by chain, namespace, kind and status, and block sums by lineage. */
export interface UnitSums {
  readonly statistics: Statistic[];
  readonly blocks: BlockStatistic[];
}

/** Sums of a unit besides its submissions, their gas and their cost. */
interface AggregatedParts {
  /** Distributions, and how far included blocks reach. */
  readonly carried: boolean;
  readonly blocks: boolean;
}

/**
 * Adds up the submissions of each unit.
 *
 * @param query of one connection inside a transaction: rows are fetched through cursors
 * @returns for each unit its statistics, one for each chain, namespace, kind and status that occurs, and its blocks
 */
export async function aggregate(
  query: Query,
  units: readonly Unit[],
  { members: loaded, ...given }: AggregationInput & { readonly members?: Members },
  parts: AggregatedParts = { carried: true, blocks: true },
): Promise<UnitSums[]> {
  const { knownAt, pageRows } = given;
  const members = loaded ?? (await Members.load(query));
  const [statistics, blocks] = [new StatisticSums(units), new BlockSums(units)];
  await readPriced(query, units, { ...given, members }, groupRows, (row, prices, unit) => {
    const read = row as Unread<CostGroup> & { readonly bytes: string };
    const group = Object.assign(readPricedRow(read), { bytes: BigInt(read.bytes) });
    addGroup(statistics.open(unit, group), group, prices);
  });
  const pieces = wholeUnits(units);
  if (parts.carried)
    for (const [isShared, alike] of groupBy(pieces, (piece) => members.isShared(piece))) {
      const counted = countedRows(alike, members, knownAt);
      const sql = `WITH ${counted.sql} ${carriedRows(isShared, knownAt)}`;
      const add = (row: unknown): void => {
        statistics.addCarried(row as CarriedRow);
        blocks.addCarried(row as CarriedRow);
      };
      await readPages(query, { sql, parameters: counted.parameters }, add, pageRows);
    }
  const sharesBlocks = (piece: PricePiece): boolean => piece.nodeKey === 0 && members.isShared(piece);
  if (parts.blocks)
    for (const [isShared, alike] of groupBy(pieces, sharesBlocks)) {
      const rows = blockRows(alike, members, isShared, knownAt);
      await readPages(query, rows, (row) => blocks.addBlocks(row as BlockRow), pageRows);
    }
  return units.map((_, unit) => ({ statistics: statistics.of(unit), blocks: blocks.of(unit) }));
}

/**
 * Passes on the rows of a statement about priced rows, with the prices that apply to them, and the index of their unit.
 * @param select SQL that follows the common table expressions with `r` and, if there are fees, `fee`
 * @param afterPage awaited after some thousand rows: nothing is read meanwhile
 */
export async function readPriced(
  query: Query,
  units: readonly Unit[],
  { books, knownAt, pageRows, members }: AggregationInput & { readonly members: Members },
  select: (hasFees: boolean) => string,
  onRow: (row: unknown, prices: Prices, unit: number) => void,
  afterPage?: () => Promise<void>,
): Promise<void> {
  const pieces = cutUnits(units, books);
  const known = new Map<string, Prices>();
  const onRead = (read: unknown): void => {
    const row = read as PricedRow;
    const { fromUs = 0n, unit = 0 } = pieces[row.piece] ?? {};
    const price = (): Prices => (books.get(row.chain) ?? NO_BOOK).at(fromUs);
    // Prices do not change within a piece.
    onRow(row, entryOf(known, `${row.piece} ${row.chain}`, price), unit);
  };
  for (const [hasFees, alike] of groupBy(pieces, (piece) => members.hasFees(piece))) {
    const counted = countedRows(alike, members, knownAt);
    const sql = `WITH ${counted.sql} ${hasFees ? feeRows(knownAt) : ''} ${select(hasFees)}`;
    await readPages(query, { sql, parameters: counted.parameters }, onRead, pageRows, afterPage);
  }
}

const NO_BOOK = new PriceBook([]);

/** The statistics of one unit, and their sums; without blocks. */
export async function sumUp(
  query: Query,
  unit: Unit,
  given: AggregationInput,
  carried = false,
): Promise<{
  readonly statistics: readonly Statistic[];
  readonly sums: Readonly<Record<StatisticSum, bigint>>;
}> {
  const [{ statistics } = { statistics: [] }] = await aggregate(query, [unit], given, {
    carried,
    blocks: false,
  });
  const sums = STATISTIC_SUMS.map((name) => [name, statistics.reduce((sum, row) => sum + row[name], 0n)]);
  return { statistics, sums: Object.fromEntries(sums) as Record<StatisticSum, bigint> };
}
