import { Inject, Injectable } from '@nestjs/common';
import { kindCodeOf, type SubmissionKind } from '../../../domain/submissions/submission-codes.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import type { Database } from '../../../platform/sql.js';
import { loadPriceBooks } from '../../../projections/prices/prices.js';
import { readCostLines, type CostLine } from '../../roll-up/cost-lines.js';
import type { Unit } from '../../roll-up/aggregation/unit.js';
import { inSnapshot } from '../../../platform/snapshot.js';

export interface CostKey extends Pick<
  CostLine,
  'nodeKey' | 'sequence' | 'lineageKey' | 'daHeight' | 'timeAt'
> {
  readonly chain: string | null;
  readonly kind: SubmissionKind;
}

@Injectable()
export class CostLinesReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /**
   * One line for each submission, in their order; undefined for a failed attempt that did not land. A row of a node has the
   * cost that the node's own figures count.
   * @param knownAt position of the log: rows and prices as they were known there
   */
  getCosts(submissions: readonly CostKey[], knownAt: bigint | undefined): Promise<(CostLine | undefined)[]> {
    const units = new Map<string, Unit>();
    const names = submissions.map(({ nodeKey, sequence, lineageKey, kind, daHeight }) =>
      nameOf({ nodeKey, sequence, lineageKey, kind: kindCodeOf(kind), daHeight }),
    );
    const wanted = new Set(names);
    for (const { nodeKey, chain, timeAt } of submissions) {
      const owner = nodeKey === null ? { nodeKey: 0, chain: chain ?? '' } : { nodeKey, chain: '' };
      const unit = { ...owner, fromUs: timeAt, toUs: timeAt + 1n };
      units.set(`${unit.nodeKey} ${unit.chain} ${timeAt}`, unit);
    }
    return inSnapshot(this.reads, async (query) => {
      const books = await loadPriceBooks(query, { knownAt });
      const found = new Map<string, CostLine>();
      await readCostLines(query, [...units.values()], { books, knownAt }, (line) => {
        // A node may show any number of rows with the same time.
        const name = nameOf(line);
        if (wanted.has(name)) found.set(name, line);
      });
      return names.map((name) => found.get(name));
    });
  }
}

function nameOf(row: Pick<CostLine, 'nodeKey' | 'sequence' | 'lineageKey' | 'kind' | 'daHeight'>): string {
  const { nodeKey, sequence, lineageKey, kind, daHeight } = row;
  return nodeKey === null ? `${lineageKey} ${kind} ${daHeight}` : `${nodeKey}/${sequence}`;
}
