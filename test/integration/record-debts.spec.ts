import { SUBMISSION_EVIDENCES } from '../../src/domain/submissions/submission-codes.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { emptyTables } from '../support/empty-tables.js';
import { takeEvents } from '../support/read-models.js';
import { SmallLog } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();

/** The evidence of each row by its DA height, and how many blocks the node has not returned; the same however the log is cut. */
async function project(log: SmallLog): Promise<{ evidence: string[]; missing: bigint }> {
  const results = new Set<string>();
  for (const size of [1, 3, log.events.length]) {
    await emptyTables(dataSource, new RecordProjection().tables);
    for (let from = 0; from < log.events.length; from += size)
      await takeEvents(dataSource, new RecordProjection(), log.events.slice(from, from + size));
    const rows: { da: bigint; evidence: number }[] = await dataSource.query(
      'SELECT da_height AS da, evidence FROM submission ORDER BY da_height, sequence',
    );
    const [walk]: { missing: bigint }[] = await dataSource.query(
      'SELECT last_height - first_height + 1 - recorded AS missing FROM inclusion_walk',
    );
    const evidence = rows.map((row) => `${row.da} ${SUBMISSION_EVIDENCES[row.evidence]}`);
    results.add(JSON.stringify({ evidence, missing: String(walk?.missing) }));
  }
  expect(results.size).toBe(1);
  const { evidence, missing } = JSON.parse([...results].join('')) as { evidence: string[]; missing: string };
  return { evidence, missing: BigInt(missing) };
}

describe('DA heights around a block that the node did not return', () => {
  const begin = (): SmallLog =>
    new SmallLog()
      .register('n')
      .describe('n', 'c')
      .list('n', 'AVAILABLE')
      .lose('n', 'SubmissionHistoryMissing');
  const lookOn = (log: SmallLog): SmallLog => {
    log.now += 60_000;
    return log.watch('n');
  };
  const skipped = (): SmallLog => {
    const log = begin().rows('n', [{ da: 4 }, { da: 5 }, { da: 7 }, { da: 20 }]);
    log.now += 1_000;
    log.blocks('n', 'c', [
      { height: 1, headerDa: 4 },
      { height: 2, headerDa: 5 },
    ]);
    log.unreadable('n', 'c', 3).unreadable('n', 'c', 4);
    log.blocks('n', 'c', [
      { height: 5, headerDa: 8 },
      { height: 6, headerDa: 20 },
      { height: 7, headerDa: 21 },
    ]);
    return lookOn(log);
  };

  it('stay undecided while the block is missing, and are decided once it is returned and included', async () => {
    // It is not known yet whether a list showed the batch at DA height 8.
    const before = ['4 CONFIRMED', '5 CONFIRMED', '7 OBSERVED', '20 CONFIRMED'];
    expect(await project(skipped())).toEqual({ evidence: before, missing: 2n });
    const half = skipped();
    half.blocks('n', 'c', [{ height: 4, headerDa: 8 }]);
    expect(await project(lookOn(half))).toEqual({ evidence: before, missing: 1n });
    half.blocks('n', 'c', [{ height: 3 }]);
    expect(await project(lookOn(half))).toEqual({ evidence: before, missing: 0n });
    half.include('n', 'c', [{ height: 3, headerDa: 7 }]);
    expect(await project(lookOn(half))).toEqual({
      evidence: ['4 CONFIRMED', '5 CONFIRMED', '7 CONFIRMED', '8 RECONSTRUCTED', '20 CONFIRMED'],
      missing: 0n,
    });
  });

  it('are reported as unreferenced only once the block is there', async () => {
    const log = skipped();
    log.blocks('n', 'c', [
      { height: 3, headerDa: 8 },
      { height: 4, headerDa: 8 },
    ]);
    expect((await project(lookOn(log))).evidence).toContain('7 UNREFERENCED');
  });

  it('are decided also below the first block that the node returned', async () => {
    const log = begin().rows('n', [{ da: 3 }, { da: 5 }, { da: 6 }]);
    log.now += 1_000;
    log.unreadable('n', 'c', 1).blocks('n', 'c', [
      { height: 2, headerDa: 5 },
      { height: 3, headerDa: 6 },
      { height: 4, headerDa: 7 },
    ]);
    lookOn(log);
    log.blocks('n', 'c', [{ height: 1, headerDa: 3 }]);
    expect(await project(lookOn(log))).toEqual({
      evidence: ['3 CONFIRMED', '5 CONFIRMED', '6 CONFIRMED'],
      missing: 0n,
    });
  });
});
