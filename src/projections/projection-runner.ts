import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { RecordedEvent } from '../domain/events.js';
import type { EventStore } from '../event-log/event-store.js';
import { inTransaction, type Query } from '../platform/sql.js';
import type { ProjectionCheckpointEntity } from '../tables/projections/projection-checkpoint.entity.js';
import { BatchCutter, PoisonedBatch } from './batch-cutter.js';
import { type EventFault, isFaultOfData, loadFaultCounts, writeFaults } from './faults.js';
import { OtherRules, ProjectionBusy, type Projection } from './projection.js';

/** Told the position reached after each batch, and awaited; false ends the run early. */
type GoOn = (position: bigint) => boolean | Promise<boolean>;

/** Events that one transaction applies at most. */
const BATCH_SIZE = 1_000;

/** A busy projection says so after some seconds itself. */
const PATIENT_TRIES = 10;
const PAUSE_WHILE_BUSY_MS = 200;

/** Told each event that was set aside, once it is. */
type OnFault = (fault: EventFault) => void;

/**
 * Moves projections along the log: each reads on from its own checkpoint, and rows and checkpoint move in
 * one transaction, in the schema that the connections see first. Several processes may run the same projection; the checkpoint's row lock lets one at a time.
 *
 * An event that the projection cannot take because of what is in it is set aside in `projection_fault`, beside the
 * projection's tables, and the projection goes on without it.
 */
export class ProjectionRunner {
  /** The write of the checkpoint row that each projection left: another one is somebody else's. */
  private readonly left = new WeakMap<Projection, string>();
  private readonly cutters = new WeakMap<Projection, BatchCutter>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: EventStore,
    private readonly batchSize: number = BATCH_SIZE,
  ) {}

  /** Applies what is new in the log, up to a position. */
  async catchUp(
    projection: Projection,
    end: bigint,
    goOn: GoOn = () => true,
    onFault: OnFault = () => undefined,
  ): Promise<void> {
    for (;;) {
      const position = await this.applyBatch(projection, end, onFault);
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

  /** Applies a batch, or finds out that it must be smaller, or without an event. The position reached. */
  private async applyBatch(projection: Projection, end: bigint, onFault: OnFault): Promise<bigint> {
    const cutter = this.cutterOf(projection);
    let start = 0n;
    try {
      const { position, write, faults } = await inTransaction(this.dataSource, async (query) => {
        const before = await lockCheckpoint(query, projection);
        start = before.position;
        if (start >= end) return { position: start, write: this.left.get(projection), faults: [] };
        // Another process has moved the tables on, or a rebuild has replaced them: what is remembered is not theirs.
        if (before.write !== this.left.get(projection)) projection.reset?.();
        const page = await this.store.readRange(start, end, projection.handles, cutter.limit);
        const { events, faults } = cutter.cut(page.events, await loadFaultCounts(query, projection));
        await writeFaults(query, projection, faults);
        if (events.length > 0) await applyEvents(query, projection, events);
        return { ...(await moveCheckpoint(query, projection, page.position)), faults };
      });
      if (write !== undefined) this.left.set(projection, write);
      cutter.noteSuccess();
      for (const fault of faults) onFault(fault);
      return position;
    } catch (error) {
      projection.reset?.();
      if (!(error instanceof PoisonedBatch)) throw error;
      cutter.noteFailure(error);
      return start;
    }
  }

  private cutterOf(projection: Projection): BatchCutter {
    const cutter = this.cutters.get(projection) ?? new BatchCutter(this.batchSize);
    this.cutters.set(projection, cutter);
    return cutter;
  }
}

/** @throws PoisonedBatch when an event of them is at fault */
async function applyEvents(
  query: Query,
  projection: Projection,
  events: readonly RecordedEvent[],
): Promise<void> {
  try {
    await projection.apply(events, query);
  } catch (error) {
    throw isFaultOfData(error) ? new PoisonedBatch(events, error) : error;
  }
}

/** How far a projection has come. */
interface Checkpoint extends Pick<ProjectionCheckpointEntity, 'position' | 'version'> {
  /**
   * Which write of the row says so. A server that lost a commit gives its number to a later one: only together with the
   * position is it one write.
   */
  readonly write: string;
}

const CHECKPOINT = "position, version, xmin::text || ' at ' || position AS write";

/**
 * Takes the lock, and lets the commit of this transaction not wait for the disk: rows and checkpoint are lost together
 * or not at all, and what a crash of the server loses is read from the log again.
 */
async function lockCheckpoint(query: Query, { name, version }: Projection): Promise<Checkpoint> {
  const select = `SELECT ${CHECKPOINT}, set_config('synchronous_commit', 'off', true)
                    FROM projection_checkpoint WHERE name = $1 FOR UPDATE`;
  let [row] = await query<Checkpoint>(select, [name]);
  if (!row) {
    await query(
      'INSERT INTO projection_checkpoint (name, position, version) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING',
      [name, version],
    );
    [row] = await query<Checkpoint>(select, [name]);
  }
  if (!row) throw new Error(`The checkpoint of ${name} is gone`);
  if (row.version !== version) throw new OtherRules(name, row.version, version);
  return row;
}

/** Carries the version, and the database refuses another than the stored one: also to releases that are yet to come. */
async function moveCheckpoint(
  query: Query,
  { name, version }: Projection,
  position: bigint,
): Promise<Checkpoint> {
  const [row] = await query<Checkpoint>(
    `UPDATE projection_checkpoint SET position = $2, version = $3, moved_at = clock_timestamp() WHERE name = $1
     RETURNING ${CHECKPOINT}`,
    [name, position, version],
  );
  if (!row) throw new Error(`The checkpoint of ${name} is gone`);
  return row;
}
