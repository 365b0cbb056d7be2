import type { DataSource } from 'typeorm';
import type { RecordedEvent } from '../../../src/domain/events.js';
import { inTransaction } from '../../../src/platform/sql.js';
import { isFaultOfData } from '../../../src/projections/faults.js';
import { RecordProjection } from '../../../src/projections/record/projection.js';
import type { RecordEvent } from '../../../src/projections/record/facts/decode.js';
import { RollUp } from '../../../src/statistics/roll-up/roll-up.js';
import { emptyTables } from '../empty-tables.js';

/** How a log is projected. By default small logs defer no decision, and no process is killed. */
export interface Way {
  /** Rows or DA heights per deferred task. */
  readonly pageSize?: number;
  /** As in `RecordProjection`; 0: everything that an event does not name is deferred. */
  readonly mostAtOnce?: number;
  /** The process is killed after this many batches and deferred tasks, and another continues. */
  readonly killEvery?: number;
}

/** The tables of the record, filled in batches, with a deferred task after each of them. */
export class ProjectedRecord {
  /** The number of deferred tasks that found work since `begin`. */
  turns = 0;
  /** How often an event had to wait for deferred tasks. */
  waits = 0;
  private steps = 0;
  private projection: RecordProjection;

  constructor(
    private readonly dataSource: DataSource,
    private readonly way: Way = {},
  ) {
    this.projection = this.newProjection();
  }

  /** Empties all tables. */
  async begin(): Promise<void> {
    this.projection = this.newProjection();
    this.turns = 0;
    this.waits = 0;
    const statistics = ['statistic', 'block_statistic', 'roll_up_mark', 'statistic_state'];
    await emptyTables(this.dataSource, [...this.projection.tables, ...statistics]);
  }

  /**
   * Applies the next events in batches of a size.
   *
   * @returns the applied events, without those whose data the database refuses; the runner skips these too
   */
  async apply(events: readonly RecordedEvent[], batchSize: number): Promise<RecordedEvent[]> {
    const taken: RecordedEvent[] = [];
    for (let from = 0; from < events.length; from += batchSize) {
      const batch = events.slice(from, from + batchSize);
      const refused = await this.applyBatch(batch);
      for (const event of batch.slice(0, batch.length - refused.length)) taken.push(event);
      if (batch.length > 1) for (const event of await this.apply(refused, 1)) taken.push(event);
    }
    return taken;
  }

  /** Runs all deferred decisions. */
  async workOff(): Promise<void> {
    while (await this.workTurn());
  }

  /** Adds up the chains' figures. */
  async rollUp(): Promise<void> {
    await new RollUp(this.dataSource).run();
  }

  /** @returns the events from the first refused one on; empty if the database accepted all */
  private async applyBatch(batch: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
    const handled: readonly string[] = this.projection.handles;
    let events = batch.filter((event): event is RecordEvent => handled.includes(event.type));
    try {
      while (events.length > 0) {
        const { projection } = this;
        const applying = inTransaction(this.dataSource, (query) => projection.apply(events, query));
        const { count, isLeft } = await applying;
        this.noteStep();
        if (count < events.length) this.waits += 1;
        events = events.slice(count);
        if (isLeft) await this.workTurn();
      }
      return [];
    } catch (error) {
      // A bug must not count as an event with bad data.
      if (!isFaultOfData(error)) throw error;
      this.projection = this.newProjection();
      return batch.slice(batch.indexOf(events[0]!));
    }
  }

  private async workTurn(): Promise<boolean> {
    const { projection } = this;
    const work = inTransaction(this.dataSource, (query) => projection.workOff(query, projection.pageSize));
    const left = await work;
    if (left === undefined) return false;
    this.turns += 1;
    this.noteStep();
    return true;
  }

  private noteStep(): void {
    this.steps += 1;
    if (this.way.killEvery && this.steps % this.way.killEvery === 0) this.projection = this.newProjection();
  }

  private newProjection(): RecordProjection {
    return new RecordProjection(this.way.pageSize, this.way.mostAtOnce);
  }
}
