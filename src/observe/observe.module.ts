import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type DynamicModule,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LoopsModule } from '../platform/loops/loops.module.js';
import { isInShard } from '../domain/shard.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { EventStore } from '../event-log/event-store.js';
import type { Clock } from '../platform/clock.js';
import { HttpClient } from '../platform/http.js';
import type { Logger } from '../platform/logger.js';
import { LoopDirectory } from '../platform/loops/loop.js';
import type { ObserverPools } from '../platform/pools.js';
import { SteadyObservers } from './clock/clock-watch.js';
import { LEASE_MS, Leadership } from './leadership.js';
import { ObserverLease } from './observer-lease.js';
import { type ObservationPlan, ObserverSupervisor } from './observer-supervisor.js';
import type { PollWatch } from './poll-watch.js';

export interface ObserveOptions {
  readonly plan: ObservationPlan;
  readonly pools: ObserverPools;
  readonly polls: PollWatch;
  readonly clock: Clock;
  readonly logger: Logger;
}

@Injectable()
class ObserveService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly leadership: Leadership,
    private readonly http: HttpClient,
  ) {}

  onApplicationBootstrap(): void {
    this.leadership.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.leadership.stop();
    await this.http.close();
  }
}

/** Runs one loop per node and subject, in the one process that leads. Other modules ask `Leadership` whether this one does. */
@Module({})
export class ObserveModule {
  static forRoot(options: ObserveOptions): DynamicModule {
    return {
      module: ObserveModule,
      imports: [EventLogModule, LoopsModule],
      providers: [
        { provide: HttpClient, useFactory: () => new HttpClient() },
        {
          provide: Leadership,
          inject: [EventStore, HttpClient, LoopDirectory],
          useFactory: (store: EventStore, http: HttpClient, loops: LoopDirectory) =>
            createLeadership(options, store, http, loops),
        },
        ObserveService,
      ],
      exports: [Leadership],
    };
  }
}

function createLeadership(
  { plan, pools: { leases, streams }, polls, clock, logger }: ObserveOptions,
  log: EventStore,
  http: HttpClient,
  loops: LoopDirectory,
): Leadership {
  const store = log.readOver(streams);
  const lease = new ObserverLease({
    dataSource: leases,
    shard: `${plan.shard.index}/${plan.shard.count}`,
    holder: `${hostname()}/${process.pid}/${randomUUID()}`,
    goodForMs: LEASE_MS,
  });
  const nodes = plan.nodes.map(({ id }) => id).filter((id) => isInShard(id, plan.shard));
  const observeOn = (time: Clock) =>
    new ObserverSupervisor(plan, { store, http, clock: time, logger, loops, polls });
  const led = new SteadyObservers({ dataSource: leases, store, clock, logger, loops, nodes, observeOn });
  return new Leadership({ lease, led, appends: store.health, clock, logger });
}
