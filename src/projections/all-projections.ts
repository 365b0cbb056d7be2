import { AvailabilityProjection } from './health/availability.js';
import { ClaimsProjection } from './claims.js';
import { CoverageProjection } from './health/coverage.js';
import { type HealthNews, HealthProjection } from './health/health.js';
import { PricesProjection } from './prices/prices.js';
import { ProbesProjection } from './probes.js';
import type { Projection } from './projection.js';
import { RecordProjection } from './record/projection.js';

/**
 * Makes a fresh instance of every projection, by name. A new read model is added here. They are brought to the end of
 * the log in this order. Health is first: people wait for it, and nothing of it may be told later than when its node
 * was seen. `tell` hears when a node's health changes.
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
  prices: () => new PricesProjection(),
};
