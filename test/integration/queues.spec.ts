import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  JobInterrupted,
  JobPostponed,
  type JobContext,
  type JobKind,
  type ScheduledKind,
} from '../../src/platform/queues/job-kind.js';
import { QueueUnavailable } from '../../src/platform/queues/job-queue.js';
import type { QueueLocation } from '../../src/platform/queues/queue-location.js';
import { itAtOnce } from '../support/at-once.js';
import { BlackHoleProxy } from '../support/black-hole-proxy.js';
import { startEmptyDatabase } from '../support/database.js';
import { GREETING, QueueHarness, type Greeting } from '../support/queue-harness.js';
import { itHasRedis, QUEUE_BACKENDS, startTestQueue, type TestQueue } from '../support/queue-backends.js';
import { askRedis, startTestRedis, type TestRedis } from '../support/redis.js';
import { waitFor } from '../support/service-process.js';

/** Whatever happens to the queue, nothing of ours may take longer than a process has to stop. */
const STOP_LIMIT_MS = 5_000;

/** Far enough away for every test except one in the first seconds of a year. */
const TICK: ScheduledKind = {
  name: 'yearly tick',
  data: z.strictObject({}),
  attempts: 1,
  firstBackoffMs: 100,
  identify: () => '',
  isKept: false,
  schedule: '0 0 0 1 1 *',
};

describe('the queue tests', itHasRedis);

describe.each(QUEUE_BACKENDS)('the job queue on %s', (backend) => {
  let place: TestQueue;
  let harness: QueueHarness;

  beforeAll(async () => {
    place = await startTestQueue(backend, 1);
  });

  beforeEach(() => {
    harness = new QueueHarness(place.place);
  });

  afterEach(() => harness.stop());
  afterAll(() => place?.stop());

  it('gives a job to a worker, and shows how it went', async () => {
    const seen: Greeting[] = [];
    harness.startWorker(async (data, { progress }) => {
      seen.push(data);
      progress(0.25);
    });
    const id = await harness.queue.add(GREETING, { to: 'Ada' });
    const job = await harness.waitForState(id, 'COMPLETED');
    expect(seen).toEqual([{ to: 'Ada' }]);
    expect(job).toMatchObject({
      id,
      name: 'greet',
      data: { to: 'Ada' },
      progress: 0.25,
      attempts: 1,
      failedReason: null,
    });
    expect(job.startedAt).toBeLessThanOrEqual(job.finishedAt ?? 0);
  });

  it('makes one job of a flood, even while it is running, and another one afterwards', async () => {
    const calls: (() => void)[] = [];
    harness.startWorker(() => new Promise((resolve) => calls.push(resolve)));
    const ids = await Promise.all(
      Array.from({ length: 50 }, () => harness.queue.add(GREETING, { to: 'Grace' })),
    );
    expect(new Set(ids).size).toBe(1);
    await waitFor('the job to begin', () => calls.length || undefined);
    expect(await harness.queue.add(GREETING, { to: 'Grace' })).toBe(ids[0]);
    calls[0]?.();
    await harness.waitForState(ids[0] ?? '', 'COMPLETED');
    expect(await harness.queue.add(GREETING, { to: 'Grace' })).not.toBe(ids[0]);
    await waitFor('the second job to begin', () => calls[1]);
    calls[1]?.();
  });

  it('retries a failing job with growing pauses, then shows it as failed, and runs it again on request', async () => {
    const begun: number[] = [];
    let isBroken = true;
    harness.startWorker(async () => {
      begun.push(performance.now());
      if (isBroken) throw new Error('the greeting stuck in the throat');
    });
    const id = await harness.queue.add(GREETING, { to: 'Edsger' });
    const failed = await harness.waitForState(id, 'FAILED');
    expect(failed).toMatchObject({ attempts: 3, failedReason: 'the greeting stuck in the throat' });
    // 100 ms, then 200 ms; timers may be a millisecond early.
    const [first = 0, second = 0, third = 0] = begun;
    expect(second - first).toBeGreaterThan(90);
    expect(third - second).toBeGreaterThan(180);
    expect((await harness.queue.list(['FAILED'], 10)).map((job) => job.id)).toContain(id);
    isBroken = false;
    expect(await harness.queue.retry(id)).toBe(true);
    expect(await harness.waitForState(id, 'COMPLETED')).toMatchObject({ failedReason: null });
    expect(await harness.queue.retry(id)).toBe(false);
    expect(await harness.queue.retry('999999')).toBe(false);
    expect(await harness.queue.find('999999')).toBeUndefined();
  });

  it('fails a job with unexpected data, and an unknown job', async () => {
    harness.startWorker(async () => undefined);
    const other = { ...GREETING, attempts: 1 } as unknown as JobKind;
    const wrong = await harness.queue.add({ ...other, identify: () => 'wrong' }, { to: 7 });
    const unknown = await harness.queue.add({ ...other, name: 'sing', identify: () => '' }, { to: 'Ada' });
    expect((await harness.waitForState(wrong, 'FAILED')).failedReason).toMatch(/data of the job/);
    expect((await harness.waitForState(unknown, 'FAILED')).failedReason).toMatch(
      /does not know the job "sing"/,
    );
  });

  it('lists the newest jobs first, as many as requested', async () => {
    // No worker knows the job, and it is not tried again before the end of the test.
    const quiet = { ...GREETING, name: `greet ${backend}`, firstBackoffMs: 3_600_000 };
    const ids: string[] = [];
    for (const to of ['a', 'b', 'c']) {
      ids.unshift(await harness.queue.add(quiet, { to }));
      await sleep(2);
    }
    expect((await harness.queue.list(['WAITING'], 2)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(await harness.queue.list([], 2)).toEqual([]);
    expect(await harness.queue.getState()).toMatchObject({
      backend,
      state: 'reachable',
      jobs: { waiting: 3 },
    });
    harness.startWorker(async () => undefined);
    for (const id of ids) await harness.waitForState(id, 'DELAYED');
  });

  it('hands a job over when its worker is stopped, without counting that as a failure', async () => {
    let isBegun = false;
    const leaving = harness.startWorker(async (_, { signal }: JobContext) => {
      isBegun = true;
      while (!signal.aborted) await sleep(5);
      throw new JobInterrupted();
    });
    const id = await harness.queue.add({ ...GREETING, attempts: 1 }, { to: 'Barbara' });
    await waitFor('the job to begin', () => isBegun || undefined);
    await leaving.stop();
    expect(await harness.queue.find(id)).toMatchObject({ state: 'WAITING', failedReason: null });
    harness.startWorker(async () => undefined);
    await harness.waitForState(id, 'COMPLETED');
  });

  it('leaves a job for later if another process works on it, without counting that as a failure', async () => {
    let calls = 0;
    harness.startWorker(async () => {
      calls += 1;
      if (calls < 3) throw new JobPostponed(50.25, 'taken');
    });
    const id = await harness.queue.add({ ...GREETING, attempts: 1 }, { to: 'Donald' });
    await harness.waitForState(id, 'COMPLETED');
    expect(calls).toBe(3);
  });

  it('does not keep a process alive that was stopped in the middle of a job', async () => {
    // No worker knows the job, so it is tried again in an hour.
    const unknown = { ...GREETING, name: 'greet later', firstBackoffMs: 3_600_000 };
    const first = harness.startWorker(async () => undefined);
    await harness.waitForState(await harness.queue.add(unknown, { to: 'Ada' }), 'DELAYED');
    await first.stop();
    const timers = new LongTimers();
    try {
      await leaveInTheMiddle(harness);
    } finally {
      timers.stop();
    }
    // BullMQ waits until then.
    expect(timers.left.size).toBe(0);
  });

  it('signals a job that its time is up, and fails one that continues', async () => {
    const told: string[] = [];
    const short = { ...GREETING, attempts: 1, deadlineMs: 100 };
    harness.startWorker(async ({ to }, { signal }) => {
      await once(signal, 'abort');
      told.push(to);
      if (to === 'deaf') await new Promise(() => undefined);
    }, short);
    const [heeding, deaf] = [
      await harness.queue.add(short, { to: 'heeding' }),
      await harness.queue.add(short, { to: 'deaf' }),
    ];
    await harness.waitForState(heeding, 'COMPLETED');
    const job = await harness.waitForState(deaf, 'FAILED');
    expect(job.failedReason).toBe('The job did not finish within 0.1 s.');
    expect(told.toSorted()).toEqual(['deaf', 'heeding']);
  });

  it('starts scheduled jobs by itself, and shows the schedule instead of the jobs it makes for later', async () => {
    let begun = 0;
    const before = await harness.queue.getState();
    const every: ScheduledKind = { ...TICK, name: 'tick', schedule: '* * * * * *' };
    harness.startWorker(async () => void (begun += 1), every);
    await harness.queue.schedule([every, TICK], 'anew');
    await waitFor('two of them', () => begun >= 2 || undefined);
    const { jobs, schedules } = await harness.queue.getState();
    expect(jobs?.delayed).toBe(before.jobs?.delayed);
    expect(schedules?.map(({ name }) => name)).toEqual(['tick', 'yearly tick']);
    expect(schedules?.[1]?.nextSeconds).toBeGreaterThan(0);
    const shown = await harness.queue.list(['WAITING', 'DELAYED', 'FAILED'], 100);
    expect(shown.map(({ name }) => name)).not.toContain('yearly tick');
    await place.loseSchedules();
  });

  it('accepts a schedule from many processes at once, and leaves it as it was if it must not be changed', async () => {
    const queues = Array.from({ length: 5 }, () => harness.openQueue());
    await Promise.all(queues.map((queue) => queue.schedule([TICK], 'anew')));
    const next = async () =>
      (await harness.queue.getState()).schedules?.find(({ name }) => name === 'yearly tick');
    const before = (await next())?.nextSeconds ?? 0;
    await harness.queue.schedule([{ ...TICK, schedule: '0 0 0 * * *' }], 'where missing');
    expect((await next())?.nextSeconds).toBeGreaterThan(before - 60);
    await place.loseSchedules();
    expect(await next()).toBeUndefined();
    await harness.queue.schedule([TICK], 'where missing');
    expect(await next()).toBeDefined();
    await place.loseSchedules();
  });

  it('drops jobs that ended long ago, and no others', async () => {
    harness.startWorker(async () => undefined);
    const [old, young] = [
      await harness.queue.add(GREETING, { to: 'of old' }),
      await harness.queue.add(GREETING, { to: 'of late' }),
    ];
    await harness.waitForState(old, 'COMPLETED');
    await harness.waitForState(young, 'COMPLETED');
    await place.ageJob(old, 8 * 24 * 3_600_000);
    await harness.queue.dropOld();
    expect(await harness.queue.find(old)).toBeUndefined();
    expect(await harness.queue.find(young)).toMatchObject({ state: 'COMPLETED' });
  });

  it('refuses everything once it is closed', async () => {
    await harness.queue.close();
    await expect(harness.queue.add(GREETING, { to: 'nobody' })).rejects.toBeInstanceOf(QueueUnavailable);
    expect(await harness.queue.getState()).toMatchObject({ state: 'unreachable' });
  });
});

/** Timers of more than ten minutes that are set while this runs, and are not cleared. */
class LongTimers {
  readonly left = new Set<unknown>();
  private readonly real = { setTimeout, clearTimeout };

  constructor() {
    const { real, left } = this;
    globalThis.setTimeout = Object.assign((...given: Parameters<typeof setTimeout>) => {
      const timer = real.setTimeout(...given);
      if ((given[1] ?? 0) > 600_000) left.add(timer);
      return timer;
    }, real.setTimeout);
    globalThis.clearTimeout = (timer) => {
      left.delete(timer);
      real.clearTimeout(timer);
    };
  }

  stop(): void {
    Object.assign(globalThis, this.real);
  }
}

/** Has a worker begin a job, and stops it, so that it neither ends the job nor keeps it, as if its process had been killed. */
async function leaveInTheMiddle(harness: QueueHarness): Promise<string> {
  let isBegun = false;
  const worker = harness.startWorker(() => {
    isBegun = true;
    return new Promise(() => undefined);
  });
  const id = await harness.queue.add(GREETING, { to: 'Alan' });
  await waitFor('the job to begin', () => isBegun || undefined);
  const stop = performance.now();
  await worker.stop();
  expect(performance.now() - stop).toBeLessThan(STOP_LIMIT_MS);
  return id;
}

/** A job that one worker left in the middle is done by another one. */
async function isTakenOver(backend: QueueLocation['backend']): Promise<void> {
  const queue = await startTestQueue(backend, 1);
  const [gone, other] = [new QueueHarness(queue.place), new QueueHarness(queue.place)];
  try {
    const id = await leaveInTheMiddle(gone);
    other.startWorker(async () => undefined);
    await other.waitForState(id, 'COMPLETED');
  } finally {
    await Promise.all([gone.stop(), other.stop()]);
    await queue.stop();
  }
}

/** A queue and a worker whose Postgres refuses them at first, then accepts connections and answers nothing, then works. */
async function waitsForPostgres(): Promise<void> {
  const database = await startEmptyDatabase();
  const proxy = await BlackHoleProxy.start(database.url);
  proxy.refuse(true);
  const harness = new QueueHarness({ backend: 'postgres', url: proxy.url });
  try {
    const greeted: string[] = [];
    harness.startWorker(async ({ to }) => void greeted.push(to));
    await expect(harness.queue.add(GREETING, { to: 'Ada' })).rejects.toBeInstanceOf(QueueUnavailable);
    proxy.refuse(false);
    proxy.hang(true);
    await sleep(4_000);
    await expect(harness.queue.add(GREETING, { to: 'Ada' })).rejects.toBeInstanceOf(QueueUnavailable);
    proxy.refuse(true);
    proxy.refuse(false);
    proxy.hang(false);
    await waitFor('a job to be added', () => harness.queue.add(GREETING, { to: 'Grace' }));
    await waitFor('it to be done', () => greeted.includes('Grace') || undefined);
  } finally {
    await harness.stop();
    await proxy.stop();
    await database.stop();
  }
}

/** A worker whose Redis refuses the first question, the one for its release, for a while. */
async function waitsForRedis(): Promise<void> {
  const redis = await startTestRedis(2);
  const [user, password] = ['refused', 'of-letters'];
  const rule = (...words: string[]): Promise<unknown> =>
    askRedis(redis.url, (client) => client.call('ACL', 'SETUSER', user, ...words));
  await rule('on', `>${password}`, '~*', '&*', '+@all', '-info');
  const url = Object.assign(new URL(redis.url), { username: user, password }).toString();
  const harness = new QueueHarness({ backend: 'redis', url, prefix: 'test' });
  try {
    const greeted: string[] = [];
    harness.startWorker(async ({ to }) => void greeted.push(to));
    await harness.queue.add(GREETING, { to: 'Ada' });
    await sleep(1_500);
    expect(greeted).toEqual([]);
    await rule('+info');
    await waitFor('it to be done', () => greeted.includes('Ada') || undefined);
  } finally {
    await harness.stop();
    await askRedis(redis.url, (client) => client.call('ACL', 'DELUSER', user));
    await redis.stop();
  }
}

/** A queue with its own Redis, which can be made to fail. */
class FailingQueue {
  readonly harness: QueueHarness;
  readonly greeted: string[] = [];

  private constructor(readonly redis: TestRedis) {
    this.harness = new QueueHarness({ backend: 'redis', url: redis.url, prefix: 'test' });
  }

  /** @param database see `startTestRedis` */
  static async use(database: number, use: (failing: FailingQueue) => Promise<void>): Promise<void> {
    const redis = await startTestRedis(database);
    const failing = new FailingQueue(redis);
    try {
      await use(failing);
    } finally {
      redis.resume();
      await failing.harness.stop();
      await redis.stop();
    }
  }

  readonly greet = async ({ to }: Greeting): Promise<void> => void this.greeted.push(to);

  /** Retries until the queue accepts a job, and waits until a worker has done it. */
  async worksAgain(name: string): Promise<void> {
    await waitFor(`${name} to be added`, () => this.harness.queue.add(GREETING, { to: name }));
    await waitFor(`${name} to be greeted`, () => this.greeted.includes(name) || undefined);
    expect(await this.harness.queue.getState()).toMatchObject({ state: 'reachable' });
  }

  /** Everything is refused within the time promised to callers, and quickly enough to stop in time. */
  async isRefused(): Promise<void> {
    const asked = performance.now();
    const { queue } = this.harness;
    const state = queue.getState();
    await expect(queue.add(GREETING, { to: 'nobody' })).rejects.toBeInstanceOf(QueueUnavailable);
    expect(await state).toMatchObject({ state: 'unreachable' });
    expect(performance.now() - asked).toBeLessThan(STOP_LIMIT_MS);
  }

  async stopsInTime(): Promise<void> {
    const asked = performance.now();
    await this.harness.stop();
    expect(performance.now() - asked).toBeLessThan(STOP_LIMIT_MS);
  }
}

/** The tests of a failing Redis, each on a database of its own. */
const FAILING: Readonly<Record<string, (failing: FailingQueue) => Promise<void>>> = {
  'begins to work when a Redis that was down at the start comes up': async (failing) => {
    await failing.redis.kill();
    failing.harness.startWorker(failing.greet);
    await failing.isRefused();
    await sleep(1_000);
    await failing.isRefused();
    await failing.redis.revive();
    await failing.worksAgain('Ada');
  },

  'stops in time when Redis never came up': async (failing) => {
    await failing.redis.kill();
    failing.harness.startWorker(failing.greet);
    await failing.isRefused();
    await failing.stopsInTime();
  },

  'refuses while Redis hangs, stops in time, and does what was added when it goes on': async (failing) => {
    failing.harness.startWorker(failing.greet);
    await failing.worksAgain('Ada');
    failing.redis.hang();
    await failing.isRefused();
    failing.redis.resume();
    await failing.worksAgain('Grace');
    failing.redis.hang();
    await failing.isRefused();
    await failing.stopsInTime();
  },

  'is not lost for good when Redis hangs at the first greeting': async (failing) => {
    failing.redis.hang();
    failing.harness.startWorker(failing.greet);
    await failing.isRefused();
    failing.redis.resume();
    await failing.worksAgain('Ada');
  },

  'writes a few lines, however often it tries': async (failing) => {
    const { harness } = failing;
    harness.startWorker(failing.greet);
    await failing.worksAgain('Ada');
    await failing.redis.kill();
    for (let tries = 0; tries < 200; tries += 1) {
      await harness.queue.add(GREETING, { to: 'nobody' }).catch(() => undefined);
    }
    await sleep(3_000);
    expect(harness.lines.length).toBeGreaterThan(0);
    expect(harness.lines.length).toBeLessThan(10);
    for (const line of harness.lines) expect(line).toMatch(/"level":40/);
  },
};
/** Redis databases, one for each test. */
const DATABASES = [3, 8, 9, 10, 15];

describe('the job queue', () => {
  itAtOnce({
    ...Object.fromEntries(
      QUEUE_BACKENDS.map((backend) => [
        `on ${backend} gives a job to another worker when its own is gone without a word`,
        () => isTakenOver(backend),
      ]),
    ),
    'begins to work when a Postgres that was away at the start comes up': waitsForPostgres,
    ...(QUEUE_BACKENDS.includes('redis') && {
      'begins to work when a Redis that refused its first question answers it': waitsForRedis,
      ...Object.fromEntries(
        Object.entries(FAILING).map(([name, use], at) => [
          `while its Redis fails ${name}`,
          () => FailingQueue.use(DATABASES[at] ?? NaN, use),
        ]),
      ),
    }),
  });
});

(QUEUE_BACKENDS.includes('redis') ? describe : describe.skip)('the job queue whose Redis forgets', () => {
  it('recovers when Redis was killed and has lost everything', () =>
    FailingQueue.use(2, async (failing) => {
      failing.harness.startWorker(failing.greet);
      await failing.worksAgain('Ada');
      await failing.redis.kill();
      await failing.isRefused();
      await failing.redis.revive();
      await failing.worksAgain('Grace');
    }));

  it('recovers when a job ends that Redis no longer knows', () =>
    FailingQueue.use(2, async (failing) => {
      const { harness } = failing;
      let end = (): void => undefined;
      harness.startWorker(({ to }) =>
        to === 'slow' ? new Promise((resolve) => (end = resolve)) : failing.greet({ to }),
      );
      await harness.queue.add(GREETING, { to: 'slow' });
      await waitFor('the job to begin', async () => (await harness.queue.list(['ACTIVE'], 1))[0]);
      await failing.redis.flush();
      end();
      await failing.worksAgain('Grace');
    }));
});
