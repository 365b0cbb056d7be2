import type { DataSource } from 'typeorm';
import type { RecordedEvent } from '../../../src/domain/events.js';
import { inTransaction } from '../../../src/platform/sql.js';
import { RecordProjection as RecordProjection } from '../../../src/projections/record/projection.js';
import type { RecordEvent } from '../../../src/projections/record/facts/decode.js';
import { RollUp } from '../../../src/statistics/roll-up/roll-up.js';

/** The tables of the record, filled event by event or in batches. */
export class ProjectedRecord {
  private projection = new RecordProjection();

  /** @param turns rows or DA heights of a turn, and what is left to turns; nothing of what these logs touch when left out */
  constructor(
    private readonly dataSource: DataSource,
    private readonly turns?: { readonly pageSize: number; readonly mostAtOnce: number },
  ) {}

  private newProjection(): RecordProjection {
    return new RecordProjection(this.turns?.pageSize, this.turns?.mostAtOnce);
  }

  /** Empties all tables. */
  async begin(): Promise<void> {
    this.projection = this.newProjection();
    const tables = [
      ...this.projection.tables,
      'statistic',
      'block_statistic',
      'roll_up_mark',
      'statistic_state',
    ];
    await this.dataSource.query(`TRUNCATE ${tables.join(', ')}`);
  }

  /**
   * Applies what comes next in batches of a size.
   *
   * @returns the events that were taken: one that the database refuses for what is in it is left out, as the runner does
   */
  async apply(events: readonly RecordedEvent[], batchSize: number): Promise<RecordedEvent[]> {
    const taken: RecordedEvent[] = [];
    for (let from = 0; from < events.length; from += batchSize) {
      const batch = events.slice(from, from + batchSize);
      if (await this.applyBatch(batch)) for (const event of batch) taken.push(event);
      else if (batchSize > 1) for (const event of await this.apply(batch, 1)) taken.push(event);
    }
    return taken;
  }

  /** Decides all that is left. */
  async workOff(): Promise<void> {
    const work = () =>
      inTransaction(this.dataSource, (query) => this.projection.workOff(query, this.projection.pageSize));
    while ((await work()) !== undefined);
  }

  /** Adds up the chains' figures. */
  async rollUp(): Promise<void> {
    await new RollUp(this.dataSource).run();
  }

  private async applyBatch(batch: readonly RecordedEvent[]): Promise<boolean> {
    const events = batch.filter((event): event is RecordEvent =>
      (this.projection.handles as readonly string[]).includes(event.type),
    );
    try {
      await inTransaction(this.dataSource, (query) => this.projection.apply(events, query));
      return true;
    } catch (error) {
      if (process.env['ORACLE_DEBUG']) console.log(error);
      this.projection = this.newProjection();
      return false;
    }
  }
}
