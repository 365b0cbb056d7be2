import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import type { ReadModelSet } from '../../src/projections/rebuild/read-model-set.js';
import { rebuildSet, type RebuildOptions } from '../../src/projections/rebuild/rebuild.js';
import { READ_MODEL_SETS } from '../../src/statistics/read-model-sets.js';

/** How a test rebuilds. Defaults: at full speed, to the end, without log lines. */
export interface TestRebuildOptions extends Partial<RebuildOptions> {
  /** Migrations of tables that no release has. */
  readonly migrations?: readonly string[];
}

export async function rebuildNow(
  dataSource: DataSource,
  set: ReadModelSet,
  { migrations, ...options }: TestRebuildOptions = {},
): Promise<void> {
  const parts = { dataSource, store: new EventStore(dataSource), clock: new SystemClock() };
  await rebuildSet({ ...parts, ...(migrations && { migrations }) }, set, {
    signal: new AbortController().signal,
    isGentle: false,
    announce: () => undefined,
    report: () => undefined,
    ...options,
  });
}

export function readModelSet(name: string): ReadModelSet {
  const set = READ_MODEL_SETS.find((one) => one.name === name);
  if (!set) throw new Error(`there is no set ${name}`);
  return set;
}
