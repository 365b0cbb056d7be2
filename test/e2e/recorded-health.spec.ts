import type { HealthComponent } from '../../src/domain/health/health-rule.js';
import type { RuleInterval } from '../../src/domain/health/health-intervals.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { HealthProjection } from '../../src/projections/health/health.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { liveThroughRecording } from '../support/lived-recording.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { describeRecordedHealth, type FoundHealth } from '../support/recorded-health.js';
import { useDatabase } from '../support/use-database.js';

const READ_INTERVALS = `
  SELECT component, state, rule, reason, claim, claim_differs, differed_ms::int AS differed_ms,
         (extract(epoch FROM from_at) * 1000)::float8 AS "from", (extract(epoch FROM to_at) * 1000)::float8 AS "to"
    FROM health_interval WHERE to_position IS NULL ORDER BY component, from_at`;

type Row = Omit<RuleInterval, 'contradicted'> & {
  component: HealthComponent;
  claim_differs: boolean | null;
  differed_ms: number;
};

describe('the health of the recorded node, observed over HTTP on a virtual clock', () => {
  const dataSource = useDatabase();
  const store = new EventStore(dataSource);
  let rows: Row[];
  let found: FoundHealth;

  beforeAll(async () => {
    found = await observe();
  });

  /** Plays the recording, and reads the projected health. */
  async function observe(): Promise<FoundHealth> {
    const startMs = Date.UTC(2026, 10, 21, 5, 0, 0);
    await liveThroughRecording(store, { nodes: [{ id: 'recorded', file: 'aggregator' }], startMs, seed: 5 });
    await project();
    rows = await dataSource.query<Row[]>(READ_INTERVALS);
    const lineOf = (component: HealthComponent) =>
      rows
        .filter((row) => row.component === component)
        .map((row) => ({ ...row, contradicted: [[0, row.differed_ms]] as const }));
    return { name: 'observed', startMs, DA: lineOf('DA'), NODE: lineOf('NODE') };
  }

  async function project(batchSize?: number): Promise<void> {
    const runner = new ProjectionRunner(dataSource, store, batchSize);
    await runner.catchUp(new HealthProjection(), await store.lastPosition());
  }

  describeRecordedHealth(() => [found]);

  it('shows where the node claimed otherwise', () => {
    const differing = rows.filter((row) => row.claim_differs);
    expect(differing.every(({ state, claim }) => state === 'CRITICAL' && claim === 'healthy')).toBe(true);
    expect(differing.filter(({ rule }) => rule === 'frozen')).toHaveLength(2);
  });

  it('is the same, version by version, after a replay of the log', async () => {
    const readAll = () =>
      dataSource.query<{ row: string }[]>('SELECT h::text AS row FROM health_interval h ORDER BY h::text');
    const lived = await readAll();
    for (const batchSize of [1, 7]) {
      await dataSource.query("DELETE FROM projection_checkpoint WHERE name = 'health'");
      await dataSource.query('TRUNCATE health_interval, health_fold, health_threshold');
      await project(batchSize);
      expect(await readAll()).toEqual(lived);
    }
    await rebuildNow(dataSource, readModelSet('health'));
    expect(await readAll()).toEqual(lived);
  });
});
