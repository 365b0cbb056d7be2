import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { type Clock, SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import type { LoopDirectory } from '../../src/platform/loops/loop.js';
import { openQueue } from '../../src/platform/queues/bullmq.js';
import { JobHandlers } from '../../src/platform/queues/job-kind.js';
import { JobQueue } from '../../src/platform/queues/job-queue.js';
import { scheduleJobs } from '../../src/platform/queues/queues.module.js';
import { JobWorker } from '../../src/platform/queues/job-worker.js';
import type { QueueLocation } from '../../src/platform/queues/queue-location.js';
import { HouseKeeping } from '../../src/statistics/jobs/house-keeping.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { StatisticsService } from '../../src/statistics/statistics.service.js';
import { itAtOnce } from '../support/at-once.js';
import { startTestDatabase } from '../support/database.js';
import { HastyClock } from '../support/hasty-clock.js';
import { newLoops } from '../support/loops.js';
import { ManualClock } from '../support/manual-clock.js';
import { itHasRedis, QUEUE_BACKENDS, startTestQueue } from '../support/queue-backends.js';
import { waitFor } from '../support/service-process.js';
import { useDatabase } from '../support/use-database.js';

const TICK_MS = 15_000;

/** A queue that is never reached. */
const AWAY = { backend: 'redis', url: 'redis://127.0.0.1:1', prefix: 'test' } as const;

/** A worker's statistics with all their parts, on a database of their own. */
class Worker {
  readonly lines: string[] = [];
  readonly loops: LoopDirectory = newLoops();
  private readonly parts: { start?(): void; stop(): Promise<void> }[];

  private constructor(
    private readonly dataSource: DataSource,
    readonly place: QueueLocation,
    clock: Clock,
  ) {
    const logger = pino({ level: 'info' }, { write: (line) => void this.lines.push(line) });
    // A queue that never answers is given up at once.
    const system = place === AWAY ? new HastyClock() : new SystemClock();
    const handlers = new JobHandlers();
    const queue = new JobQueue(place, system, logger);
    const statistics = new StatisticsService(dataSource, queue, handlers, this.loops, { clock, logger });
    statistics.onModuleInit();
    new HouseKeeping(handlers, queue, dataSource).onModuleInit();
    const schedules = scheduleJobs(queue, handlers, system, logger);
    const worker = new JobWorker(place, handlers, system, logger);
    this.parts = [
      {
        start: () => statistics.onApplicationBootstrap(),
        stop: async () => {
          statistics.beforeApplicationShutdown();
          await statistics.onApplicationShutdown();
        },
      },
      { start: () => this.loops.start(schedules), stop: () => this.loops.stop(schedules) },
      worker,
      { stop: () => queue.close() },
    ];
    for (const part of this.parts) part.start?.();
  }

  /** Runs while it is used. */
  static async use(
    place: QueueLocation,
    clock: Clock,
    use: (worker: Worker) => Promise<void>,
  ): Promise<void> {
    const database = await startTestDatabase();
    const dataSource = await createDataSource({ url: database.url }).initialize();
    let worker: Worker | undefined;
    try {
      await dataSource.query(
        "INSERT INTO projection_checkpoint (name, position, version) VALUES ('record', 1, 1), ('prices', 1, 1)",
      );
      // Tables that the roll-up has not seen are work.
      await new RollUp(dataSource).run();
      worker = new Worker(dataSource, place, clock);
      await use(worker);
    } finally {
      await worker?.stop();
      await dataSource.destroy();
      await database.stop();
    }
  }

  /** Lines of the log with a text. */
  told(text: string): string[] {
    return this.lines.filter((line) => line.includes(text));
  }

  /** A mark of a chain without any rows: processing it deletes it. */
  async mark(ageSeconds = 0): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO roll_up_mark (node_key, chain, quarter_at, marked_at)
       VALUES (0, 'alpha-1', '2026-03-02T10:00:00Z', clock_timestamp() - make_interval(secs => $1))`,
      [ageSeconds],
    );
  }

  /** Ages all marks by this many seconds. */
  async age(seconds: number): Promise<void> {
    await this.dataSource.query(
      'UPDATE roll_up_mark SET marked_at = clock_timestamp() - make_interval(secs => $1)',
      [seconds],
    );
  }

  async countMarks(): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>('SELECT count(*)::int FROM roll_up_mark');
    return row?.count ?? 0;
  }

  private async stop(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.stop()));
  }
}

describe('the queues of statistics', itHasRedis);

/** There is nothing to do. */
async function doesOneJob(backend: QueueLocation['backend']): Promise<void> {
  const queue = await startTestQueue(backend, 7);
  try {
    await Worker.use(queue.place, new SystemClock(), async (worker) => {
      const begun = () => queue.readBegun().catch(() => []);
      const [tick = ''] = await waitFor('the first job', async () => {
        const ids = await begun();
        return ids.length > 0 ? ids : undefined;
      });
      const at = Number(/^repeat:roll-up:(\d+)$/.exec(tick)?.[1]);
      expect(at % TICK_MS).toBe(0);
      const raw = openQueue(queue.place);
      try {
        const others = await waitFor('its end', async () => {
          const jobs = await raw.getJobs([
            'active',
            'waiting',
            'delayed',
            'prioritized',
            'failed',
            'completed',
          ]);
          const ids = jobs.map(({ id = '' }) => id);
          return ids.includes(tick) ? undefined : ids;
        });
        expect(others.toSorted((a, b) => a.localeCompare(b))).toEqual([
          expect.stringMatching(/^repeat:clean-up:\d+$/),
          `repeat:roll-up:${at + TICK_MS}`,
        ]);
      } finally {
        await raw.close();
      }
      expect(await begun()).toEqual([tick]);
      await waitFor('a look at the marks', async () =>
        worker.loops.getViews().find(({ name, last }) => name === 'statistics' && last !== undefined),
      );
    });
  } finally {
    await queue.stop();
  }
}

/** A requested job processes a new mark. */
async function worksOffAtOnce(backend: QueueLocation['backend']): Promise<void> {
  const queue = await startTestQueue(backend, 7);
  try {
    await Worker.use(queue.place, new SystemClock(), async (worker) => {
      await worker.mark();
      await waitFor('the mark to be worked off', async () =>
        (await worker.countMarks()) === 0 ? true : undefined,
      );
      const begun = await queue.readBegun().catch(() => []);
      expect(begun.filter((id) => !id.startsWith('repeat:'))).not.toEqual([]);
      expect(worker.told('without the queue')).toEqual([]);
    });
  } finally {
    await queue.stop();
  }
}

type Look = (times: number, ms: number) => Promise<void>;

/** @param use receives a function that makes the worker check the marks this often, with as many milliseconds before each check */
async function whileAway(use: (worker: Worker, look: Look) => Promise<void>): Promise<void> {
  const clock = new ManualClock();
  await Worker.use(AWAY, clock, async (worker) => {
    const loop = () => worker.loops.getViews().find(({ name }) => name === 'statistics');
    await use(worker, async (times, ms) => {
      for (let looks = 0; looks < times; looks += 1) {
        await waitFor('the look before', () => loop()?.state === 'asleep' || undefined);
        const before = loop()?.last?.at;
        await clock.advance(ms);
        await waitFor(
          'a look',
          () => (loop()?.state === 'asleep' && loop()?.last?.at !== before) || undefined,
        );
      }
    });
  });
}

describe('statistics', () => {
  itAtOnce({
    ...Object.fromEntries(
      QUEUE_BACKENDS.map((backend) => [
        `with a queue on ${backend} do one job in 15 seconds while there is nothing to do, and nothing else`,
        () => doesOneJob(backend),
      ]),
    ),

    'whose queue is away leave marks to it until they are 30 s old': () =>
      whileAway(async (worker, look) => {
        await worker.mark();
        for (let looks = 0; looks < 3; looks += 1) {
          await worker.age(15);
          await look(1, 20_000);
        }
        expect(await worker.countMarks()).toBe(1);
        expect(worker.told('without the queue')).toEqual([]);
      }),

    'whose queue is away work off those that are older, and say so once': () =>
      whileAway(async (worker, look) => {
        for (let round = 0; round < 3; round += 1) {
          await worker.mark(40);
          await look(1, 31_000);
          expect(await worker.countMarks()).toBe(0);
        }
        expect(worker.told('without the queue')).toHaveLength(1);
      }),

    'whose queue is away do not take for a failure of the queue what has waited while they were busy': () =>
      whileAway(async (worker, look) => {
        await worker.mark(40);
        await look(1, 31_000);
        await worker.mark(40);
        await look(2, 10_000);
        expect(await worker.countMarks()).toBe(1);
        await look(1, 11_000);
        expect(await worker.countMarks()).toBe(0);
      }),
  });

  it.each(QUEUE_BACKENDS)(
    'with a queue on %s have a new mark processed at once, by a requested job',
    worksOffAtOnce,
  );
});

describe('house-keeping', () => {
  const dataSource = useDatabase();

  it('forgets the failures of rebuilds that are no longer tried, and thins change numbers', async () => {
    await dataSource.query(
      `INSERT INTO rebuild_failure (name, error, tried_at)
       VALUES ('record', 'of old', now() - interval '2 days'), ('coverage', 'of late', now() - interval '2 minutes')`,
    );
    await dataSource.query(
      `INSERT INTO record_change SELECT n, date_trunc('hour', now()) - interval '40 days' + n * interval '1 s' FROM generate_series(1, 9) n`,
    );
    const queue = await startTestQueue('postgres', 7);
    const handlers = new JobHandlers();
    const jobs = new JobQueue(queue.place, new SystemClock(), pino({ level: 'silent' }));
    try {
      new HouseKeeping(handlers, jobs, dataSource).onModuleInit();
      await handlers
        .find('clean-up')
        .handle({}, { signal: new AbortController().signal, progress: () => undefined });
      expect(await dataSource.query('SELECT name FROM rebuild_failure')).toEqual([{ name: 'coverage' }]);
      expect(await dataSource.query('SELECT change FROM record_change')).toEqual([{ change: 9n }]);
    } finally {
      await jobs.close();
      await queue.stop();
    }
  });
});
