import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { IntervalResolver } from './interval.resolver.js';

@Module({ imports: [NodesModule, StatisticsReadersModule], providers: [IntervalResolver] })
export class IntervalModule {}
