import type { EventStore } from '../event-log/event-store.js';
import { SystemClock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import { createLogger } from '../platform/logger.js';
import type { LoopDirectory } from '../platform/loops/loop.js';
import type { Database } from '../platform/sql.js';
import { Leadership } from './leadership.js';
import { ObserveModule } from './observe.module.js';

it('reads the streams of observers over connections of their own', () => {
  const streams = {} as Database;
  const { providers = [] } = ObserveModule.forRoot({
    plan: { nodes: [], pace: { floorMs: 1, ceilingMs: 1 }, bytesPerDay: 1, shard: { index: 1, count: 1 } },
    pools: { leases: {} as Database, streams },
    polls: { polled: () => undefined, recorded: () => undefined, watches: () => undefined },
    clock: new SystemClock(),
    logger: createLogger('silent'),
  });
  const used: Database[] = [];
  const log = {
    readOver: (database: Database) => {
      used.push(database);
      return log;
    },
  } as unknown as EventStore;
  const provider = providers.find((each) => 'provide' in each && each.provide === Leadership) as {
    useFactory: (log: EventStore, http: HttpClient, loops: LoopDirectory) => Leadership;
  };
  provider.useFactory(log, {} as HttpClient, {} as LoopDirectory);
  expect(used.map((database) => database === streams)).toEqual([true]);
});
