import type { DataSource } from 'typeorm';
import type { EventStore } from '../event-log/event-store.js';
import { UserError } from '../platform/errors.js';
import { onConnection } from '../platform/sql.js';
import type { Projection } from './projection.js';
import { ProjectionRunner } from './projection-runner.js';
import { swapTables } from './table-swap.js';

/** How far a rebuild has come, in positions of the log. */
export interface RebuildProgress {
  readonly name: string;
  readonly position: bigint;
  readonly end: bigint;
}

/** One rebuild of a projection at a time, across processes. */
const LOCK = "hashtext('hindsight rebuild ' || $1)";

/**
 * Replays the log into new tables beside the old ones and swaps them, while readers and the live projection go on.
 *
 * @param create makes a fresh instance, which remembers nothing of the live tables
 * @throws UserError when another process rebuilds the same projection
 * @throws when the swap cannot get its lock for a minute
 */
export async function rebuildProjection(
  dataSource: DataSource,
  store: EventStore,
  create: () => Projection,
  onProgress: (progress: RebuildProgress) => void,
): Promise<void> {
  const projection = create();
  const schema = `rebuild_${projection.name}`;
  await onConnection(dataSource, async (guard) => {
    const [lock] = await guard<{ won: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS won`, [
      projection.name,
    ]);
    if (!lock?.won) {
      throw new UserError(`Another process is rebuilding ${projection.name}.`, 'Wait until it has finished.');
    }
    try {
      await createEmptyTables(dataSource, schema, projection);
      const runner = new ProjectionRunner(dataSource, store, schema);
      const end = await store.lastPosition();
      await runner.catchUpPatiently(projection, end, (position) => {
        onProgress({ name: projection.name, position, end });
        return true;
      });
      await swapTables(dataSource, schema, projection, (position) =>
        runner.catchUpPatiently(projection, position),
      );
      await dataSource.query(`DROP SCHEMA "${schema}" CASCADE`);
    } finally {
      await guard(`SELECT pg_advisory_unlock(${LOCK})`, [projection.name]);
    }
  });
}

async function createEmptyTables(
  dataSource: DataSource,
  schema: string,
  projection: Projection,
): Promise<void> {
  // What an interrupted rebuild left behind is of no use to anyone.
  await dataSource.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await dataSource.query(`CREATE SCHEMA "${schema}"`);
  // Marks of a replay would have the live tables computed again, all of them; what is new is marked after the swap.
  for (const table of ['projection_checkpoint', 'roll_up_mark', ...projection.tables]) {
    await dataSource.query(`CREATE TABLE "${schema}"."${table}" (LIKE "${table}" INCLUDING ALL)`);
    await keepIndexNames(dataSource, schema, table);
  }
}

/** LIKE makes names of its own for indexes; later migrations know them by the old ones. */
async function keepIndexNames(dataSource: DataSource, schema: string, table: string): Promise<void> {
  const columns = `i.relname AS name,
    regexp_replace(pg_get_indexdef(i.oid), '^CREATE (UNIQUE )?INDEX \\S+ ON (ONLY )?\\S+ ', '\\1') AS definition`;
  const from = 'FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid';
  const renames = await dataSource.query<{ copy: string; name: string }[]>(
    `WITH old AS (SELECT ${columns} ${from} WHERE x.indrelid = to_regclass($2)),
          new AS (SELECT ${columns} ${from} WHERE x.indrelid = to_regclass($1))
     SELECT new.name AS copy, old.name FROM old JOIN new USING (definition) WHERE old.name <> new.name`,
    [`"${schema}"."${table}"`, `"${table}"`],
  );
  for (const { copy, name } of renames) {
    await dataSource.query(`ALTER INDEX "${schema}"."${copy}" RENAME TO "${name}"`);
  }
}
