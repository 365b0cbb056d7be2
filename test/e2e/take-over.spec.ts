import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { unpackRelease, type OldRelease } from '../support/old-release.js';
import { startReplayNode, type ReplayNode } from '../support/replay-node.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 240_000;

/** Milliseconds of the recording: what the old release sees before the new one comes, and what each sees alone later. */
const STOPS = { before: 150_000, oldAlone: 200_000, newAlone: 250_000 };
/** Recorded milliseconds per tick of 20 ms. */
const STEP_MS = 300;

/** Two looks at the blocks of a node that stands still. */
const QUIET_MS = 11_000;

const SUBMISSIONS = `query ($after: String) { submissions(first: 1000, after: $after, order: OBSERVED_ASC) {
  nodes { id sequence ring status message namespace kind daHeight blobCount sizeBytes occurredAtText observedAt evidence blocks raw }
  pageInfo { hasNextPage endCursor } } }`;
const FIGURES = `{
  nodes { id chain submissionCount blockCount inclusionFrontier }
  losses { nodes { id kind afterSequence minLost maxLost from to } }
  statistics(bucket: DAY, groupBy: [CHAIN, KIND, STATUS]) {
    time chain kind status attempts successes failures reconstructed blobCount sizeBytes
    inclusionLagMs { p50 p99 count } }
  costReport(bucket: DAY, groupBy: [CHAIN, KIND]) { time chain kind submissions gasMin gasMax failedAttempts } }`;

interface Figures {
  readonly losses: { readonly nodes: readonly { readonly id: string }[] };
}
/** Ids of holes that no event states begin here. */
const FIRST_OPEN_ID = 2n ** 62n;

/** A database of the release before is taken over while that release still runs beside. */
describe('a take-over from the release before', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;
  let release: OldRelease;
  let nodes: ReplayNode[];
  let elapsed = 0;
  let target = STOPS.before;
  let ticking: NodeJS.Timeout;
  let old: ServiceProcess;
  let fresh: ServiceProcess;

  const args = () => [
    'start',
    ...['aggregator', 'follower'].flatMap((id, index) => ['--node', `${id}=${nodes[index]?.url}`]),
    '--port',
    '0',
    '--poll-floor',
    '100ms',
    '--poll-ceiling',
    '200ms',
  ];
  const startNew = async () => {
    const service = home.launch(args(), { databaseUrl: database.url });
    await service.ready;
    return service;
  };
  const answersOf = async (service: ServiceProcess) => ({
    submissions: await service.readAll(SUBMISSIONS),
    figures: withoutOpenHoles(await service.graphql<Figures>(FIGURES)),
  });
  /** The clock of the recording stands where it was stopped, as a cache's does: such looks prove nothing, which is a hole of now. */
  const withoutOpenHoles = (figures: Figures): Figures => ({
    ...figures,
    losses: { nodes: figures.losses.nodes.filter(({ id }) => BigInt(id) < FIRST_OPEN_ID) },
  });

  beforeAll(async () => {
    database = await startEmptyDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    release = unpackRelease('before-versions');
    const now = () => elapsed;
    nodes = await Promise.all([
      startReplayNode({ file: 'aggregator', now }),
      startReplayNode({ file: 'follower', now }),
    ]);
    ticking = setInterval(() => (elapsed = Math.min(elapsed + STEP_MS, target)), 20);
    old = home.launch(args(), { databaseUrl: database.url, program: release.program });
    await old.ready;
    await waitFor('the recording to be played', () => elapsed === target || undefined, PATIENCE_MS);
  }, PATIENCE_MS);

  afterAll(async () => {
    clearInterval(ticking);
    await home.clear();
    await dataSource?.destroy();
    await Promise.all((nodes ?? []).map((node) => node.close()));
    release?.remove();
    await database?.stop();
  }, PATIENCE_MS);

  it(
    'never shows fewer rows than before, and the same figures in the end',
    async () => {
      const before = await settled(old, 'projection', 'statistic_mark');
      expect(before.submissions.length).toBeGreaterThan(150);
      const counts: number[] = [];
      const watching = { isOn: true };
      const watch = (async () => {
        const count = 'SELECT count(*)::int AS n FROM submission WHERE to_position IS NULL';
        while (watching.isOn) counts.push((await dataSource.query(count))[0].n as number);
      })();
      fresh = await startNew();
      await waitFor(
        'the read models to be rebuilt',
        async () => (await isRebuilt()) || undefined,
        PATIENCE_MS,
      );
      const after = await settled(fresh, 'projection_checkpoint', 'roll_up_mark');
      watching.isOn = false;
      await watch;
      expect(after).toEqual(before);
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(before.submissions.length);
      expect(old.log).not.toContain('"level":"fatal"');
    },
    PATIENCE_MS,
  );

  it(
    'goes on being recorded by the old release alone, which can move no read model and compute nothing',
    async () => {
      await fresh.kill('SIGTERM');
      const stood = await checkpoints();
      const figures = await dataSource.query(
        'SELECT md5(string_agg(s::text, $1 ORDER BY s::text)) FROM statistic s',
        [''],
      );
      const recorded = await rowsRecorded();
      target = STOPS.oldAlone;
      await waitFor(
        'the old release to record more',
        async () => (await rowsRecorded()) > recorded + 20 || undefined,
        PATIENCE_MS,
      );
      expect(await checkpoints()).toEqual(stood);
      expect(
        await dataSource.query('SELECT md5(string_agg(s::text, $1 ORDER BY s::text)) FROM statistic s', ['']),
      ).toEqual(figures);
    },
    PATIENCE_MS,
  );

  it(
    'has all that both recorded once the old one is gone, each row once',
    async () => {
      await old.kill('SIGTERM');
      target = STOPS.newAlone;
      fresh = await startNew();
      await waitFor('the recording to be played', () => elapsed === target || undefined, PATIENCE_MS);
      const { submissions } = await settled(fresh, 'projection_checkpoint', 'roll_up_mark');
      const rows = submissions as { id: string; evidence: string; sequence: string | null }[];
      const shown = rows.filter(({ sequence }) => sequence !== null);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      expect(shown).toHaveLength(await rowsRecorded());
    },
    PATIENCE_MS,
  );

  /** What a service answers once nothing is to be projected or computed any more. */
  async function settled(service: ServiceProcess, checkpoint: string, mark: string) {
    await waitFor('nothing new to be recorded', isQuiet, PATIENCE_MS);
    await waitFor(
      'the read models and figures to be at the end',
      async () => {
        const [row] = await dataSource.query(
          `SELECT (SELECT min(position) FROM ${checkpoint} WHERE name = 'record') >=
                  (SELECT max(position) FROM event WHERE type <> 'NodeWatched' AND stream NOT LIKE '%/claims' AND stream NOT LIKE '%/probes')
              AND NOT EXISTS (SELECT FROM ${mark}) AS done`,
        );
        return row.done === true ? true : undefined;
      },
      PATIENCE_MS,
    );
    return answersOf(service);
  }

  /** Nothing of rows and blocks has been recorded for a while: the nodes stand still, and have been looked through. */
  async function isQuiet(): Promise<true | undefined> {
    const read = () =>
      dataSource.query<{ position: bigint | null }[]>(
        "SELECT max(position) AS position FROM event WHERE type IN ('SubmissionsObserved', 'BlocksObserved', 'BlockInclusionObserved')",
      );
    const [seen] = await read();
    await sleep(QUIET_MS);
    const [now] = await read();
    return seen?.position === now?.position || undefined;
  }

  async function isRebuilt(): Promise<boolean> {
    const rows = await dataSource.query("SELECT version FROM projection_checkpoint WHERE name = 'record'");
    return rows[0]?.version > 1;
  }

  function checkpoints(): Promise<unknown> {
    return dataSource.query('SELECT name, position, version FROM projection_checkpoint ORDER BY name');
  }

  async function rowsRecorded(): Promise<number> {
    const [row] = await dataSource.query(
      "SELECT coalesce(sum(json_array_length(body -> 'rows')), 0)::int AS n FROM event WHERE type = 'SubmissionsObserved'",
    );
    return row.n as number;
  }
});
