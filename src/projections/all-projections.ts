import { AvailabilityProjection } from './health/availability.js';
import { ClaimsProjection } from './claims.js';
import { CoverageProjection } from './coverage.js';
import { DaNodesProjection } from './da-nodes.js';
import { type HealthNews, HealthProjection } from './health/health.js';
import { PricesProjection } from './prices/prices.js';
import { ProbesProjection } from './probes.js';
import type { Projection } from './projection.js';
import { RecordProjection } from './record/projection.js';

/**
 * Makes a new instance of every projection, by name; add new read models here. They catch up with the log in this order.
 * Health comes first, because people wait for it, and it must not be reported later than its node was seen. `tell` is
 * called when a node's health changes.
 */
export const PROJECTION_FACTORIES: Readonly<
  Record<string, (tell?: (news: HealthNews) => void) => Projection>
> = {
  health: (tell) => new HealthProjection(tell),
  record: () => new RecordProjection(),
  availability: () => new AvailabilityProjection(),
  coverage: () => new CoverageProjection(),
  probes: () => new ProbesProjection(),
  claims: () => new ClaimsProjection(),
  'da-node': () => new DaNodesProjection(),
  prices: () => new PricesProjection(),
};
