import { Module } from '@nestjs/common';
import { ProjectionReadersModule } from '../../projections/projection-readers.module.js';
import { ClaimsModule } from '../claims/claims.module.js';
import { HealthModule } from '../health/health.module.js';
import { FilterKeysQuery } from './submission-filter.js';
import { SentRowsQuery } from './sent-rows.query.js';
import { SubmissionResolver } from './submission.resolver.js';
import { SubmissionsQuery } from './submissions.query.js';
import { SurroundingsQuery } from './surroundings.query.js';

@Module({
  imports: [ProjectionReadersModule, HealthModule, ClaimsModule],
  providers: [SubmissionResolver, SubmissionsQuery, FilterKeysQuery, SentRowsQuery, SurroundingsQuery],
  exports: [SubmissionsQuery, SentRowsQuery, SurroundingsQuery],
})
export class SubmissionsModule {}
