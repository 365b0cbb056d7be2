import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { prometheusContentType } from 'prom-client';
import { ReadersGuard } from '../http/readers.guard.js';
import { Described } from '../openapi/described.js';
import { MetricsService } from './metrics.service.js';

@Controller('metrics')
@UseGuards(ReadersGuard)
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  @Header('content-type', prometheusContentType)
  @Described({
    tag: 'Operations',
    summary: 'Metrics for Prometheus',
    description:
      'Of nodes, of the log and of this process, each as far as its role knows it; computed at most every 3 s.',
    type: 'text/plain',
    answer: 'Text format 0.0.4.',
    isKeyed: true,
  })
  getMetrics(): Promise<string> {
    return this.metrics.getText();
  }
}
