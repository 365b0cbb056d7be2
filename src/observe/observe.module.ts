import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isInShard } from '../domain/shard.js';
import { EventStore } from '../event-log/event-store.js';
import type { Clock } from '../platform/clock.js';
import { HttpClient } from '../platform/http.js';
import type { Logger } from '../platform/logger.js';
import { SteadyObservers } from './clock/steady-observers.js';
import { Leadership } from './leadership.js';
import { type ObservationPlan, ObserverSupervisor } from './observer-supervisor.js';

/** What the composition root gives this stage. */
export interface ObserveOptions {
  readonly plan: ObservationPlan;
  readonly clock: Clock;
  readonly logger: Logger;
}

const OBSERVE_OPTIONS = Symbol('ObserveOptions');

/** Observes while this process leads its shard. */
@Injectable()
class ObserveService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly http = new HttpClient();
  private readonly leadership: Leadership;

  constructor(dataSource: DataSource, store: EventStore, @Inject(OBSERVE_OPTIONS) options: ObserveOptions) {
    const { plan, clock, logger } = options;
    const nodes = plan.nodes.map(({ id }) => id).filter((id) => isInShard(id, plan.shard));
    const observeOn = (time: Clock) => new ObserverSupervisor(plan, store, this.http, time, logger);
    const observers = new SteadyObservers({ dataSource, store, clock, logger, nodes, observeOn });
    const shard = `${plan.shard.index}/${plan.shard.count}`;
    this.leadership = new Leadership(dataSource, clock, logger, observers, shard);
  }

  onApplicationBootstrap(): void {
    this.leadership.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.leadership.stop();
    await this.http.close();
  }
}

/** Observers: one loop per node and subject, in the one process that leads. */
@Module({})
export class ObserveModule {
  static forRoot(options: ObserveOptions): DynamicModule {
    return {
      module: ObserveModule,
      providers: [{ provide: OBSERVE_OPTIONS, useValue: options }, ObserveService],
    };
  }
}
