import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { prometheusContentType } from 'prom-client';
import { ReadersGuard } from '../http/readers.guard.js';
import { MetricsService } from './metrics.service.js';

/** What Prometheus scrapes. */
@Controller('metrics')
@UseGuards(ReadersGuard)
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  @Header('content-type', prometheusContentType)
  getMetrics(): Promise<string> {
    return this.metrics.getText();
  }
}
