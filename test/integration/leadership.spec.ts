import type { DataSource } from 'typeorm';
import { Leadership } from '../../src/observe/leadership.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { createLogger } from '../../src/platform/logger.js';
import { startTestDatabase } from '../support/database.js';

/** Stands for the observers: remembers who is at work. */
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

describe('observing processes', () => {
  const clock = new SystemClock();
  let database: Awaited<ReturnType<typeof startTestDatabase>>;
  let sources: DataSource[];

  beforeAll(async () => {
    database = await startTestDatabase();
    sources = await Promise.all(
      ['first', 'second'].map((name) =>
        createDataSource({ url: database.url, applicationName: `hindsight ${name}` }).initialize(),
      ),
    );
  });

  afterAll(async () => {
    await Promise.all(sources.map((source) => source.destroy()));
    await database?.stop();
  });

  it('are active one at a time, and a standby takes over when the session of the active one dies', async () => {
    const [first, second] = [new Crew(), new Crew()];
    const leaders = [first, second].map(
      (crew, index) => new Leadership(sourceAt(index), clock, createLogger('silent'), crew, '1/1'),
    );
    leaders[0]?.start();
    await until(() => first.isAtWork);
    leaders[1]?.start();
    await clock.sleep(500);
    expect(second.isAtWork).toBe(false);
    await sourceAt(1).query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hindsight first'",
    );
    await until(() => second.isAtWork && !first.isAtWork);
    await leaders[1]?.stop();
    expect(second.isAtWork).toBe(false);
    await until(() => first.isAtWork);
    await leaders[0]?.stop();
    expect(first.isAtWork).toBe(false);
  });

  it('of different shards do not wait for each other', async () => {
    const crews = [new Crew(), new Crew()];
    const leaders = crews.map(
      (crew, index) => new Leadership(sourceAt(index), clock, createLogger('silent'), crew, `${index + 1}/2`),
    );
    leaders.forEach((leader) => leader.start());
    await until(() => crews.every((crew) => crew.isAtWork));
    await Promise.all(leaders.map((leader) => leader.stop()));
  });

  function sourceAt(index: number): DataSource {
    const source = sources[index];
    if (!source) throw new Error(`no source ${index}`);
    return source;
  }

  /** Waits for what must come in the end; jest's own time limit ends a vain wait. */
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await clock.sleep(20);
  }
});
