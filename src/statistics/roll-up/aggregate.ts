import { entryOf } from '../../domain/collections.js';
import { PriceBook, type Prices } from '../../domain/cost/price-book.js';
import type { Query } from '../../platform/sql.js';
import { addGroup, type CostGroup, groupRows, readPricedRow, type Unread } from './aggregation/group-rows.js';
import { blockRows, type BlockRow, type BlockStatistic, BlockSums } from './aggregation/block-sums.js';
import { type CarriedRow, carriedRows } from './aggregation/carried-rows.js';
import { countedRows } from './aggregation/counted-rows.js';
import { feeRows } from './aggregation/fee-rows.js';
import { readPages } from './aggregation/read-cursor.js';
import {
  cutUnits,
  type AggregationInput,
  type NumberedPiece,
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

/** What is added up besides the submissions of each unit, their gas and their cost. */
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
  { members, ...given }: AggregationInput & { readonly members?: Members },
  { carried, blocks }: AggregatedParts = { carried: true, blocks: true },
): Promise<UnitSums[]> {
  const sums = { statistics: new StatisticSums(units), blocks: new BlockSums(units) };
  const aggregation = new Aggregation(query, given, members ?? (await Members.load(query)), sums);
  await aggregation.addGroups(cutUnits(units, given.books));
  if (carried) await aggregation.addCarried(wholeUnits(units));
  if (blocks) await aggregation.addBlocks(wholeUnits(units));
  return units.map((_, unit) => ({ statistics: sums.statistics.of(unit), blocks: sums.blocks.of(unit) }));
}

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

/** One run over a set of units. */
class Aggregation {
  constructor(
    private readonly query: Query,
    private readonly given: AggregationInput,
    private readonly members: Members,
    private readonly sums: { readonly statistics: StatisticSums; readonly blocks: BlockSums },
  ) {}

  /** Adds counts, volume and cost. */
  async addGroups(pieces: readonly PricePiece[]): Promise<void> {
    const { books, knownAt } = this.given;
    const pricesOf = new PiecePrices(pieces, books);
    const sortOf = (piece: PricePiece) => ({ hasFees: this.members.hasFees(piece) });
    for (const [{ hasFees }, alike] of sorted(pieces, sortOf)) {
      const counted = countedRows(alike, this.members, knownAt);
      const fees = hasFees ? feeRows(knownAt) : '';
      const sql = `WITH ${counted.sql} ${fees} ${groupRows(hasFees)}`;
      await this.read(sql, counted.parameters, (row) => {
        const read = row as Unread<CostGroup> & { readonly bytes: string };
        const group = Object.assign(readPricedRow(read), { bytes: BigInt(read.bytes) });
        const sum = this.sums.statistics.open(pieces[group.piece]?.unit ?? 0, group);
        addGroup(sum, group, pricesOf.get(group.piece, group.chain));
      });
    }
  }

  /** Adds distributions, and how far included blocks reach. */
  async addCarried(pieces: readonly PricePiece[]): Promise<void> {
    const { knownAt } = this.given;
    const sortOf = (piece: PricePiece) => ({ isShared: this.members.isShared(piece) });
    for (const [{ isShared }, alike] of sorted(pieces, sortOf)) {
      const counted = countedRows(alike, this.members, knownAt);
      const sql = `WITH ${counted.sql} ${carriedRows(isShared, knownAt)}`;
      await this.read(sql, counted.parameters, (row) => {
        this.sums.statistics.addCarried(row as CarriedRow);
        this.sums.blocks.addCarried(row as CarriedRow);
      });
    }
  }

  async addBlocks(pieces: readonly PricePiece[]): Promise<void> {
    const sortOf = (piece: PricePiece) => ({ isShared: piece.nodeKey === 0 && this.members.isShared(piece) });
    for (const [{ isShared }, alike] of sorted(pieces, sortOf)) {
      const { sql, parameters } = blockRows(alike, this.members, isShared, this.given.knownAt);
      await this.read(sql, parameters, (row) => this.sums.blocks.addBlocks(row as BlockRow));
    }
  }

  private read(sql: string, parameters: readonly unknown[], onRow: (row: unknown) => void): Promise<void> {
    return readPages(this.query, { sql, parameters }, onRow, this.given.pageRows);
  }
}

/** The prices of pieces; they do not change within a piece. */
export class PiecePrices {
  private readonly found = new Map<string, Prices>();

  constructor(
    private readonly pieces: readonly PricePiece[],
    private readonly books: ReadonlyMap<string, PriceBook>,
  ) {}

  get(index: number, chain: string): Prices {
    const price = () => (this.books.get(chain) ?? NO_BOOK).at(this.pieces[index]?.fromUs ?? 0n);
    return entryOf(this.found, `${index} ${chain}`, price);
  }
}

const NO_BOOK = new PriceBook([]);

/** Groups pieces by how they are processed; each has its index. */
export function sorted<Sort extends Record<string, boolean>>(
  pieces: readonly PricePiece[],
  sortOf: (piece: PricePiece) => Sort,
): [Sort, NumberedPiece[]][] {
  const byName = new Map<string, [Sort, NumberedPiece[]]>();
  pieces.forEach((piece, index) => {
    const sort = sortOf(piece);
    const name = JSON.stringify(sort);
    entryOf(byName, name, (): [Sort, NumberedPiece[]] => [sort, []])[1].push({ ...piece, index });
  });
  return [...byName.values()];
}
