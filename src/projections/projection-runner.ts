import { setTimeout as wait } from 'node:timers/promises';
import type { RecordedEvent } from '../domain/events.js';
import type { EventStore } from '../event-log/event-store.js';
import { type Database, inTransaction, type Query, toSource } from '../platform/sql.js';
import type { ProjectionCheckpointEntity } from '../tables/projections.entities.js';
import { BatchCutter, PoisonedBatch } from './batch-cutter.js';
import { HalvingSize } from './halving-size.js';
import { EXCLUDED, isExcluded } from './exclusions.js';
import { type DeadLetter, isFaultOfData, loadFaultCounts, toFaultText, writeFaults } from './faults.js';
import { OtherRules, ProjectionBusy, type Applied, type Projection } from './projection.js';

/** Called and awaited with the position reached after each batch; false ends the run early. */
type GoOn = (position: bigint) => boolean | Promise<boolean>;

const BATCH_SIZE = 1_000;

/** A busy projection already waits some seconds before it reports that it is busy. */
const PATIENT_TRIES = 10;
const PAUSE_WHILE_BUSY_MS = 200;

/** Called with each dead letter once it is stored. */
type OnDeadLetter = (fault: DeadLetter) => void;

/**
 * Moves projections along the log. Each continues from its own checkpoint. Rows and checkpoint move in one transaction, in
 * the first schema on the connections' search path. Several processes may run the same projection; the checkpoint's row
 * lock admits one at a time.
 *
 * If an event contains data that the projection cannot apply, it becomes a dead letter in `projection_fault`, in the schema
 * of the projection's tables, and the projection continues without it.
 */
export class ProjectionRunner {
  /** The checkpoint write that each projection last made; any other value shows that another writer was there. */
  private readonly left = new WeakMap<Projection, string>();
  private readonly cutters = new WeakMap<Projection, Cutters>();

  constructor(
    private readonly dataSource: Database,
    private readonly store: EventStore,
    private readonly batchSize: number = BATCH_SIZE,
  ) {}

  /** Applies new events up to a position. @returns whether everything is done; false when `goOn` ended it early */
  async catchUp(
    projection: Projection,
    end: bigint,
    goOn: GoOn = () => true,
    onFault: OnDeadLetter = () => undefined,
  ): Promise<boolean> {
    for (;;) {
      const { position, isWhole } = await this.step(projection, end, onFault);
      if (isWhole && position >= end) return goOn(position);
      if (!(await goOn(position))) return false;
    }
  }

  /** Same as {@link catchUp}, but waits while the projection is busy. @throws ProjectionBusy when it stays busy for too long */
  async catchUpPatiently(projection: Projection, end: bigint, goOn: GoOn = () => true): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.catchUp(projection, end, goOn);
        return;
      } catch (error) {
        if (!(error instanceof ProjectionBusy) || attempt === PATIENT_TRIES) throw error;
        await wait(PAUSE_WHILE_BUSY_MS);
      }
    }
  }

  /**
   * Applies a batch, or does a part of the deferred work of earlier events, alternately. If that fails because of the data,
   * it reduces the next batch or page, or excludes the poisoned part.
   */
  private async step(projection: Projection, end: bigint, onFault: OnDeadLetter): Promise<Reached> {
    const cutters = this.cuttersOf(projection);
    let start = 0n;
    try {
      const { write, faults, noteSuccess, ...reached } = await inTransaction(
        this.dataSource,
        async (query): Promise<ProjectionStep> => {
          const before = await lockCheckpoint(query, projection);
          start = before.position;
          // Another process has moved the tables on, or a rebuild has replaced them, so cached state is outdated.
          if (before.write !== this.left.get(projection)) projection.reset?.();
          const isNext = start >= end || cutters.isPageNext;
          cutters.isPageNext = false;
          const worked = isNext ? await this.workOff(projection, start, cutters, query) : undefined;
          if (worked) return worked;
          if (start < end) return this.applyBatch(projection, { ...before, start, end }, cutters, query);
          return { position: start, isWhole: true, faults: [], noteSuccess: () => undefined };
        },
      );
      if (write !== undefined) this.left.set(projection, write);
      noteSuccess();
      for (const fault of faults) onFault(fault);
      return reached;
    } catch (error) {
      projection.reset?.();
      if (error instanceof PoisonedBatch) cutters.batches.noteFailure(error);
      else if (error instanceof PoisonedPage) {
        if (cutters.pages.noteFailure(cutters.pages.limit)) cutters.pageError = error.cause;
      } else throw error;
      return { position: start, isWhole: false };
    }
  }

  private async applyBatch(
    projection: Projection,
    {
      start,
      end,
      excluded,
    }: { readonly start: bigint; readonly end: bigint; readonly excluded: readonly string[] },
    cutters: Cutters,
    query: Query,
  ): Promise<ProjectionStep> {
    const { limit } = cutters.batches.size;
    const range = await this.store.readRange(start, end, projection.handles, limit, toSource(query));
    const handled = range.events.filter((event) => !isExcluded(event, excluded));
    const { events, faults } = cutters.batches.cut(handled, await loadFaultCounts(query, projection));
    const applied = events.length > 0 ? await applyEvents(query, projection, events) : undefined;
    const { count = events.length, isLeft = false } = applied ?? {};
    // The first event waits for deferred work, so a part of that work is done instead.
    const worked = count === 0 && isLeft ? await this.workOff(projection, start, cutters, query) : undefined;
    if (worked) return worked;
    // Waiting events are read again, together with the dead letters after them.
    const waiting = events[count];
    const reached = waiting === undefined ? range.position : waiting.position - 1n;
    const reachedFaults = faults.filter((fault) => fault.position <= reached);
    await writeFaults(query, projection, reachedFaults);
    const { position, write } = await moveCheckpoint(query, projection, reached);
    const noteSuccess = () => {
      cutters.isPageNext = isLeft;
      if (waiting === undefined) cutters.batches.noteSuccess();
    };
    return { position, write, isWhole: !isLeft, faults: reachedFaults, noteSuccess };
  }

  /** @returns undefined if there is no deferred work */
  private async workOff(
    projection: Projection,
    start: bigint,
    cutters: Cutters,
    query: Query,
  ): Promise<ProjectionStep | undefined> {
    const { pages, pageError: error } = cutters;
    const left = await (error === undefined
      ? workPage(query, projection, pages.limit)
      : projection.leaveOut?.(query));
    if (left === undefined) return undefined;
    const faults = error === undefined ? [] : await this.faultsOf(query, projection, left, error);
    await writeFaults(query, projection, faults);
    // Write the row even though the position is unchanged: other processes must see that the tables changed.
    const { position, write } = await moveCheckpoint(query, projection, start);
    const noteSuccess = () => {
      cutters.pageError = undefined;
      pages.noteSuccess();
    };
    return { position, write, isWhole: false, faults, noteSuccess };
  }

  private async faultsOf(
    query: Query,
    projection: Projection,
    position: bigint,
    error: unknown,
  ): Promise<DeadLetter[]> {
    const source = toSource(query);
    const { events } = await this.store.readRange(position - 1n, position, projection.handles, 1, source);
    return events.map(({ stream, type }) => ({ position, stream, type, error: toFaultText(error) }));
  }

  private cuttersOf(projection: Projection): Cutters {
    const cutters = this.cutters.get(projection) ?? {
      batches: new BatchCutter(this.batchSize),
      pages: new HalvingSize(projection.pageSize ?? 1),
      pageError: undefined,
      isPageNext: false,
    };
    this.cutters.set(projection, cutters);
    return cutters;
  }
}

interface Reached {
  readonly position: bigint;
  /** False if events up to the position left deferred work, or if nothing was done. */
  readonly isWhole: boolean;
}

interface ProjectionStep extends Reached {
  /** The value in {@link Checkpoint}; undefined where the row was not written. */
  readonly write?: string;
  readonly faults: readonly DeadLetter[];
  /** Called once the step is committed. */
  readonly noteSuccess: () => void;
}

/** The current batch and page sizes of a projection. */
interface Cutters {
  readonly batches: BatchCutter;
  /** Rows or cells in a page of deferred work. */
  readonly pages: HalvingSize;
  /** The error of the next row or cell, which failed alone and must be skipped; undefined if there is none. */
  pageError: unknown;
  /** Deferred work comes before the next events. */
  isPageNext: boolean;
}

/** A page of deferred work that cannot be done because of the data in the tables; it was rolled back. */
class PoisonedPage extends Error {
  override readonly name = 'PoisonedPage';
}

/** @throws PoisonedPage when the page's data is the cause */
async function workPage(query: Query, projection: Projection, most: number): Promise<bigint | undefined> {
  try {
    return await projection.workOff?.(query, most);
  } catch (error) {
    throw isFaultOfData(error) ? new PoisonedPage('A page cannot be done', { cause: error }) : error;
  }
}

/** @throws PoisonedBatch when the data of an event is the cause */
async function applyEvents(
  query: Query,
  projection: Projection,
  events: readonly RecordedEvent[],
): Promise<Applied | void> {
  try {
    return await projection.apply(events, query);
  } catch (error) {
    throw isFaultOfData(error) ? new PoisonedBatch(events, error) : error;
  }
}

interface Checkpoint extends Pick<ProjectionCheckpointEntity, 'position' | 'version'> {
  /**
   * Identifies the last write of the row. A server that lost a commit reuses its transaction number, so only number and
   * position together are unique.
   */
  readonly write: string;
  /** Ids of the nodes whose events are not in its tables. */
  readonly excluded: readonly string[];
}

const CHECKPOINT = "position, version, excluded, xmin::text || ' at ' || position AS write";

/**
 * Locks the checkpoint, and lets this transaction's commit not wait for the disk. Rows and checkpoint are lost together or
 * not at all, and whatever a server crash loses is read from the log again.
 */
async function lockCheckpoint(query: Query, { name, version }: Projection): Promise<Checkpoint> {
  const select = `SELECT ${CHECKPOINT}, set_config('synchronous_commit', 'off', true)
                    FROM projection_checkpoint WHERE name = $1 FOR UPDATE`;
  let [row] = await query<Checkpoint>(select, [name]);
  if (!row) {
    await query(
      `INSERT INTO projection_checkpoint (name, position, version, excluded) VALUES ($1, 0, $2, ${EXCLUDED})
       ON CONFLICT DO NOTHING`,
      [name, version],
    );
    [row] = await query<Checkpoint>(select, [name]);
  }
  if (!row) throw new Error(`The checkpoint of ${name} is gone`);
  if (row.version !== version) throw new OtherRules(name, row.version, version);
  return row;
}

/** Writes the version with the position. The database refuses any other version, also from future releases. */
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
