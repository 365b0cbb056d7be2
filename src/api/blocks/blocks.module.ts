import { Module } from '@nestjs/common';
import { ProjectionReadersModule } from '../../projections/projection-readers.module.js';
import { BlockResolver } from './block.resolver.js';
import { BlocksQuery } from './blocks.query.js';

/** Blocks, and what proves them. */
@Module({
  imports: [ProjectionReadersModule],
  providers: [BlockResolver, BlocksQuery],
  exports: [BlocksQuery],
})
export class BlocksModule {}
