import { createProgress } from './progress.js';
import type { DatabaseContext } from './with-database.js';

/** Brings the read models that figures come from up to date. A running service does that by itself. */
export async function catchUp({ dataSource, openLog, signal }: DatabaseContext): Promise<void> {
  const { ProjectionRunner } = await import('../projections/projection-runner.js');
  const { PROJECTION_FACTORIES } = await import('../projections/all-projections.js');
  const store = await openLog();
  const runner = new ProjectionRunner(dataSource, store);
  const end = await store.lastPosition();
  const progress = createProgress();
  for (const name of ['record', 'coverage', 'prices']) {
    const projection = PROJECTION_FACTORIES[name]?.();
    if (projection === undefined) continue;
    await runner.catchUp(projection, end, (position) => {
      progress.show(`reading the log: ${position} of ${end} (${name})`);
      return !signal.aborted;
    });
  }
  progress.end();
}
