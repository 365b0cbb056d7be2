import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { kindCodeOf } from '../../domain/submission-codes.js';
import type { Submission } from './submission.type.js';

/** What a submission's blocks are found by. */
export type CarriedBy = Pick<Submission, 'lineageKey' | 'kind' | 'daHeight' | 'evidence'>;

interface HeightsRow {
  readonly index: number;
  readonly heights: string[];
}

/** Reads which blocks a submission carried. */
@Injectable()
export class CarriedHeightsQuery {
  constructor(private readonly dataSource: DataSource) {}

  /** Heights in ascending order, one list for each submission; empty where no block shows it. */
  async getCarriedHeights(submissions: readonly CarriedBy[]): Promise<bigint[][]> {
    const rows = await this.dataSource.query<HeightsRow[]>(
      `SELECT wanted.index::int AS index, array_agg(DISTINCT b.height ORDER BY b.height)::text[] AS heights
         FROM unnest($1::int[], $2::smallint[], $3::bigint[]) WITH ORDINALITY AS wanted (lineage_key, kind, da_height, index)
        CROSS JOIN LATERAL (
          SELECT height FROM block
           WHERE wanted.kind IN (0, 2) AND lineage_key = wanted.lineage_key AND header_da_height = wanted.da_height
          UNION ALL
          SELECT height FROM block
           WHERE wanted.kind IN (1, 2) AND lineage_key = wanted.lineage_key AND data_da_height = wanted.da_height
             AND tx_count > 0) b
        GROUP BY wanted.index`,
      [
        submissions.map((submission) => submission.lineageKey),
        submissions.map((submission) => kindCodeOf(submission.kind)),
        submissions.map((submission) => submission.daHeight),
      ],
    );
    const heights = new Map(rows.map((row) => [row.index - 1, row.heights.map(BigInt)]));
    return submissions.map((_, index) => heights.get(index) ?? []);
  }
}
