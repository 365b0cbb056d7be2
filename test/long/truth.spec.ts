import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from '../../src/platform/clock.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { samplesOf } from '../support/prometheus-text.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';
import { judge, type Blind, type Judgement } from '../support/truth/judge.js';
import { readTold } from '../support/truth/read-told.js';
import { SCRIPTS } from '../support/truth/scripts.js';
import { Stage } from '../support/truth/stage.js';

/** How long events happen to the lists. In a long run the service is killed, too. */
const SECONDS = Number(process.env['HINDSIGHT_TRUTH_SECONDS'] ?? 20);
const LONG_FROM_SECONDS = 60;
/** Polls without news are recorded by then, even if a stop leaves no time to write them. */
const SETTLE_MS = 66_000;
const PATIENCE_MS = (SECONDS + 240) * 1_000;

/** Lists that live, die and hide over real sockets, monitored by a service at its default settings. */
describe(`reports of a service about lists that only their processes know (seed ${CHAOS_SEED})`, () => {
  const home = new ServiceHome();
  const clock = new SystemClock();
  const blind: Blind[] = [];
  const stages: Stage[] = [];
  let database: TestDatabase;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await startTestDatabase();
    const startedAt = clock.now();
    const plays = await Promise.all(
      Object.entries(SCRIPTS).map(async ([id, script], index) => {
        const play = { id, clock, seed: CHAOS_SEED + index, lengthMs: SECONDS * 1_000 };
        const stage = new Stage(play);
        stages.push(stage);
        return script(stage);
      }),
    );
    writeSettings();
    service = await launch();
    await waitFor('a first look at each list', () =>
      stages.every(({ addresses }) => addresses.every(({ looks }) => looks.length > 0)) ? true : undefined,
    );
    await Promise.all([...plays.map((play) => play()), killService()]);
    await clock.sleep(startedAt + SECONDS * 1_000 - clock.now());
    for (const stage of stages) stage.silence();
    await clock.sleep(SETTLE_MS);
    // The next process polls nothing.
    expect(await service.kill('SIGTERM')).toBe(0);
    service = await launch('--role', 'archive');
    await settled();
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await Promise.all(stages.map((stage) => stage.close()));
    await database?.stop();
  }, PATIENCE_MS);

  it(
    'has each row once, or reports that it may be missing, and never covers a time with a missing row',
    async () => {
      const ask = <Data>(query: string, variables?: Record<string, unknown>): Promise<Data> =>
        service.graphql(query, variables);
      const judged = new Map<string, Judgement>();
      for (const stage of stages) {
        const ids = stage.addresses.map(({ id }) => id);
        judged.set(stage.id, judge(stage, await readTold(ask, stage.id, ids), blind));
      }
      console.table(Object.fromEntries([...judged].map(([id, { counts }]) => [id, counts])));
      expect([...judged.values()].flatMap(({ faults }) => faults)).toEqual([]);
    },
    PATIENCE_MS,
  );

  function writeSettings(): void {
    const nodes = stages.flatMap(({ id: chain, addresses, direct }) =>
      addresses.map(({ id, url }) => ({
        id,
        chain,
        url,
        ...(direct.has(id) && { direct: true }),
      })),
    );
    // JSON is YAML.
    writeFileSync(join(home.dataDir, 'hindsight.yaml'), JSON.stringify({ nodes }));
  }

  async function launch(...args: string[]): Promise<ServiceProcess> {
    const config = join(home.dataDir, 'hindsight.yaml');
    const launched = home.launch(['start', '--config', config, '--port', '0', ...args], {
      databaseUrl: database.url,
    });
    await launched.ready;
    return launched;
  }

  async function killService(): Promise<void> {
    const random = seededRandom(CHAOS_SEED);
    for (let left = SECONDS; left > LONG_FROM_SECONDS; left -= 40) {
      await clock.sleep(20_000 + random() * 15_000);
      const from = clock.now();
      await service.kill('SIGKILL');
      service = await launch();
      const nodes = stages.flatMap(({ addresses }) => addresses);
      await clock.sleep(3_000);
      blind.push({ from, to: clock.now() });
      console.info(`killed the service, ${nodes.length} nodes blind until ${clock.now() - from} ms later`);
    }
  }

  /** Waits until the whole record is in the read models. */
  async function settled(): Promise<void> {
    await waitFor('the read models', async () => {
      const samples = samplesOf(await (await fetch(`${service.address}/metrics`)).text());
      const lags = samples.filter(({ name }) => name === 'hindsight_projection_lag_events');
      return lags.length > 0 && lags.every(({ value }) => value === 0) ? true : undefined;
    });
  }
});
