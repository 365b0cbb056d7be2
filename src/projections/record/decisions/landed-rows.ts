import type { Explanation } from '../../../domain/evidence/explain-group.js';
import type { PossibleRow } from './possible-rows.js';
import { nameOf, type Row } from './row.js';

/** The failures that were found to have landed by the decisions of one step: each lands at most once. */
export class LandedRows {
  private readonly taken = new Set<string>();
  /** All rows of the attempt of each. */
  private readonly attempts = new Map<Row, readonly Row[]>();

  /** @param heights at which the step decides, in rising order */
  constructor(private readonly heights: ReadonlySet<bigint>) {}

  /** Whether a row may have landed at a DA height: it did so nowhere else, or where it is to be decided anew later. */
  isFree(row: Row, daHeight: bigint): boolean {
    if (this.taken.has(nameOf(row))) return false;
    if (row.daHeight === null || row.daHeight === daHeight) return true;
    return row.daHeight > daHeight && this.heights.has(row.daHeight);
  }

  /** Notes which rows are the attempt that explains a group. @returns the explanation */
  note<Explained extends Explanation<PossibleRow>>(
    explained: Explained,
    possible: readonly PossibleRow[],
  ): Explained {
    if (explained.outcome === 'LANDED') {
      const { attempt, row } = explained.attempt;
      const rows = possible.filter((each) => each.attempt === attempt).map((each) => each.row);
      this.attempts.set(row, rows);
    }
    return explained;
  }

  /** A failure landed. @returns all rows of its attempt, which are free no more */
  take(row: Row): readonly Row[] {
    const rows = this.attempts.get(row) ?? [row];
    for (const each of rows) this.taken.add(nameOf(each));
    return rows;
  }
}
