import { onConnection } from '../../src/platform/sql.js';
import { getKnownPolls } from '../../src/event-log/known-polls.reader.js';
import { CoverageProjection } from '../../src/projections/coverage.js';
import {
  CarriedBlocksReader,
  type CarriedBy,
} from '../../src/projections/record/readers/carried-blocks.reader.js';
import { submissionsKnownAt } from '../../src/projections/record/readers/known-rows.reader.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { selectList } from '../../src/platform/rows/row-columns.js';
import { SUBMISSION_EVIDENCES, SUBMISSION_KINDS } from '../../src/domain/submissions/submission-codes.js';
import { SubmissionEntity } from '../../src/tables/record.entities.js';
import { appendLog } from '../support/append-log.js';
import { emptyTables } from '../support/empty-tables.js';
import { randomLog } from '../support/random-log.js';
import { takeEvents } from '../support/read-models.js';
import { seededRandom } from '../support/seeded-random.js';
import { useDatabase } from '../support/use-database.js';

const LOGS = Number(process.env['RANDOM_LOGS'] ?? 1);
const STEPS = 130;

describe.each(Array.from({ length: LOGS }, (_, index) => index + 1))('of synthetic log %d', (seed) => {
  const dataSource = useDatabase();
  const log = randomLog(seededRandom(seed), STEPS);

  beforeAll(() => appendLog(dataSource, log), 120_000);

  it('the coverage known at a position equals the coverage of a projection that stopped there', async () => {
    const nodes = [...new Set(log.map(({ stream }) => stream.split('/')[0] ?? ''))];
    const read = async (): Promise<Covered[]> =>
      dataSource.query<Covered[]>(
        `SELECT node, kind, from_at AS "fromAt", to_at AS "toAt" FROM coverage_interval WHERE from_at < to_at ORDER BY node, number`,
      );
    const whole = await read();
    const projection = new CoverageProjection();
    await dataSource.query('TRUNCATE coverage_interval, coverage_fold');
    let cut = 0;
    for (const event of log) {
      await takeEvents(dataSource, projection, [event]);
      const looks = await onConnection(dataSource, (query) => getKnownPolls(query, nodes, event.position));
      const known = whole.flatMap(({ node, kind, fromAt, toAt }) => {
        const end = least(toAt, looks.get(node) ?? 0n);
        if (end < toAt && fromAt < end) cut += 1;
        return fromAt < end ? [{ node, kind, fromAt, toAt: end }] : [];
      });
      // A gap that was found later takes time back from coverage, whatever position is asked for.
      const held = (await read()).map((row) => ({ ...row, toAt: least(row.toAt, endOf(whole, row)) }));
      expect([event.position, event.type, known]).toEqual([event.position, event.type, held]);
    }
    expect(cut).toBeGreaterThan(10);
  });

  it('the blocks that an attempt was known to have carried are those found in the records of that time', async () => {
    const reader = new CarriedBlocksReader(dataSource);
    const rowsAt = async (at: bigint | undefined): Promise<CarriedBy[]> => {
      const rows = await dataSource.query<Pick<SubmissionEntity, keyof SubmissionEntity>[]>(
        `SELECT ${selectList(SubmissionEntity, 's')} FROM ${submissionsKnownAt(at)} WHERE s.to_position IS NULL
          ORDER BY s.node_key, s.sequence, s.lineage_key, s.kind, s.da_height`,
      );
      return rows.map((row) => ({
        ...row,
        kind: SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN',
        evidence: SUBMISSION_EVIDENCES[row.evidence] ?? 'OBSERVED',
      }));
    };
    const positions = log.map(({ position }) => position).filter((_, index) => index % 9 === 8);
    const known = new Map<bigint, bigint[][]>();
    for (const at of positions) known.set(at, await reader.getCarriedHeights(await rowsAt(at), at));
    const projection = new RecordProjection();
    await emptyTables(dataSource, projection.tables);
    let carried = 0;
    for (const event of log) {
      await takeEvents(dataSource, projection, [event]);
      const heights = known.get(event.position);
      if (heights === undefined) continue;
      const rows = await rowsAt(undefined);
      const found = await reader.getCarriedHeights(rows);
      // If the blocks of an attempt are not all known, no history records which one it was.
      const expected = found.map((list, index) => (rows[index]?.blockFrom === null ? [] : list));
      expect([event.position, heights]).toEqual([event.position, expected]);
      carried += expected.flat().length;
    }
    expect(carried).toBeGreaterThan(10);
  });
});

interface Covered {
  readonly node: string;
  readonly kind: string;
  readonly fromAt: bigint;
  readonly toAt: bigint;
}

function endOf(intervals: readonly Covered[], { node, fromAt }: Covered): bigint {
  return intervals.find((one) => one.node === node && one.fromAt === fromAt)?.toAt ?? 0n;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
