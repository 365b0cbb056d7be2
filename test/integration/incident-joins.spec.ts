import { inTransaction } from '../../src/platform/sql.js';
import type { RuleInterval } from '../../src/domain/health/health-intervals.js';
import type { HealthState } from '../../src/domain/health/health-rule.js';
import { IncidentJoins } from '../../src/projections/health/incident-joins.js';
import { useDatabase } from '../support/use-database.js';

const MINUTE = 60_000;

describe('trouble that is joined into incidents, batch by batch', () => {
  const dataSource = useDatabase();
  let position = 0n;

  beforeEach(async () => {
    position = 0n;
    await dataSource.query('TRUNCATE incident_join, last_trouble');
  });

  const interval = (minute: number, state: HealthState): RuleInterval => ({
    from: minute * MINUTE,
    to: null,
    state,
    rule: state === 'HEALTHY' ? 'healthy' : 'head-still',
    reason: '',
    limit: null,
    claim: null,
    contradicted: [],
  });
  const batch = (act: (joins: IncidentJoins) => Promise<void>): Promise<void> =>
    inTransaction(dataSource, async (query) => {
      const joins = new IncidentJoins(query);
      await act(joins);
      await joins.write();
    });
  const put = (joins: IncidentJoins, node: string, minute: number, state: HealthState, chain = 'lab-1') =>
    joins.apply(
      { node, chain, failure: null },
      [{ component: 'NODE', kind: 'put', interval: interval(minute, state) }],
      ++position,
    );
  const drop = (joins: IncidentJoins, node: string, minute: number) =>
    joins.apply(
      { node, chain: 'lab-1', failure: null },
      [{ component: 'NODE', kind: 'drop', from: minute * MINUTE }],
      ++position,
    );
  const standing = async (): Promise<string[]> => {
    const rows = await dataSource.query<{ told: string }[]>(
      `SELECT node || ' ' || extract(epoch FROM from_at)::int / 60 || ' of ' || root_node AS told FROM incident_join
        WHERE to_position IS NULL ORDER BY 1`,
    );
    return rows.map(({ told }) => told);
  };

  it.each([
    ['in batches of their own', true],
    ['in one batch', false],
  ])(
    'is not left joined to trouble that never existed, however long ago it was joined, %s',
    async (_name, isApart) => {
      const steps: ((joins: IncidentJoins) => Promise<void>)[] = [
        (joins) => put(joins, 'alpha', 10, 'CRITICAL'),
        (joins) => put(joins, 'beta', 11, 'CRITICAL'),
        (joins) => put(joins, 'beta', 12, 'HEALTHY'),
        // Beta has had another trouble since, which is its last one.
        (joins) => put(joins, 'beta', 40, 'CRITICAL'),
      ];
      if (isApart) for (const step of steps) await batch(step);
      else
        await batch(async (joins) => {
          for (const step of steps) await step(joins);
        });
      expect(await standing()).toEqual(['beta 11 of alpha', 'beta 40 of alpha']);
      await batch((joins) => drop(joins, 'alpha', 10));
      expect(await standing()).toEqual([]);
    },
  );

  it('is taken back if it was joined in the same batch', async () => {
    await batch(async (joins) => {
      await put(joins, 'alpha', 10, 'CRITICAL');
      await put(joins, 'beta', 11, 'CRITICAL');
      await put(joins, 'beta', 12, 'HEALTHY');
      await put(joins, 'beta', 40, 'CRITICAL');
      await drop(joins, 'alpha', 10);
    });
    expect(await standing()).toEqual([]);
  });

  it('is not joined to trouble of a node that has moved to another chain, nor to what that node brought along', async () => {
    await batch((joins) => put(joins, 'alpha', 10, 'CRITICAL'));
    await batch((joins) => joins.move('alpha', 'lab-2'));
    await batch((joins) => put(joins, 'beta', 11, 'CRITICAL'));
    await batch((joins) => put(joins, 'gamma', 12, 'CRITICAL', 'lab-2'));
    expect(await standing()).toEqual([]);
    await batch((joins) => put(joins, 'delta', 13, 'CRITICAL', 'lab-2'));
    expect(await standing()).toEqual(['delta 13 of gamma']);
  });
});
