import type { DataSource } from 'typeorm';
import type { EventStore } from '../event-log/event-store.js';
import { inTransaction, type Query } from '../platform/sql.js';
import { setTimeout as wait } from 'node:timers/promises';
import { ProjectionBusy, type Projection } from './projection.js';

/** Events that one transaction applies at most. */
const BATCH_SIZE = 1_000;

/** A busy projection says so after some seconds itself. */
const PATIENT_TRIES = 10;
const PAUSE_WHILE_BUSY_MS = 200;

/**
 * Moves projections along the log: each reads on from its own checkpoint, and rows and checkpoint move in
 * one transaction. Several processes may run the same projection; the checkpoint's row lock lets one at a time.
 */
export class ProjectionRunner {
  /** The version of the checkpoint row that each projection left: another one is somebody else's. */
  private readonly left = new WeakMap<Projection, string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: EventStore,
    /** Where the projection's tables are: the default schema, or one that a rebuild fills. */
    private readonly schema?: string,
    private readonly batchSize: number = BATCH_SIZE,
  ) {}

  /**
   * Applies what is new in the log, up to a position.
   *
   * @param goOn told the position reached after each batch; false ends the run early
   */
  async catchUp(
    projection: Projection,
    end: bigint,
    goOn: (position: bigint) => boolean = () => true,
  ): Promise<void> {
    for (;;) {
      const position = await this.applyBatch(projection, end);
      if (!goOn(position) || position >= end) return;
    }
  }

  /**
   * As {@link catchUp}, for those who have nothing else to do: waits while the projection is busy.
   * @throws ProjectionBusy when it is so for too long
   */
  async catchUpPatiently(
    projection: Projection,
    end: bigint,
    goOn: (position: bigint) => boolean = () => true,
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.catchUp(projection, end, goOn);
      } catch (error) {
        if (!(error instanceof ProjectionBusy) || attempt === PATIENT_TRIES) throw error;
        await wait(PAUSE_WHILE_BUSY_MS);
      }
    }
  }

  private async applyBatch(projection: Projection, end: bigint): Promise<bigint> {
    try {
      const { position, version } = await inTransaction(this.dataSource, async (query) => {
        if (this.schema) await query(`SET LOCAL search_path TO "${this.schema}", public`);
        const before = await lockCheckpoint(query, projection.name);
        if (before.position >= end) return { position: before.position, version: this.left.get(projection) };
        // Another process has moved the tables on, or a rebuild has replaced them: what is remembered is not theirs.
        if (before.version !== this.left.get(projection)) projection.reset?.();
        const { handles } = projection;
        const { events, position } = await this.store.readRange(
          before.position,
          end,
          handles,
          this.batchSize,
        );
        if (events.length > 0) await projection.apply(events, query);
        return moveCheckpoint(query, projection.name, position);
      });
      if (version !== undefined) this.left.set(projection, version);
      return position;
    } catch (error) {
      projection.reset?.();
      throw error;
    }
  }
}

/** How far a projection has come, and which write of the row says so. */
interface Checkpoint {
  readonly position: bigint;
  readonly version: string;
}

interface CheckpointRow {
  readonly position: string;
  readonly version: string;
}

/**
 * Takes the lock, and lets the commit of this transaction not wait for the disk: rows and checkpoint are lost together
 * or not at all, and what a crash of the server loses is read from the log again.
 */
async function lockCheckpoint(query: Query, name: string): Promise<Checkpoint> {
  const select = `SELECT position, xmin::text AS version, set_config('synchronous_commit', 'off', true)
                    FROM projection WHERE name = $1 FOR UPDATE`;
  let [row] = await query<CheckpointRow>(select, [name]);
  if (!row) {
    await query('INSERT INTO projection (name, position) VALUES ($1, 0) ON CONFLICT DO NOTHING', [name]);
    [row] = await query<CheckpointRow>(select, [name]);
  }
  return toCheckpoint(row);
}

async function moveCheckpoint(query: Query, name: string, position: bigint): Promise<Checkpoint> {
  const [row] = await query<CheckpointRow>(
    'UPDATE projection SET position = $2 WHERE name = $1 RETURNING position, xmin::text AS version',
    [name, position.toString()],
  );
  return toCheckpoint(row);
}

/** A server that lost a commit gives its number to a later one: only together with the position is it one write. */
function toCheckpoint(row: CheckpointRow | undefined): Checkpoint {
  const { position, version } = row ?? { position: '0', version: '' };
  return { position: BigInt(position), version: `${version} at ${position}` };
}
