import { Module } from '@nestjs/common';
import { ProjectionReadersModule } from '../../projections/projection-readers.module.js';
import { LossResolver } from './loss.resolver.js';
import { LossesQuery } from './losses.query.js';

@Module({
  imports: [ProjectionReadersModule],
  providers: [LossResolver, LossesQuery],
  exports: [LossesQuery],
})
export class LossesModule {}
