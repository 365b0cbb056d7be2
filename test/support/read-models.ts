import type { DataSource } from 'typeorm';
import type { RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { inTransaction } from '../../src/platform/sql.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import type { Projection } from '../../src/projections/projection.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';

/**
 * Projects read models to the end of the log: all of them by default.
 *
 * @param upTo a position of the log at which to stop
 */
export async function projectAll(
  dataSource: DataSource,
  names: readonly string[] = Object.keys(PROJECTION_FACTORIES),
  upTo?: bigint,
): Promise<void> {
  const store = new EventStore(dataSource);
  const runner = new ProjectionRunner(dataSource, store);
  const end = upTo ?? (await store.lastPosition());
  for (const name of names) {
    const create = PROJECTION_FACTORIES[name];
    if (!create) throw new Error(`there is no read model ${name}`);
    await runner.catchUp(create(), end);
  }
}

/** Applies events that are in no log to a read model, as far as it handles them, in one transaction. */
export async function takeEvents(
  dataSource: DataSource,
  projection: Projection,
  events: readonly RecordedEvent[],
): Promise<void> {
  const handled = events.filter(({ type }) => projection.handles.includes(type));
  await inTransaction(dataSource, (query) => projection.apply(handled, query));
}
