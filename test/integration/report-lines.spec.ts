import { printReportLines } from '../../src/cli/report-lines.js';
import type { Database } from '../../src/platform/sql.js';
import { catchOutput } from '../support/command-here.js';
import { projectAll } from '../support/read-models.js';
import { SmallLog } from '../support/small-log.js';
import { appendLog } from '../support/append-log.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();

it('a snapshot that was lost after its lines were printed prints none of them twice', async () => {
  const log = new SmallLog().register('alpha', 'lab-1').describe('alpha', 'lab-1');
  log.rows('alpha', [{ da: 10 }, { da: 11 }]);
  await appendLog(dataSource, log.events);
  await projectAll(dataSource);
  const out = catchOutput(process.stdout);
  /** Loses a race at the first statement after a line, once. */
  let isLost = false;
  const source: Database = {
    query: (sql, parameters) => dataSource.query(sql, parameters),
    createQueryRunner: () => {
      const runner = dataSource.createQueryRunner();
      return {
        release: () => runner.release(),
        query: (sql, parameters, structured) => {
          if (isLost || !out.text().includes('alpha~1')) return runner.query(sql, parameters, structured);
          isLost = true;
          return Promise.reject(Object.assign(new Error('lost'), { code: '40001' }));
        },
      };
    },
  };
  const [fromUs, lastUs] = [0n, BigInt(SmallLog.START + 86_400_000) * 1_000n];
  const question = {
    bucket: 'DAY',
    groupBy: [],
    from: undefined,
    to: undefined,
    timeZone: undefined,
    pricesAsOfUs: undefined,
    knownAtUs: undefined,
    nowUs: lastUs,
  } as const;
  const recorded = { chain: 'lab-1', zone: 'UTC', extent: { fromUs, lastUs } };
  try {
    await printReportLines(source, [{ recorded, question }], 'en').catch(() => undefined);
  } finally {
    out.release();
  }
  expect(isLost).toBe(true);
  expect(out.text().match(/alpha~1,/g)).toHaveLength(1);
});
