import { Inject, Injectable } from '@nestjs/common';
import { evidenceCodeOf, kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { Micros } from '../../../domain/time.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Database } from '../../../platform/sql.js';
import { submissionKnownAt } from './known-at.js';

/** By which the submissions of a block are found. */
export interface IncludedBlock {
  readonly lineageKey: number;
  readonly height: bigint;
  readonly txCount: number;
  /** Null while no DA height includes it. */
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
}

const CONFIRMED = evidenceCodeOf('CONFIRMED');
const HEADER = kindCodeOf('HEADER');
const DATA = kindCodeOf('DATA');
const MIXED = kindCodeOf('MIXED');
const PARTS = columnsFor({
  index: 'int4',
  lineageKey: 'int4',
  height: 'int8',
  kind: 'int4',
  daHeight: 'int8',
});

/** Reads when blocks were included. */
@Injectable()
export class IncludedTimesReader {
  constructor(@Inject(ReadDatabase) private readonly source: Pick<Database, 'query'>) {}

  /**
   * When the first successes that carried header and data were shown as done, by their own times: the later of the two. In the
   * order of the blocks; undefined where one of the two is not included, or where no list showed who posted it.
   * @param knownAt position of the log: by what was known of submissions there
   */
  async getIncludedTimes(
    blocks: readonly IncludedBlock[],
    knownAt?: bigint,
  ): Promise<(Micros | undefined)[]> {
    const partsOf = blocks.map((block, index) => toParts(block, index));
    const { sql, parameters } = PARTS.unnest(partsOf.flat(), 'part');
    const { join, where, columns } = submissionKnownAt(knownAt, 's');
    const rows = await this.source.query<{ index: number; at: Micros; parts: number }[]>(
      `SELECT found.index, max(found.at) AS at, count(*)::int AS parts
         FROM (SELECT part.index, part.kind, min(s.time_at) AS at
                 FROM ${sql} JOIN submission s ON s.da_height = part.da_height AND s.lineage_key = part.lineage_key ${join}
                WHERE s.status = 0 AND ${where} AND ${columns.evidence} = ${CONFIRMED}
                  AND ${columns.kind} IN (part.kind, ${MIXED})
                  AND (${columns.blockFrom} IS NULL OR part.height BETWEEN ${columns.blockFrom} AND ${columns.blockTo})
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

/** The batches that must have been posted for a block to be included; none where it is not. */
function toParts(
  { lineageKey, height, txCount, headerDaHeight, dataDaHeight }: IncludedBlock,
  index: number,
) {
  if (headerDaHeight === null || dataDaHeight === null) return [];
  const header = { index, lineageKey, height, kind: HEADER, daHeight: headerDaHeight };
  return txCount === 0 ? [header] : [header, { ...header, kind: DATA, daHeight: dataDaHeight }];
}
