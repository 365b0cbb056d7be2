import { AvailabilityProjection } from './health/availability.js';
import { ClaimsProjection } from './claims.js';
import { CoverageProjection } from './health/coverage.js';
import { HealthProjection } from './health/health.js';
import { PricesProjection } from './prices/prices.js';
import { ProbesProjection } from './probes.js';
import type { Projection } from './projection.js';
import { RecordProjection } from './record/record.js';

/** Makes a fresh instance of every projection, by name. A new read model is added here. */
export const PROJECTION_FACTORIES: Readonly<Record<string, () => Projection>> = {
  record: () => new RecordProjection(),
  availability: () => new AvailabilityProjection(),
  coverage: () => new CoverageProjection(),
  health: () => new HealthProjection(),
  probes: () => new ProbesProjection(),
  claims: () => new ClaimsProjection(),
  prices: () => new PricesProjection(),
};
