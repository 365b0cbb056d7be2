import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { WhatIfResolver } from './what-if.resolver.js';

@Module({
  imports: [StatisticsReadersModule],
  providers: [WhatIfResolver],
})
export class WhatIfModule {}
