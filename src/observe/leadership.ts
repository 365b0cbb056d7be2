import type { DataSource } from 'typeorm';
import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import { onConnection, type Query } from '../platform/sql.js';

/** How often a standby tries for the lock, and the active process makes sure that it still has it. */
const BEAT_MS = 2_000;

/** What an active observer does while it leads. */
export interface Led {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Lets one process at a time observe a shard: the one whose database session holds the advisory lock.
 * When that process or its connection dies the lock is free, and a standby takes over within seconds.
 *
 * Two active observers for a moment would do no harm, since appends are optimistic; they would only be a waste.
 */
export class Leadership {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly led: Led,
    /** Names the lock; equal for the processes that stand in for each other. */
    private readonly shard: string,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Stops leading (or waiting) and gives the lock back. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await onConnection(this.dataSource, (query) => this.leadWhileHeld(query));
      } catch (error) {
        this.logger.warn(
          { shard: this.shard, error: messageOf(error) },
          'lost the database session that observes',
        );
      }
      await this.clock.sleep(BEAT_MS, signal);
    }
  }

  private async leadWhileHeld(query: Query): Promise<void> {
    const { signal } = this.stopping;
    let told = false;
    while (!(await this.tryLock(query))) {
      if (!told) this.logger.info({ shard: this.shard }, 'another process observes this shard; standing by');
      told = true;
      await this.clock.sleep(BEAT_MS, signal);
      if (signal.aborted) return;
    }
    this.logger.info({ shard: this.shard }, 'observing');
    try {
      await this.led.start();
      while (!signal.aborted) {
        await this.clock.sleep(BEAT_MS, signal);
        await query('SELECT 1');
      }
    } finally {
      await this.led.stop();
      await query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [this.lockName]).catch(
        () => undefined,
      );
    }
  }

  private async tryLock(query: Query): Promise<boolean> {
    const [row] = await query<{ won: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won',
      [this.lockName],
    );
    return row?.won ?? false;
  }

  private get lockName(): string {
    return `hindsight observer ${this.shard}`;
  }
}
