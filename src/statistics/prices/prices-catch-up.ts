import type { Database } from '../../platform/sql.js';
import type { EventStore } from '../../event-log/event-store.js';
import { ProjectionRunner } from '../../projections/projection-runner.js';
import { PricesProjection } from '../../projections/prices/prices.js';

/** Brings the prices up to the end of the log, in any process: a writer must have read all prices before it changes them. */
export class PricesCatchUp {
  private readonly runner: ProjectionRunner;
  private readonly projection = new PricesProjection();

  constructor(
    dataSource: Database,
    private readonly store: EventStore,
  ) {
    this.runner = new ProjectionRunner(dataSource, store);
  }

  async run(): Promise<void> {
    await this.runner.catchUpPatiently(this.projection, await this.store.lastPosition());
  }
}
