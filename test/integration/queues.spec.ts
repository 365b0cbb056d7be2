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
import { GREETING, QueueHarness, type Greeting } from '../support/queue-harness.js';
import { itHasRedis, QUEUE_BACKENDS, startTestQueue, type TestQueue } from '../support/queue-backends.js';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { waitFor } from '../support/service-process.js';

/** Whatever the queue goes through, nothing of ours may take longer than a process has to stop. */
const STOP_LIMIT_MS = 5_000;

/** Far enough away for every test but one in the first seconds of a year. */
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

  it('makes one job of a flood, also while it is being done, and another one afterwards', async () => {
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

  it('tries a failing job again with growing pauses, then shows it as failed, and runs it again when asked', async () => {
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

  it('fails a job whose data are not as expected, and one that nobody knows', async () => {
    harness.startWorker(async () => undefined);
    const other = { ...GREETING, attempts: 1 } as unknown as JobKind;
    const wrong = await harness.queue.add({ ...other, identify: () => 'wrong' }, { to: 7 });
    const unknown = await harness.queue.add({ ...other, name: 'sing', identify: () => '' }, { to: 'Ada' });
    expect((await harness.waitForState(wrong, 'FAILED')).failedReason).toMatch(/data of the job/);
    expect((await harness.waitForState(unknown, 'FAILED')).failedReason).toMatch(/knows no job "sing"/);
  });

  it('lists the newest first, as many as are asked for', async () => {
    // Nobody knows it, and it is not tried again before the end of the test.
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

  it('leaves a job for later when somebody else is at it, without counting that as a failure', async () => {
    let calls = 0;
    harness.startWorker(async () => {
      calls += 1;
      if (calls < 3) throw new JobPostponed(50, 'taken');
    });
    const id = await harness.queue.add({ ...GREETING, attempts: 1 }, { to: 'Donald' });
    await harness.waitForState(id, 'COMPLETED');
    expect(calls).toBe(3);
  });

  it('gives a job to another worker when its own is gone without a word', async () => {
    const gone = new QueueHarness(place.place);
    let isBegun = false;
    const worker = gone.startWorker(() => {
      isBegun = true;
      return new Promise(() => undefined);
    });
    const id = await harness.queue.add(GREETING, { to: 'Alan' });
    await waitFor('the job to begin', () => isBegun || undefined);
    // It neither ends its job nor holds on to it, as if the process had been killed.
    const stop = performance.now();
    await worker.stop();
    expect(performance.now() - stop).toBeLessThan(STOP_LIMIT_MS);
    harness.startWorker(async () => undefined);
    await harness.waitForState(id, 'COMPLETED');
    await gone.stop();
  });

  it('tells a job that its time is up, and fails one that goes on all the same', async () => {
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
    expect(job.failedReason).toBe('It was not done within 0.1 s.');
    expect(told.toSorted()).toEqual(['deaf', 'heeding']);
  });

  it('begins by itself what a schedule says, and shows the schedule instead of the jobs it makes for later', async () => {
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

  it('takes a schedule from many at once, and as it was where it is not to be changed', async () => {
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

  it('drops jobs that ended long ago, and none else', async () => {
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

const describeRedis = QUEUE_BACKENDS.includes('redis') ? describe : describe.skip;

describeRedis('the job queue while its Redis fails', () => {
  let redis: TestRedis;
  let harness: QueueHarness;
  let greeted: string[];

  beforeEach(async () => {
    redis = await startTestRedis(2);
    harness = new QueueHarness({ backend: 'redis', url: redis.url, prefix: 'test' });
    greeted = [];
  });

  afterEach(async () => {
    redis.resume();
    await harness.stop();
    await redis.stop();
  });

  const greet = async ({ to }: Greeting): Promise<void> => void greeted.push(to);

  /** Adds until the queue takes it, and waits until a worker has done it. */
  async function worksAgain(name: string): Promise<void> {
    await waitFor(`${name} to be added`, () => harness.queue.add(GREETING, { to: name }));
    await waitFor(`${name} to be greeted`, () => greeted.includes(name) || undefined);
    expect(await harness.queue.getState()).toMatchObject({ state: 'reachable' });
  }

  /** Everything is refused within the time that a caller is promised, and quickly enough to stop in time. */
  async function isRefused(): Promise<void> {
    const asked = performance.now();
    await expect(harness.queue.add(GREETING, { to: 'nobody' })).rejects.toBeInstanceOf(QueueUnavailable);
    expect(performance.now() - asked).toBeLessThan(STOP_LIMIT_MS);
    expect(await harness.queue.getState()).toMatchObject({ state: 'unreachable' });
  }

  async function stopsInTime(): Promise<void> {
    const asked = performance.now();
    await harness.stop();
    expect(performance.now() - asked).toBeLessThan(STOP_LIMIT_MS);
  }

  it('begins to work when a Redis that was down at the start comes up', async () => {
    await redis.kill();
    harness.startWorker(greet);
    await isRefused();
    await sleep(1_000);
    await isRefused();
    await redis.revive();
    await worksAgain('Ada');
  });

  it('stops in time when Redis never came up', async () => {
    await redis.kill();
    harness.startWorker(greet);
    await isRefused();
    await stopsInTime();
  });

  it('goes on when Redis was killed and has lost everything', async () => {
    harness.startWorker(greet);
    await worksAgain('Ada');
    await redis.kill();
    await isRefused();
    await redis.revive();
    await worksAgain('Grace');
  });

  it('goes on when a job ends that Redis knows no more', async () => {
    let end = (): void => undefined;
    harness.startWorker(({ to }) =>
      to === 'slow' ? new Promise((resolve) => (end = resolve)) : greet({ to }),
    );
    await harness.queue.add(GREETING, { to: 'slow' });
    await waitFor('the job to begin', async () => (await harness.queue.list(['ACTIVE'], 1))[0]);
    await redis.flush();
    end();
    await worksAgain('Grace');
  });

  it('refuses while Redis hangs, stops in time, and does what was added when it goes on', async () => {
    harness.startWorker(greet);
    await worksAgain('Ada');
    redis.hang();
    await isRefused();
    redis.resume();
    await worksAgain('Grace');
    redis.hang();
    await isRefused();
    await stopsInTime();
  });

  it('is not lost for good when Redis hangs at the first greeting', async () => {
    redis.hang();
    harness.startWorker(greet);
    await isRefused();
    redis.resume();
    await worksAgain('Ada');
  });

  it('writes a few lines, however often it tries', async () => {
    harness.startWorker(greet);
    await worksAgain('Ada');
    await redis.kill();
    for (let tries = 0; tries < 200; tries += 1) {
      await harness.queue.add(GREETING, { to: 'nobody' }).catch(() => undefined);
    }
    await sleep(3_000);
    expect(harness.lines.length).toBeGreaterThan(0);
    expect(harness.lines.length).toBeLessThan(10);
    for (const line of harness.lines) expect(line).toMatch(/"level":40/);
  });
});
