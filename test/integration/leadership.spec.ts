import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { AppendHealth } from '../../src/event-log/append-health.js';
import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { Leadership, type LeadershipPace } from '../../src/observe/leadership.js';
import { ObserverLease } from '../../src/observe/observer-lease.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource, type DatabaseLimits } from '../../src/platform/database.js';
import { createLogger } from '../../src/platform/logger.js';
import { itAtOnce } from '../support/at-once.js';
import { BlackHoleProxy } from '../support/black-hole-proxy.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';

/** As in the product, but with shorter waits. */
const PACE: LeadershipPace = {
  renewEveryMs: 200,
  renewWithinMs: 2_000,
  tryEveryMs: 100,
  appendWithinMs: 2_000,
  failForMs: 2_000,
  restMs: 1_000,
};
const LEASE_MS = 4_000;

/** A lease that no process can take from a living leader while a test runs. */
const LONG_MS = 600_000;

const RETIRED: NewEvent = { type: 'NodeRetired', observedAt: 1, body: {} };

const clock = new SystemClock();

/** A stand-in for the observers: remembers whether they are at work. */
class Crew {
  isAtWork = false;

  start(): Promise<void> {
    this.isAtWork = true;
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.isAtWork = false;
    return Promise.resolve();
  }
}

/** Counts how often the lease was requested. */
class CountingLease extends ObserverLease {
  tries = 0;

  override take(): Promise<boolean> {
    this.tries += 1;
    return super.take();
  }
}

/** An observing process, without a process of its own. */
interface Observer {
  readonly crew: Crew;
  readonly lease: CountingLease;
  readonly leadership: Leadership;
}

interface ObserverOptions {
  readonly goodForMs?: number;
  readonly leases?: DataSource;
  readonly appends?: AppendHealth;
  readonly pace?: LeadershipPace;
}

/** The processes of one test, which end with it. */
class Processes {
  /** In the order of creation. */
  private readonly left: (() => Promise<void>)[] = [];

  constructor(
    private readonly url: string,
    private readonly direct: DataSource,
  ) {}

  observe(shard: string, { appends, pace = PACE, ...options }: ObserverOptions = {}): Observer {
    const crew = new Crew();
    const lease = this.makeLease(shard, options);
    const leadership = new Leadership({
      lease,
      led: crew,
      appends: appends ?? new AppendHealth(clock),
      clock,
      logger: createLogger('silent'),
      pace,
    });
    this.left.push(() => leadership.stop());
    return { crew, lease, leadership };
  }

  makeLease(shard: string, { goodForMs = LEASE_MS, leases = this.direct }: ObserverOptions = {}) {
    return new CountingLease({ dataSource: leases, shard, holder: `holder ${randomUUID()}`, goodForMs });
  }

  async open(
    url = this.url,
    limits: DatabaseLimits = { statementMs: 900, idleInTransactionMs: 900 },
  ): Promise<DataSource> {
    const dataSource = await createDataSource({ url, poolSize: 2, limits }).initialize();
    this.left.push(() => dataSource.destroy());
    return dataSource;
  }

  async openProxy(): Promise<BlackHoleProxy> {
    const proxy = await BlackHoleProxy.start(this.url);
    this.left.push(() => proxy.stop());
    return proxy;
  }

  async end(): Promise<void> {
    for (const end of this.left.reverse()) await end();
  }
}

describe('observing processes', () => {
  let database: TestDatabase;
  let direct: DataSource;

  beforeAll(async () => {
    database = await startTestDatabase();
    direct = await createDataSource({ url: database.url, poolSize: 30 }).initialize();
  });

  afterAll(async () => {
    await direct?.destroy();
    await database?.stop();
  });

  const alone = (use: (own: Processes) => Promise<void>) => async (): Promise<void> => {
    const own = new Processes(database.url, direct);
    try {
      await use(own);
    } finally {
      await own.end();
    }
  };

  itAtOnce({
    'are active one at a time, and a clean stop lets the next one in at once': alone(async (own) => {
      const [first, second] = [
        own.observe('one', { goodForMs: LONG_MS }),
        own.observe('one', { goodForMs: LONG_MS }),
      ];
      first.leadership.start();
      await until(() => first.crew.isAtWork);
      second.leadership.start();
      await until(() => second.lease.tries > 2);
      expect(second.crew.isAtWork).toBe(false);
      expect([first, second].map(({ leadership }) => leadership.state.is)).toEqual(['leading', 'standby']);
      await first.leadership.stop();
      expect(first.crew.isAtWork).toBe(false);
      expect(first.leadership.state.is).toBe('standby');
      // The lease of the first process would have been valid for ten minutes.
      await until(() => second.crew.isAtWork);
    }),

    'of different shards do not wait for each other': alone(async (own) => {
      const observers = ['1/2', '2/2'].map((shard) => own.observe(shard, { goodForMs: LONG_MS }));
      for (const { leadership } of observers) leadership.start();
      await until(() => observers.every(({ crew }) => crew.isAtWork));
      expect(observers.map(({ leadership }) => leadership.state.is)).toEqual(['leading', 'leading']);
    }),

    'take over when the lease of one that vanished has run out, and not before': alone(async (own) => {
      const gone = own.makeLease('vanished');
      expect(await gone.take()).toBe(true);
      const [lease] = await direct.query("SELECT expires_at FROM observer_lease WHERE shard = 'vanished'");
      const standby = own.observe('vanished');
      standby.leadership.start();
      await until(() => standby.crew.isAtWork);
      const [row] = await direct.query(
        "SELECT taken_at, renewed_at FROM observer_lease WHERE shard = 'vanished'",
      );
      expect(row.taken_at).toBeGreaterThanOrEqual(lease.expires_at);
      expect(await gone.take()).toBe(false);
      await gone.giveBack();
      const tries = standby.lease.tries;
      await until(() => standby.lease.tries > tries + 1);
      expect(standby.leadership.state.is).toBe('leading');
    }),

    'take over at once when the session of one that was killed is gone': alone(async (own) => {
      const killed = await own.open();
      expect(await own.makeLease('killed', { goodForMs: LONG_MS, leases: killed }).take()).toBe(true);
      const standby = own.observe('killed', { goodForMs: LONG_MS });
      standby.leadership.start();
      await until(() => standby.lease.tries > 2);
      expect(standby.crew.isAtWork).toBe(false);
      await direct.query("SELECT pg_terminate_backend(session) FROM observer_lease WHERE shard = 'killed'");
      await until(() => standby.crew.isAtWork);
    }),

    'stop when another one has the lease': alone(async (own) => {
      const leader = own.observe('stolen');
      leader.leadership.start();
      await until(() => leader.crew.isAtWork);
      await direct.query(
        "UPDATE observer_lease SET holder = 'thief', expires_at = now() + interval '2 seconds' WHERE shard = 'stolen'",
      );
      await until(() => leader.leadership.state.is === 'lost' && !leader.crew.isAtWork);
      expect(leader.leadership.state.reason).toBe('another process has taken the lease');
      await until(() => leader.crew.isAtWork);
      expect(leader.leadership.state).toMatchObject({ is: 'leading', since: expect.any(Number) });
    }),

    'take a lease that was written before the clock of the database was set back': alone(async (own) => {
      const [before, after] = [own.makeLease('clock'), own.makeLease('clock')];
      expect(await before.take()).toBe(true);
      expect(await after.take()).toBe(false);
      await direct.query(
        "UPDATE observer_lease SET expires_at = now() + interval '1 hour' WHERE shard = 'clock'",
      );
      expect(await after.take()).toBe(true);
    }),

    'stop while the lease cannot be renewed, and go on when it can': alone(async (own) => {
      const proxy = await own.openProxy();
      const leader = own.observe('cut off', { leases: await own.open(proxy.url) });
      leader.leadership.start();
      await until(() => leader.crew.isAtWork);
      proxy.refuse(true);
      await until(() => leader.leadership.state.is === 'lost' && !leader.crew.isAtWork);
      expect(leader.leadership.state.reason).toMatch(/^the lease c/);
      proxy.refuse(false);
      await until(() => leader.crew.isAtWork);
    }),

    'keep leading when the connection of the lease dies and another can be made': alone(async (own) => {
      const proxy = await own.openProxy();
      const leader = own.observe('reconnects', {
        leases: await own.open(proxy.url),
        pace: { ...PACE, renewWithinMs: 60_000 },
      });
      leader.leadership.start();
      await until(() => leader.crew.isAtWork);
      proxy.swallow();
      const { tries } = leader.lease;
      await until(() => leader.lease.tries > tries + 3);
      expect(leader.leadership.state.is).toBe('leading');
      const [row] = await direct.query(
        "SELECT expires_at > now() AS good FROM observer_lease WHERE shard = 'reconnects'",
      );
      expect(row).toEqual({ good: true });
    }),

    'hand over when an append of theirs hangs, although the lease can be renewed': alone(async (own) => {
      const proxy = await own.openProxy();
      const through = await own.open(proxy.url, { statementMs: 3_000, idleInTransactionMs: 1_000 });
      const [mine, theirs] = [new EventStore(through), new EventStore(direct)];
      const leader = own.observe('hangs', { appends: mine.health, goodForMs: LONG_MS });
      const standby = own.observe('hangs', { appends: theirs.health, goodForMs: LONG_MS });
      expect(await append(mine, 0n)).toEqual({ won: true, version: 1n });
      leader.leadership.start();
      await until(() => leader.crew.isAtWork);
      standby.leadership.start();
      proxy.swallow();
      const hanging = append(mine, 1n);
      await until(() => standby.crew.isAtWork);
      expect(leader.crew.isAtWork).toBe(false);
      expect(await append(theirs, 1n)).toEqual({ won: true, version: 2n });
      await expect(hanging).rejects.toThrow('The database did not answer for 4 s');
      expect(mine.health.trouble?.error).toMatch(/did not answer/);
      // The connections that died have left the pool.
      expect(await append(mine, 2n)).toEqual({ won: true, version: 3n });
      expect(mine.health.trouble).toBeUndefined();
    }),

    'do not wait for long for one that vanished in the middle of an append': alone(async (own) => {
      const proxy = await own.openProxy();
      const runner = (
        await own.open(proxy.url, { statementMs: 3_000, idleInTransactionMs: 1_000 })
      ).createQueryRunner();
      await runner.query('BEGIN');
      await runner.query('SELECT position FROM log_head FOR UPDATE');
      proxy.swallow();
      expect(await append(new EventStore(direct), 0n, 'vanished/node')).toEqual({ won: true, version: 1n });
    }),

    'hand over when no append of theirs gets through, and lead again when nobody else does': alone(
      async (own) => {
        const appends = new AppendHealth(clock);
        const leader = own.observe('fails', { appends });
        appends.failed(new Error('the disk is full'));
        leader.leadership.start();
        await until(() => leader.crew.isAtWork);
        await until(() => leader.leadership.state.is === 'lost');
        expect(leader.leadership.state.reason).toBe('no append succeeded for 2 s: the disk is full');
        await until(() => leader.leadership.state.is === 'leading');
      },
    ),
  });

  function append(store: EventStore, expectedVersion: bigint, stream = 'hangs/node') {
    return store.append({ stream, expectedVersion, events: [RETIRED] });
  }

  /** Waits for a condition that must come true in the end; jest's own time limit ends a vain wait. */
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await clock.sleep(20);
  }
});
