import { Inject, Injectable } from '@nestjs/common';
import { entryOf } from '../../../domain/collections.js';
import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import {
  evidenceCodeOf,
  kindCodeOf,
  type SubmissionKind,
} from '../../../domain/submissions/submission-codes.js';
import type { Micros } from '../../../domain/time.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Database } from '../../../platform/sql.js';
import { blocksKnownAt, indexed, submissionsKnownAt } from './known-rows.reader.js';

/** The fields of a submission that identify its blocks. */
export interface CarriedBy {
  readonly lineageKey: number | null;
  readonly kind: SubmissionKind;
  readonly daHeight: bigint | null;
  /** The first and last block, if the submission carried every blob of its kind and DA height between them. */
  readonly blockFrom: bigint | null;
  readonly blockTo: bigint | null;
  readonly blobCount: number | null;
}

/** The fields of a block that identify its submissions. */
export interface IncludedBlock {
  readonly lineageKey: number;
  readonly height: bigint;
  readonly txCount: number;
  /** Null until a DA height is known. */
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
}

const CONFIRMED = evidenceCodeOf('CONFIRMED');
const HEADER = kindCodeOf('HEADER');
const DATA = kindCodeOf('DATA');
const MIXED = kindCodeOf('MIXED');
const RUNS = columnsFor({
  index: 'int4',
  lineageKey: 'int4',
  daHeight: 'int8',
  blockFrom: 'int8',
  blockTo: 'int8',
});
const PARTS = columnsFor({
  index: 'int4',
  lineageKey: 'int4',
  height: 'int8',
  kind: 'int4',
  daHeight: 'int8',
});

/** Reads which blocks a submission carried, and when submissions carried a block. */
@Injectable()
export class CarriedBlocksReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Pick<Database, 'query'>) {}

  /**
   * Heights in ascending order, one list per submission; empty where no block shows it, or where not all of its blocks are
   * known.
   *
   * @param knownAt position of the log at which the given rows were known; default: now
   */
  async getCarriedHeights(submissions: readonly CarriedBy[], knownAt?: bigint): Promise<bigint[][]> {
    const runs = submissions.flatMap(({ lineageKey, daHeight, blockFrom, blockTo }, index) =>
      blockFrom === null || lineageKey === null || daHeight === null
        ? []
        : [{ index, lineageKey, daHeight, blockFrom, blockTo }],
    );
    if (runs.length === 0) return submissions.map(() => []);
    const { sql, parameters } = RUNS.unnest(runs, 'run');
    const select = (kind: BlobKind, side: 'header' | 'data', condition = '') => `
      SELECT DISTINCT run.index, '${kind}' AS kind, b.height
        FROM run JOIN ${blocksKnownAt(knownAt)} ON b.lineage_key = run.lineage_key AND ${indexed(`b.${side}_da_height`, knownAt)} = run.da_height ${condition}
                             AND b.height BETWEEN run.block_from AND run.block_to
       WHERE b.${side}_da_height IS NOT NULL`;
    const rows = await this.reads.query<{ index: number; kind: BlobKind; height: bigint }[]>(
      `WITH run AS (SELECT * FROM ${sql})
       ${select('HEADER', 'header')} UNION ALL ${select('DATA', 'data', 'AND b.tx_count > 0')} ORDER BY height`,
      [...parameters],
    );
    const found = new Map<string, bigint[]>();
    for (const { index, kind, height } of rows) {
      entryOf(found, `${index} ${kind}`, () => []).push(height);
    }
    return submissions.map(({ kind, blobCount }, index) => {
      const [headers = [], data = []] = BLOB_KINDS.map((each) => found.get(`${index} ${each}`));
      if (kind === 'HEADER' || kind === 'DATA') return kind === 'HEADER' ? headers : data;
      // Headers and data share a namespace: the number of blobs shows which it carried, unless both belong to the same
      // blocks.
      const [heights = [], other = heights] = [headers, data].filter(({ length }) => length === blobCount);
      return heights.every((height, n) => height === other[n]) ? heights : [];
    });
  }

  /**
   * The times at which blocks were fully included: the later of the first successes that carried header and data, by the
   * rows' own times. In the order of the blocks; undefined where header or data is not included, or where no list showed
   * the submission.
   *
   * @param knownAt position of the log that limits the known submissions
   */
  async getIncludedTimes(
    blocks: readonly IncludedBlock[],
    knownAt?: bigint,
  ): Promise<(Micros | undefined)[]> {
    const partsOf = blocks.map((block, index) => toParts(block, index));
    const { sql, parameters } = PARTS.unnest(partsOf.flat(), 'part');
    const rows = await this.reads.query<{ index: number; at: Micros; parts: number }[]>(
      `SELECT found.index, max(found.at) AS at, count(*)::int AS parts
         FROM (SELECT part.index, part.kind, min(s.time_at) AS at
                 FROM ${sql} JOIN ${submissionsKnownAt(knownAt)}
                   ON ${indexed('s.da_height', knownAt)} = part.da_height AND s.lineage_key = part.lineage_key
                WHERE s.status = 0 AND s.to_position IS NULL AND s.evidence = ${CONFIRMED}
                  AND s.kind IN (part.kind, ${MIXED})
                  AND (s.block_from IS NULL OR part.height BETWEEN s.block_from AND s.block_to)
                GROUP BY part.index, part.kind) found
        GROUP BY found.index`,
      [...parameters],
    );
    const found = new Map(rows.map((row) => [row.index, row]));
    return partsOf.map((parts, index) => {
      const row = found.get(index);
      return parts.length > 0 && row?.parts === parts.length ? row.at : undefined;
    });
  }
}

/** The batches that must be posted for a block to be included; empty if it is not included. */
function toParts(
  { lineageKey, height, txCount, headerDaHeight, dataDaHeight }: IncludedBlock,
  index: number,
) {
  if (headerDaHeight === null || dataDaHeight === null) return [];
  const header = { index, lineageKey, height, kind: HEADER, daHeight: headerDaHeight };
  return txCount === 0 ? [header] : [header, { ...header, kind: DATA, daHeight: dataDaHeight }];
}
