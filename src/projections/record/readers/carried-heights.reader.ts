import { entryOf } from '../../../domain/collections.js';
import { Inject, Injectable } from '@nestjs/common';
import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import type { SubmissionKind } from '../../../domain/submissions/submission-codes.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Database } from '../../../platform/sql.js';
import { blockKnownAt } from './known-at.js';

/** By which a submission's blocks are found. */
export interface CarriedBy {
  readonly lineageKey: number | null;
  readonly kind: SubmissionKind;
  readonly daHeight: bigint | null;
  /** The first and last block, where it carried every blob of its kind and DA height between them. */
  readonly blockFrom: bigint | null;
  readonly blockTo: bigint | null;
  readonly blobCount: number | null;
}

const RUNS = columnsFor({
  index: 'int4',
  lineageKey: 'int4',
  daHeight: 'int8',
  blockFrom: 'int8',
  blockTo: 'int8',
});

/** Reads which blocks a submission carried. */
@Injectable()
export class CarriedHeightsReader {
  constructor(@Inject(ReadDatabase) private readonly source: Pick<Database, 'query'>) {}

  /**
   * Heights in ascending order, one list for each submission; empty where no block shows it, or not all of its blocks are known.
   *
   * @param knownAt position of the log at which the rows were as they are given; now when left out
   */
  async getCarriedHeights(submissions: readonly CarriedBy[], knownAt?: bigint): Promise<bigint[][]> {
    const runs = submissions.flatMap(({ lineageKey, daHeight, blockFrom, blockTo }, index) =>
      blockFrom === null || lineageKey === null || daHeight === null
        ? []
        : [{ index, lineageKey, daHeight, blockFrom, blockTo }],
    );
    if (runs.length === 0) return submissions.map(() => []);
    const { sql, parameters } = RUNS.unnest(runs, 'run');
    const { where, columns } = blockKnownAt(knownAt, 'b');
    const select = (kind: BlobKind, column: string, known: string, condition = '') => `
      SELECT DISTINCT run.index, '${kind}' AS kind, b.height
        FROM run JOIN block b ON b.lineage_key = run.lineage_key AND b.${column} = run.da_height ${condition}
                             AND b.height BETWEEN run.block_from AND run.block_to
       WHERE ${where} AND ${known} IS NOT NULL`;
    const rows = await this.source.query<{ index: number; kind: BlobKind; height: bigint }[]>(
      `WITH run AS (SELECT * FROM ${sql})
       ${select('HEADER', 'header_da_height', columns.headerDaHeight)} UNION ALL
       ${select('DATA', 'data_da_height', columns.dataDaHeight, 'AND b.tx_count > 0')} ORDER BY height`,
      [...parameters],
    );
    const found = new Map<string, bigint[]>();
    for (const { index, kind, height } of rows) {
      entryOf(found, `${index} ${kind}`, () => []).push(height);
    }
    return submissions.map(({ kind, blobCount }, index) => {
      const [headers = [], data = []] = BLOB_KINDS.map((each) => found.get(`${index} ${each}`));
      if (kind === 'HEADER' || kind === 'DATA') return kind === 'HEADER' ? headers : data;
      // Headers and data share its namespace: its number of blobs tells which of them they were, if not both are of the same blocks.
      const [heights = [], other = heights] = [headers, data].filter(({ length }) => length === blobCount);
      return heights.every((height, n) => height === other[n]) ? heights : [];
    });
  }
}
