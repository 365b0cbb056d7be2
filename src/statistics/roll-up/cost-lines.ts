import type { Decimal } from '../../domain/cost/decimal.js';
import type { PriceBook, Prices } from '../../domain/cost/price-book.js';
import { costOfSubmission, fiatOf, type CostBounds } from '../../domain/cost/submission-cost.js';
import type { Micros } from '../../domain/time.js';
import type { Query } from '../../platform/sql.js';
import { readPriced, type Unit } from './aggregate.js';
import {
  pricedColumns,
  pricedRows,
  readPricedRow,
  RowClass,
  type PricedRow,
  type Unread,
} from './aggregation/group-rows.js';
import { Members } from './members.js';

/** A submission with its cost. The cost of a time is the sum of these lines. */
export interface CostLine extends CostBounds {
  /** Null for a submission that no list showed. */
  readonly nodeKey: number | null;
  readonly sequence: bigint | null;
  readonly lineageKey: number | null;
  readonly chain: string;
  readonly namespaceKey: number;
  readonly kind: number;
  readonly status: number;
  readonly evidence: number;
  readonly timeAt: Micros;
  readonly daHeight: bigint | null;
  readonly blobCount: bigint | null;
  readonly sizeBytes: bigint | null;
  /** The fee at the rate of its time; null if the fee or the rate is not known. */
  readonly fiat: { readonly unit: string; readonly min: Decimal; readonly max: Decimal } | null;
}

type LineRow = Unread<PricedRow> & Omit<CostLine, keyof CostBounds | 'fiat'>;

/**
 * Passes on each submission that counts towards the cost of some units, by time within a unit; failed attempts that did not
 * land do not count, and are passed on apart. Submissions are classified and priced as in the roll-up, so that they add up to its stored sums.
 * @param query of one connection inside a transaction: rows are fetched through cursors
 * @param given the prices by chain, and the position of the log at which rows were known
 * @param afterPage awaited after some thousand lines: nothing is read meanwhile
 */
export async function readCostLines(
  query: Query,
  units: readonly Unit[],
  given: {
    readonly books: ReadonlyMap<string, PriceBook>;
    readonly knownAt?: bigint | undefined;
    /** Called with each failed attempt that did not land; its cost is what it was charged at most. */
    readonly onFailed?: (line: CostLine) => void;
  },
  onLine: (line: CostLine) => void,
  afterPage?: () => Promise<void>,
): Promise<void> {
  const members = await Members.load(query);
  const pass = (read: unknown, prices: Prices): void => {
    const row = read as LineRow;
    const take = row.rowClass === RowClass.FAILED ? given.onFailed : onLine;
    take?.(toLine(row, prices));
  };
  await readPriced(query, units, { ...given, members }, lineRows, pass, afterPage);
}

function lineRows(hasFees: boolean): string {
  return `SELECT ${pricedColumns(hasFees)}, r.size_bytes AS "sizeBytes", r.node_key AS "nodeKey", r.sequence,
      r.lineage_key AS "lineageKey", r.evidence, r.time_at AS "timeAt", r.da_height AS "daHeight"
    ${pricedRows(hasFees)}
    ORDER BY r.piece, r.time_at, r.node_key NULLS LAST, r.sequence, r.kind, r.da_height`;
}

function toLine(unread: LineRow, prices: Prices): CostLine {
  const row = readPricedRow(unread);
  const cost = costOfSubmission(row, prices);
  const { fiat } = prices;
  return {
    ...row,
    ...cost,
    fiat: cost.fee &&
      fiat && { unit: fiat.unit, min: fiatOf(cost.fee.min, fiat), max: fiatOf(cost.fee.max, fiat) },
  };
}
