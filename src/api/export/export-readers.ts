import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { CarriedBlocksReader } from '../../projections/record/readers/carried-blocks.reader.js';
import { ChangesReader } from '../../projections/record/readers/changes.reader.js';
import { CostLinesReader } from '../../statistics/read/cost/cost-lines.reader.js';
import { ReportReader } from '../../statistics/read/report.reader.js';
import { FilterKeysQuery } from '../submissions/submission-filter.js';
import { SentRowsQuery } from '../submissions/sent-rows.query.js';

/** The readers that the tables of files use. */
@Injectable()
export class ExportReaders {
  constructor(
    readonly source: ReadDatabase,
    readonly carriedBlocks: CarriedBlocksReader,
    readonly changes: ChangesReader,
    readonly costLines: CostLinesReader,
    readonly reports: ReportReader,
    readonly filterKeys: FilterKeysQuery,
    readonly sentRows: SentRowsQuery,
  ) {}
}
