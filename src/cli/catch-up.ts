import { withProgress } from './progress.js';
import type { DatabaseContext } from './with-database.js';

/** Brings the read models that figures come from up to date. A running service does that by itself. */
export async function catchUp({ dataSource, openLog, signal }: DatabaseContext): Promise<void> {
  const { ProjectionRunner } = await import('../projections/projection-runner.js');
  const { PROJECTION_FACTORIES } = await import('../projections/all-projections.js');
  const store = await openLog();
  const runner = new ProjectionRunner(dataSource, store);
  const end = await store.lastPosition();
  const projections = ['record', 'coverage', 'prices'].flatMap(
    (name) => PROJECTION_FACTORIES[name]?.() ?? [],
  );
  const total = Number(end) * projections.length;
  await withProgress('reading the log', 'events', async (progress) => {
    for (const [index, projection] of projections.entries()) {
      await runner.catchUp(projection, end, (position) => {
        progress.count(Number(end) * index + Number(position), total);
        return !signal.aborted;
      });
    }
  });
}
