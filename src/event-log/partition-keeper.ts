import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import type { LogPartitions } from './log-partitions.js';

/** The current month and the next two. */
const MONTHS = 3;

/** At 03:17 UTC, when little else starts. */
const DAILY = '17 3 * * *';

/**
 * Makes the log's partitions ahead of time, at the start and once a day. A failure is logged and harmless: partitions exist for
 * sixty more days, and an append whose month is missing makes the partition first.
 */
@Injectable()
export class PartitionKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private keeping: Promise<void> | undefined;
  private isStopped = false;

  constructor(
    private readonly partitions: LogPartitions,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.tick();
  }

  /** Makes missing partitions, unless that is already running. */
  @Cron(DAILY, { name: 'log-partitions', timeZone: 'UTC' })
  tick(): void {
    if (this.isStopped) return;
    this.keeping ??= this.keep().finally(() => {
      this.keeping = undefined;
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.keeping;
  }

  private async keep(): Promise<void> {
    try {
      await this.partitions.ensureAhead(MONTHS);
    } catch (error) {
      this.logger.warn({ error: messageOf(error) }, 'the next partitions of the log could not be made');
    }
  }
}
