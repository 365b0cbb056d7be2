import { Module } from '@nestjs/common';
import { ProjectionReadersModule } from '../../projections/projection-readers.module.js';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { FilterKeysQuery } from '../submissions/submission-filter.js';
import { SentRowsQuery } from '../submissions/sent-rows.query.js';
import { ExportReaders } from './export-readers.js';
import { Exports } from './exports.js';

/** Used by the server and by the command. Needs a `ReadDatabase` and `API_OPTIONS` that are provided globally. */
@Module({
  imports: [ProjectionReadersModule, StatisticsReadersModule],
  providers: [FilterKeysQuery, SentRowsQuery, ExportReaders, Exports],
  exports: [Exports],
})
export class ExportsModule {}
