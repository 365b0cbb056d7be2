import { Module } from '@nestjs/common';
import { ProjectionReadersModule } from '../../projections/projection-readers.module.js';
import { BlockResolver } from './block.resolver.js';
import { BlocksQuery } from './blocks.query.js';

@Module({
  imports: [ProjectionReadersModule],
  providers: [BlockResolver, BlocksQuery],
  exports: [BlocksQuery],
})
export class BlocksModule {}
