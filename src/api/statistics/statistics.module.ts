import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { StatisticsResolver } from './statistics.resolver.js';

@Module({
  imports: [StatisticsReadersModule],
  providers: [StatisticsResolver],
  exports: [StatisticsResolver],
})
export class StatisticsApiModule {}
