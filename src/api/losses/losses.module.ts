import { Module } from '@nestjs/common';
import { ProjectionReadersModule } from '../../projections/projection-readers.module.js';
import { LossResolver } from './loss.resolver.js';
import { LossesQuery } from './losses.query.js';

/** Losses, with their bounds. */
@Module({
  imports: [ProjectionReadersModule],
  providers: [LossResolver, LossesQuery],
  exports: [LossesQuery],
})
export class LossesModule {}
