import { findHeights } from '../../src/projections/record/turns/find-heights.js';
import { newStep, type Step } from '../../src/projections/record/decisions/step.js';
import { inTransaction, type Query } from '../../src/platform/sql.js';
import { insertRows, submissionRow } from '../support/read-model-rows.js';
import { useDatabase } from '../support/use-database.js';

const ROWS = 20_000;
const OBSERVED = [700, 8_200, 15_000];
const UNCONFIRMED = [19_998, 19_999];

const LINEAGES = new Map([['lab-1', [1]]]);

const stepWith = (more: Partial<Step>): Step => ({
  ...newStep({ position: 1n, at: 0n, nodeKey: 1 }, 'lab-1'),
  ...more,
});

describe('the DA heights at which steps decide', () => {
  const dataSource = useDatabase();

  beforeAll(async () => {
    const rows = Array.from({ length: ROWS }, (_, n) =>
      submissionRow(n + 1, {
        da_height: n,
        evidence: OBSERVED.includes(n) ? 0 : UNCONFIRMED.includes(n) ? 2 : 1,
      }),
    );
    await insertRows(dataSource, 'submission', rows);
    await dataSource.query('VACUUM ANALYZE submission');
  });

  it('are those that a walk has passed, without reading the submissions that are decided', async () => {
    const step = stepWith({
      passed: [{ lineageKey: 1, kind: 'HEADER', at: 0n, from: 0n, below: BigInt(ROWS) }],
    });
    let touched = 0;
    const [heights = []] = await inTransaction(dataSource, (query) => {
      const watched: Query = async (sql, parameters) => {
        touched += await countTouched(query, sql, parameters);
        return query(sql, parameters);
      };
      return findHeights([step], LINEAGES, { from: 0n, most: 1_000 }, watched);
    });
    expect([...heights].sort((a, b) => Number(a - b))).toEqual([...OBSERVED, ...UNCONFIRMED].map(BigInt));
    expect(touched).toBe(OBSERVED.length + UNCONFIRMED.length);
  });

  it('are those of groups that earlier steps of the batch may leave, if a later step checks them again', async () => {
    const steps = [
      stepWith({ cells: new Set([20n, 30n]) }),
      stepWith({ groupsFrom: 25n }),
      stepWith({ groupsFrom: 10n }),
    ];
    const found = await findHeights(steps, LINEAGES, { from: 0n, most: 1_000 }, (sql, parameters) =>
      dataSource.query(sql, parameters as unknown[]),
    );
    expect(found.map((heights) => [...heights])).toEqual([[20n, 30n], [30n], [20n, 30n]]);
  });
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Submissions that a statement reads or passes over. */
async function countTouched(
  query: Query,
  sql: string,
  parameters: readonly unknown[] | undefined,
): Promise<number> {
  const [row] = await query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
    parameters,
  );
  const count = (node: PlanNode): number => {
    const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    const inside = (node.Plans ?? []).reduce((sum, part) => sum + count(part), 0);
    return inside + (node['Relation Name'] === 'submission' ? own : 0);
  };
  return row ? count(row['QUERY PLAN'][0].Plan) : 0;
}
