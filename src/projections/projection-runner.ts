import type { DataSource } from 'typeorm';
import type { EventStore } from '../event-log/event-store.js';
import { inTransaction, type Query } from '../platform/sql.js';
import { setTimeout as wait } from 'node:timers/promises';
import { OtherRules, ProjectionBusy, type Projection } from './projection.js';

/** Told the position reached after each batch, and awaited; false ends the run early. */
type GoOn = (position: bigint) => boolean | Promise<boolean>;

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
  /** The write of the checkpoint row that each projection left: another one is somebody else's. */
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
   */
  async catchUp(projection: Projection, end: bigint, goOn: GoOn = () => true): Promise<void> {
    for (;;) {
      const position = await this.applyBatch(projection, end);
      if (!(await goOn(position)) || position >= end) return;
    }
  }

  /**
   * As {@link catchUp}, for those who have nothing else to do: waits while the projection is busy.
   * @throws ProjectionBusy when it is so for too long
   */
  async catchUpPatiently(projection: Projection, end: bigint, goOn: GoOn = () => true): Promise<void> {
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
      const { position, write } = await inTransaction(this.dataSource, async (query) => {
        if (this.schema) await query(`SET LOCAL search_path TO "${this.schema}", public`);
        const before = await lockCheckpoint(query, projection);
        if (before.position >= end) return { position: before.position, write: this.left.get(projection) };
        // Another process has moved the tables on, or a rebuild has replaced them: what is remembered is not theirs.
        if (before.write !== this.left.get(projection)) projection.reset?.();
        const { handles } = projection;
        const { events, position } = await this.store.readRange(
          before.position,
          end,
          handles,
          this.batchSize,
        );
        if (events.length > 0) await projection.apply(events, query);
        return moveCheckpoint(query, projection, position);
      });
      if (write !== undefined) this.left.set(projection, write);
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
  readonly write: string;
}

interface CheckpointRow {
  readonly position: string;
  readonly version: number;
  readonly write: string;
}

/**
 * Takes the lock, and lets the commit of this transaction not wait for the disk: rows and checkpoint are lost together
 * or not at all, and what a crash of the server loses is read from the log again.
 */
async function lockCheckpoint(query: Query, { name, version }: Projection): Promise<Checkpoint> {
  const select = `SELECT position, version, xmin::text AS write, set_config('synchronous_commit', 'off', true)
                    FROM projection_checkpoint WHERE name = $1 FOR UPDATE`;
  let [row] = await query<CheckpointRow>(select, [name]);
  if (!row) {
    await query(
      'INSERT INTO projection_checkpoint (name, position, version) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING',
      [name, version],
    );
    [row] = await query<CheckpointRow>(select, [name]);
  }
  if (row && row.version !== version) throw new OtherRules(name, row.version, version);
  return toCheckpoint(row);
}

/** Carries the version, and the database refuses another than the stored one: also to releases that are yet to come. */
async function moveCheckpoint(
  query: Query,
  { name, version }: Projection,
  position: bigint,
): Promise<Checkpoint> {
  const [row] = await query<CheckpointRow>(
    `UPDATE projection_checkpoint SET position = $2, version = $3 WHERE name = $1
     RETURNING position, version, xmin::text AS write`,
    [name, position.toString(), version],
  );
  return toCheckpoint(row);
}

/** A server that lost a commit gives its number to a later one: only together with the position is it one write. */
function toCheckpoint(row: CheckpointRow | undefined): Checkpoint {
  const { position, write } = row ?? { position: '0', write: '' };
  return { position: BigInt(position), write: `${write} at ${position}` };
}
