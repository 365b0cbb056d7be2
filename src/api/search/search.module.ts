import { Module } from '@nestjs/common';
import { BlocksModule } from '../blocks/blocks.module.js';
import { IncidentsModule } from '../incidents/incidents.module.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { SearchQuery } from './search.query.js';
import { SearchResolver } from './search.resolver.js';
import { SubmissionSearch } from './submission-search.query.js';

@Module({
  imports: [SubmissionsModule, BlocksModule, IncidentsModule],
  providers: [SearchResolver, SearchQuery, SubmissionSearch],
  exports: [SubmissionSearch],
})
export class SearchModule {}
