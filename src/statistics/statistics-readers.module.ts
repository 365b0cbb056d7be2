import { Module } from '@nestjs/common';
import { IntervalReader } from './interval/interval.reader.js';
import { ChainNodesQuery } from './read/chain-nodes.query.js';
import { CostLinesReader } from './read/cost/cost-lines.reader.js';
import { ReconciliationReader } from './read/cost/reconciliation.reader.js';
import { NodeTotalsReader } from './read/node-totals.reader.js';
import { ReportReader } from './read/report.reader.js';
import { WhatIfReader } from './what-if/what-if.reader.js';

const READERS = [
  ReportReader,
  NodeTotalsReader,
  ChainNodesQuery,
  CostLinesReader,
  ReconciliationReader,
  WhatIfReader,
  IntervalReader,
];

/** The readers of the statistics, for every role. Needs a globally provided `ReadDatabase`. */
@Module({ providers: READERS, exports: READERS })
export class StatisticsReadersModule {}
