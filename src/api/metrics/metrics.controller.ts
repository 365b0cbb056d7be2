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
      'Metrics of nodes, of the log and of this process, as far as the role of the process knows them; computed at most every 3 s.',
    type: 'text/plain',
    answer: 'Text format 0.0.4.',
    isKeyed: true,
  })
  getMetrics(): Promise<string> {
    return this.metrics.getText();
  }
}
