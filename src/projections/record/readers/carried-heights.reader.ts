import { Inject, Injectable } from '@nestjs/common';
import type { IncludedBlob } from '../../../domain/evidence/blob-segments.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import type { SubmissionEvidence, SubmissionKind } from '../../../domain/submissions/submission-codes.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Database } from '../../../platform/sql.js';
import { blockKnownAt } from './known-at.js';
import { blobsCarried, placeAttempts } from '../../../domain/evidence/decide-cell.js';
import { SUBMISSION_KINDS } from '../../../domain/submissions/submission-codes.js';
import { byList, Cells, toAttempt, type Cell } from '../decisions/cells.js';
import { Rows } from '../decisions/row.js';

/** What a submission's blocks are found by. */
export interface CarriedBy {
  /** Null, as the sequence, of one that only blocks prove. */
  readonly nodeKey: number | null;
  readonly sequence: bigint | null;
  readonly lineageKey: number | null;
  readonly kind: SubmissionKind;
  readonly daHeight: bigint | null;
  readonly evidence: SubmissionEvidence;
  /** The first and last block, where it carried every blob of its kind and DA height between them. */
  readonly blockFrom: bigint | null;
  readonly blockTo: bigint | null;
  readonly blobCount: number | null;
}

/** A submission at a DA height of a lineage. */
type Placed = CarriedBy & { readonly lineageKey: number; readonly daHeight: bigint };

const BLOB_KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];
const RUNS = columnsFor({
  index: 'int4',
  lineageKey: 'int4',
  daHeight: 'int8',
  blockFrom: 'int8',
  blockTo: 'int8',
});

type Run = Pick<CarriedBy, 'lineageKey' | 'daHeight' | 'blockFrom' | 'blockTo'> & { readonly index: number };

/** Reads which blocks a submission carried: those that its evidence was decided from, found again in the same way. */
@Injectable()
export class CarriedHeightsReader {
  constructor(@Inject(ReadDatabase) private readonly source: Database) {}

  /**
   * Heights in ascending order, one list for each submission; empty where no block shows it, or none for certain.
   * @param knownAt position of the log: rows are as they were known there, and so are their blocks, of those that were known whole
   */
  async getCarriedHeights(submissions: readonly CarriedBy[], knownAt?: bigint): Promise<bigint[][]> {
    if (knownAt !== undefined) return this.getKnownHeights(submissions, knownAt);
    const placed = submissions.filter(isPlaced);
    const cells = new Cells();
    const lineages = [...new Set(placed.map(({ lineageKey }) => lineageKey))];
    const parts = {
      chainOf: new Map(lineages.map((key) => [key, String(key)])),
      lineagesOf: new Map(lineages.map((key) => [String(key), [key]])),
      rows: new Rows(),
    };
    const wanted = placed.map(({ lineageKey, daHeight }) => ({ chain: String(lineageKey), daHeight }));
    const query = <Row>(sql: string, parameters: readonly unknown[] = []) =>
      this.source.query<Row[]>(sql, [...parameters]);
    await cells.load(wanted, parts, () => false, query);
    return submissions.map((submission) => {
      if (!isPlaced(submission)) return [];
      const cell = cells.get(String(submission.lineageKey), submission.daHeight);
      return findBlobs(submission, cell).map(({ height }) => height);
    });
  }

  /** Who else posted at a DA height has no history there, but the ends of each run of blocks have. */
  private async getKnownHeights(submissions: readonly CarriedBy[], at: bigint): Promise<bigint[][]> {
    const runs = submissions.flatMap((submission, index) =>
      isRun(submission) ? [toRun(submission, index)] : [],
    );
    if (runs.length === 0) return submissions.map(() => []);
    const { sql, parameters } = RUNS.unnest(runs, 'run');
    const { where, columns } = blockKnownAt(at, 'b');
    const select = (kind: BlobKind, column: string, known: string, condition = '') => `
      SELECT DISTINCT run.index, '${kind}' AS kind, b.height
        FROM run JOIN block b ON b.lineage_key = run.lineage_key AND b.${column} = run.da_height ${condition}
                             AND b.height BETWEEN run.block_from AND run.block_to
       WHERE ${where} AND ${known} IS NOT NULL`;
    const rows = await this.source.query<RunHeight[]>(
      `WITH run AS (SELECT * FROM ${sql})
       ${select('HEADER', 'header_da_height', columns.headerDaHeight)} UNION ALL
       ${select('DATA', 'data_da_height', columns.dataDaHeight, 'AND b.tx_count > 0')} ORDER BY height`,
      [...parameters],
    );
    const found = new Map<string, bigint[]>();
    for (const { index, kind, height } of rows) {
      const heights = found.get(`${index} ${kind}`) ?? [];
      heights.push(height);
      found.set(`${index} ${kind}`, heights);
    }
    return submissions.map(({ kind, blobCount }, index) => {
      const [headers = [], data = []] = BLOB_KINDS.map((each) => found.get(`${index} ${each}`));
      if (kind === 'HEADER' || kind === 'DATA') return kind === 'HEADER' ? headers : data;
      // Headers and data share its namespace: its number of blobs tells which of them they were.
      const fits = [headers, data].filter(({ length }) => length === blobCount);
      return fits.length === 1 ? (fits[0] ?? []) : [];
    });
  }
}

function isPlaced(submission: CarriedBy): submission is Placed {
  const isShown = ['CONFIRMED', 'RECONSTRUCTED', 'UNDECIDED'].includes(submission.evidence);
  return isShown && submission.lineageKey !== null && submission.daHeight !== null;
}

interface RunHeight {
  readonly index: number;
  readonly kind: BlobKind;
  readonly height: bigint;
}

function toRun({ lineageKey, daHeight, blockFrom, blockTo }: CarriedBy, index: number): Run {
  return { index, lineageKey, daHeight, blockFrom, blockTo };
}

function isRun({ blockFrom, lineageKey, daHeight }: CarriedBy): boolean {
  return blockFrom !== null && lineageKey !== null && daHeight !== null;
}

function findBlobs({ lineageKey, nodeKey, sequence, kind }: Placed, cell: Cell): readonly IncludedBlob[] {
  const blobs = cell.blobsOf(lineageKey);
  const rows = [...[...cell.successes].sort(byList), ...cell.landed];
  const placement = placeAttempts(blobs, rows.map(toAttempt));
  if (sequence === null)
    return kind === 'HEADER' || kind === 'DATA' ? (placement.leftover[kind]?.blobs ?? []) : [];
  const index = rows.findIndex((row) => row.nodeKey === nodeKey && row.sequence === sequence);
  return blobsCarried(blobs, placement, index, SUBMISSION_KINDS[rows[index]?.kind ?? 3] ?? 'UNKNOWN');
}
