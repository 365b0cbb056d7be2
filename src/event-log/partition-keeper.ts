import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import type { LogPartitions } from './log-partitions.js';

/** The month that runs, and the next two. */
const MONTHS = 3;

/** At an hour at which little else begins. */
const DAILY = '17 3 * * *';

/**
 * Makes the log's partitions ahead of time, at the start and once a day. A failure is logged and harms nothing: there are
 * sixty more days, and an append whose month is missing makes it first.
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

  /** Makes what is missing, unless that is under way. */
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
