import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { KeysModule } from '../keys/keys.module.js';
import { ScopeGuard } from '../keys/api-keys.js';
import { ApiErrorFilter } from './api-error.filter.js';
import { ErrorMapper } from './error-mapper.js';
import { RequestMetrics } from './request-metrics.js';

/** Checks the scope of every request, and maps its errors. */
@Module({
  imports: [KeysModule],
  providers: [
    ErrorMapper,
    RequestMetrics,
    { provide: APP_FILTER, useClass: ApiErrorFilter },
    { provide: APP_GUARD, useClass: ScopeGuard },
  ],
  exports: [ErrorMapper, RequestMetrics],
})
export class HttpModule {}
