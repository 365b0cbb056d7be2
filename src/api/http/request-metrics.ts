import { Injectable } from '@nestjs/common';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ErrorCode } from '../errors.js';

/** From a page of the cache to a report of a year; ms are given, seconds are exported. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const NO_ROUTE = 'none';

/** Counts the requests that this process has answered, and the errors of their GraphQL. Each service counts its own. */
@Injectable()
export class RequestMetrics {
  private readonly durations = new Histogram({
    name: 'hindsight_http_request_duration_seconds',
    help: 'Duration of a request until its answer was sent, by route and status; refused requests included.',
    labelNames: ['route', 'method', 'status'],
    buckets: SECONDS,
    registers: [],
  });
  private readonly errors = new Counter({
    name: 'hindsight_graphql_errors_total',
    help: 'Errors in answers of GraphQL, by code. The status of such an answer is often 200.',
    labelNames: ['code'],
    registers: [],
  });

  /** @param route the pattern of the route, which has no ids; undefined if no route accepts the request */
  answered(route: string | undefined, method: string, status: number, ms: number): void {
    this.durations.observe({ route: route ?? NO_ROUTE, method, status }, ms / 1_000);
  }

  failed(code: ErrorCode): void {
    this.errors.inc({ code });
  }

  register(registry: Registry): void {
    registry.registerMetric(this.durations);
    registry.registerMetric(this.errors);
  }
}
