import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { projectAll } from '../support/read-models.js';
import { judge, type Judgement } from '../support/truth/judge.js';
import { liveThrough, type Life } from '../support/truth/live-through.js';
import { readTold } from '../support/truth/read-told.js';
import { SCRIPTS } from '../support/truth/scripts.js';

/** Lives of each script; if there are more than one, four times as many for scripts in which anything may happen. */
const LIVES = Number(process.env['HINDSIGHT_TRUTH_LIVES'] ?? 1);
const livesOf = (script: string): number => (script.startsWith('wild') && LIVES > 1 ? 4 * LIVES : LIVES);
/** Scripts that resemble another one: `npm run test:long` plays them, too. */
const ALIKE =
  /^(?:idle|idle-proxied|standby-empty|out-and-back|cached|crashing-too|crashing-proxied|wild-too)$/;
const NAMES = Object.keys(SCRIPTS);
const PLAYED = Object.entries(SCRIPTS).filter(([name]) => LIVES > 1 || !ALIKE.test(name));
const LENGTH_MS = 60_000;
const AT_ONCE = 6;
const HOUR_MS = 3_600_000;
const PATIENCE_MS = (120 + LIVES * 60) * 1_000;

/** The scripts of `test/long/truth.spec.ts`, many times, on clocks without real waits. */
describe(`the record of lists that live, die and hide in many ways (seed ${CHAOS_SEED})`, () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let api: ApiServer;
  const judged: (Judgement & { readonly script: string })[] = [];

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: AT_ONCE }).initialize();
    const lived = await liveAll();
    await projectAll(dataSource);
    api = await startApi(database.url);
    for (const { script, stage, blind } of lived) {
      const ids = stage.addresses.map(({ id }) => id);
      const told = await readTold((query, variables) => api.read(query, variables), stage.id, ids);
      judged.push({ script, ...judge(stage, told, blind) });
    }
  }, PATIENCE_MS);

  afterAll(async () => {
    await api?.stop();
    await dataSource?.destroy();
    await database?.stop();
  });

  it.each(PLAYED)('is true for %s', (script) => {
    const mine = judged.filter((each) => each.script === script);
    expect(mine).toHaveLength(livesOf(script));
    expect(mine.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('has seen rows go missing', () => {
    const sums = PLAYED.map(([script]) => {
      const counts = judged.filter((each) => each.script === script).map((each) => each.counts);
      const names = Object.keys(counts[0] ?? {}) as (keyof Judgement['counts'])[];
      const sum = (name: (typeof names)[number]): number =>
        counts.reduce((total, each) => total + each[name], 0);
      return [script, Object.fromEntries(names.map((name) => [name, sum(name)]))] as const;
    });
    console.table(Object.fromEntries(sums));
    expect(judged.reduce((total, { counts }) => total + counts.missing, 0)).toBeGreaterThan(judged.length);
  });

  async function liveAll() {
    const store = new EventStore(dataSource);
    const startMs = new SystemClock().now() - HOUR_MS;
    const lives = PLAYED.flatMap(([name, script]) =>
      Array.from({ length: livesOf(name) }, (_, index) => {
        const seed = CHAOS_SEED * 10_000 + NAMES.indexOf(name) * 100 + index;
        const life: Life = { id: `${name}-${index}`, script, seed, startMs, lengthMs: LENGTH_MS };
        return { script: name, life };
      }),
    );
    const lived: (Awaited<ReturnType<typeof liveThrough>> & { script: string })[] = [];
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let next = lives.pop(); next; next = lives.pop()) {
        lived.push({ script: next.script, ...(await liveThrough(store, next.life)) });
      }
    });
    await Promise.all(workers);
    return lived;
  }
});
