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
  readonly sizeBytes: bigint | null;
}

const RUNS = columnsFor({
  index: 'int4',
  lineageKey: 'int4',
  daHeight: 'int8',
  blockFrom: 'int8',
  blockTo: 'int8',
});

/** A block whose blob it carried, if its blobs are of that kind. */
interface Carried {
  readonly index: number;
  readonly kind: BlobKind;
  readonly height: bigint;
  readonly bytes: number | null;
}

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
    const select = (kind: BlobKind, name: string, known: string, condition = '') => `
      SELECT DISTINCT ON (run.index, b.height) run.index, '${kind}' AS kind, b.height, b.${name}_blob_bytes AS bytes
        FROM run JOIN block b ON b.lineage_key = run.lineage_key AND b.${name}_da_height = run.da_height ${condition}
                             AND b.height BETWEEN run.block_from AND run.block_to
       WHERE ${where} AND ${known} IS NOT NULL`;
    const rows = await this.source.query<Carried[]>(
      `WITH run AS (SELECT * FROM ${sql})
       (${select('HEADER', 'header', columns.headerDaHeight)}) UNION ALL
       (${select('DATA', 'data', columns.dataDaHeight, 'AND b.tx_count > 0')}) ORDER BY height`,
      [...parameters],
    );
    const found = new Map<string, Carried[]>();
    for (const row of rows) {
      const name = `${row.index} ${row.kind}`;
      const list = found.get(name);
      if (list) list.push(row);
      else found.set(name, [row]);
    }
    return submissions.map((submission, index) => {
      const [headers = [], data = []] = BLOB_KINDS.map((each) => found.get(`${index} ${each}`));
      return listOf(submission, headers, data).map(({ height }) => height);
    });
  }
}

/** Where headers and data share its namespace its number of blobs tells which of them they were, or else their bytes. */
function listOf(
  { kind, blobCount, sizeBytes }: CarriedBy,
  headers: readonly Carried[],
  data: readonly Carried[],
): readonly Carried[] {
  if (kind === 'HEADER' || kind === 'DATA') return kind === 'HEADER' ? headers : data;
  const fits = [headers, data].filter(({ length }) => length === blobCount);
  const bytesOf = (blobs: readonly Carried[]) => blobs.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const exact = fits.filter((blobs) => BigInt(bytesOf(blobs)) === sizeBytes);
  const [list, other] = fits.length > 1 ? exact : fits;
  return list && !other ? list : [];
}
