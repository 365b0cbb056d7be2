import { inTransaction, type Query } from '../../src/platform/sql.js';
import type { RecordEvent } from '../../src/projections/record/facts/decode.js';
import { SUBMISSION_EVIDENCES } from '../../src/domain/submissions/submission-codes.js';
import { submissionsKnownAt } from '../../src/projections/record/readers/known-rows.reader.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { ProjectedRecord } from '../support/decided/projected-record.js';
import { emptyTables } from '../support/empty-tables.js';
import { SmallLog, type SmallBlock } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';
import { takeEvents } from '../support/read-models.js';

const dataSource = useDatabase();

/** `<node> <DA height> <chain>/<lineage, if there is one> <evidence>` of each row, however the log is cut. */
async function rowsOf({ events }: SmallLog): Promise<string[]> {
  const found = await recordOf(events, 1);
  for (const size of [2, 3, Infinity]) expect(await recordOf(events, size)).toEqual(found);
  return found;
}

async function recordOf(log: SmallLog['events'], size: number): Promise<string[]> {
  await emptyTables(dataSource, new RecordProjection().tables);
  for (let from = 0; from < log.length; from += size) {
    await takeEvents(dataSource, new RecordProjection(), log.slice(from, from + size));
  }
  const rows = await dataSource.query<
    { node: string; da: bigint; chain: string | null; n: number | null; evidence: number }[]
  >(
    `SELECT n.id AS node, s.da_height AS da, s.chain_id AS chain, l.n, s.evidence
       FROM submission s LEFT JOIN node n USING (node_key) LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
      WHERE s.to_position IS NULL ORDER BY s.node_key, s.sequence, s.da_height`,
  );
  return rows.map(
    ({ node, da, chain, n, evidence }) =>
      `${node ?? '-'} ${da} ${chain ?? '?'}/${n ?? ''} ${SUBMISSION_EVIDENCES[evidence]}`,
  );
}

const rows = (...heights: number[]) => heights.map((da) => ({ da }));

describe('a row belongs to the chain of its list', () => {
  it('even if its node is pointed at another chain before a block shows it', async () => {
    const log = new SmallLog().register('n', 'c1').describe('n', 'c1').lose('n', 'SubmissionHistoryMissing');
    log.register('follower').now = 1_000;
    log.rows('n', rows(100, 101, 102, 103));
    const shown = [
      { height: 1, headerDa: 100 },
      { height: 2, headerDa: 101 },
    ];
    log.blocks('n', 'c1', [...shown, { height: 3 }, { height: 4 }]);
    log.now = 10_000;
    log.register('n', 'c2').describe('n', 'c2').rows('n', rows(150));
    log.blocks('n', 'c2', [
      { height: 1, headerDa: 150 },
      { height: 2, headerDa: 152 },
    ]);
    const before = ['n 100 c1/1 CONFIRMED', 'n 101 c1/1 CONFIRMED'];
    expect(await rowsOf(log.watch('n'))).toEqual([
      ...before,
      'n 102 c1/1 UNCONFIRMED',
      'n 103 c1/1 UNCONFIRMED',
      'n 150 c2/1 CONFIRMED',
    ]);
    log.blocks('follower', 'c1', [
      ...shown,
      { height: 3, headerDa: 102 },
      { height: 4, headerDa: 103 },
      { height: 5, headerDa: 104 },
    ]);
    expect(await rowsOf(log)).toEqual([
      ...before,
      'n 102 c1/1 CONFIRMED',
      'n 103 c1/1 CONFIRMED',
      'n 150 c2/1 CONFIRMED',
    ]);
  });

  it('and moves with its node from one lineage of the chain to the next', async () => {
    const log = new SmallLog()
      .register('n')
      .describe('n', 'c1')
      .blocks('n', 'c1', [{ height: 1, headerDa: 99 }]);
    log.rows('n', rows(100)).blocks('n', 'c1', [{ height: 1, headerDa: 100 }], 2);
    expect(await rowsOf(log)).toEqual(['n 100 c1/2 CONFIRMED']);
  });

  it('the first chain that its process named', async () => {
    const log = new SmallLog().register('n').rows('n', rows(100));
    expect(await rowsOf(log)).toEqual(['n 100 ?/ OBSERVED']);
    log.describe('n', 'c1').describe('n', 'c2');
    expect(await rowsOf(log)).toEqual(['n 100 c1/ UNCONFIRMED']);
    log.rows('n', rows(101)).lose('n', 'SubmissionRingReset').rows('n', rows(102));
    log.blocks('n', 'c2', [{ height: 1, headerDa: 102 }]);
    const before = ['n 100 c1/ UNCONFIRMED', 'n 101 c1/ UNCONFIRMED'];
    expect(await rowsOf(log)).toEqual([...before, 'n 102 c2/1 CONFIRMED']);
    log.blocks('n', 'c1', [{ height: 1, headerDa: 100 }]);
    const after = ['n 100 c1/1 CONFIRMED', 'n 101 c1/1 UNCONFIRMED'];
    expect(await rowsOf(log)).toEqual([...after, 'n 102 c2/1 CONFIRMED']);
  });

  it('even if its process died without being asked between two lists of one chain, but not if other chains were met', async () => {
    const loop = (after: string) => {
      const log = new SmallLog()
        .register('n')
        .describe('n', null, null)
        .rows('n', rows(100))
        .describe('n', 'c1', 0);
      log.lose('n', 'SubmissionRingReset', 1).rows('n', rows(101), true, 1);
      if (after === 'c2') log.describe('n', 'c2', null);
      log.lose('n', 'SubmissionRingReset', 2).rows('n', rows(102), true, 2);
      return log.describe('n', after === 'c2' ? 'c1' : after, 2);
    };
    const [first, last] = ['n 100 c1/ UNCONFIRMED', 'n 102 c1/ UNCONFIRMED'];
    expect(await rowsOf(loop('c1'))).toEqual([first, 'n 101 c1/ UNCONFIRMED', last]);
    expect(await rowsOf(loop('c2'))).toEqual([first, 'n 101 ?/ UNCONFIRMED', last]);
    expect(await rowsOf(loop('c3'))).toEqual([first, 'n 101 ?/ UNCONFIRMED', 'n 102 c3/ UNCONFIRMED']);
  });

  it('the chain whose blocks it showed, if it never named one', async () => {
    const log = new SmallLog().register('n').rows('n', rows(100));
    log.blocks('n', 'c1', [{ height: 1, headerDa: 100 }]);
    expect(await rowsOf(log)).toEqual(['n 100 c1/1 CONFIRMED']);
  });

  it('whatever blocks its node shows, and whatever chain it names later', async () => {
    const log = new SmallLog().register('n').describe('n', 'c1');
    log
      .blocks('n', 'c1', [{ height: 1, headerDa: 100 }])
      .rows('n', rows(100))
      .describe('n', 'c2');
    log.rows('n', rows(101)).lose('n', 'SubmissionRingReset').rows('n', rows(102)).describe('n', 'c2');
    log.blocks('n', 'c1', [{ height: 2, headerDa: 101 }]).rows('n', rows(103));
    expect(await rowsOf(log)).toEqual([
      'n 100 c1/1 CONFIRMED',
      'n 101 c1/1 CONFIRMED',
      'n 102 c2/ UNCONFIRMED',
      'n 103 c2/ UNCONFIRMED',
    ]);
  });

  it('as the node names it, if the settings named another one', async () => {
    const log = new SmallLog().register('n', 'alias').rows('n', rows(100));
    expect(await rowsOf(log)).toEqual(['n 100 alias/ OBSERVED']);
    log.describe('n', 'c1').blocks('n', 'c1', [{ height: 1, headerDa: 100 }]);
    expect(await rowsOf(log)).toEqual(['n 100 c1/1 CONFIRMED']);
    log.register('n', 'c3').rows('n', rows(101));
    expect(await rowsOf(log)).toEqual(['n 100 c1/1 CONFIRMED', 'n 101 c3/ UNCONFIRMED']);
    log.blocks('n', 'c1', [{ height: 2, headerDa: 101 }]);
    expect(await rowsOf(log)).toEqual(['n 100 c1/1 CONFIRMED', 'n 101 c1/1 CONFIRMED']);
    log.register('n', 'c5').rows('n', rows(102)).register('n', 'c4').describe('n', 'c4');
    const last = (await rowsOf(log)).at(-1);
    expect(last).toBe('n 102 c5/ UNCONFIRMED');
    const unnamed = new SmallLog().register('n').rows('n', rows(100)).register('n', 'c1').register('n', 'c2');
    expect(await rowsOf(unnamed.describe('n', 'c2'))).toEqual(['n 100 c1/ UNCONFIRMED']);
  });
});

it.each([0.5, -1, 2 ** 31])('a history without a valid number is an error of its event: %d', async (n) => {
  const log = new SmallLog().blocks('n', 'c1', [{ height: 1 }], n);
  await expect(rowsOf(log)).rejects.toThrow('has no number');
});

describe('a success of a node that has shown no block of its chain', () => {
  /** A chain whose blocks another node shows; all lists have been polled since. */
  const begin = () =>
    new SmallLog()
      .register('f', 'c1')
      .rows('f', rows(99))
      .blocks('f', 'c1', [
        { height: 1, headerDa: 99 },
        { height: 2, headerDa: 100 },
        { height: 3, headerDa: 101 },
      ])
      .describe('f', 'c1');
  const look = (log: SmallLog, ...nodes: string[]) => {
    log.now += 1_000;
    for (const node of nodes) log.watch(node);
    return log;
  };
  const shown = 'f 99 c1/1 CONFIRMED';
  const found = 'n 100 c1/1 CONFIRMED';

  it('is found in the blocks of another node, and withdraws what was reconstructed', async () => {
    const log = look(look(begin(), 'f'), 'f');
    expect(await rowsOf(log)).toEqual([shown, '- 100 c1/1 RECONSTRUCTED']);
    expect(await rowsOf(log.register('n', 'c1').rows('n', rows(100)))).toEqual([shown, found]);
  });

  it('is found when the node turns out to be of the chain', async () => {
    const log = look(look(begin().register('n', 'alias').rows('n', rows(100)), 'f'), 'f');
    const apart = 'n 100 alias/ OBSERVED';
    expect(await rowsOf(log)).toEqual([shown, apart, '- 100 c1/1 RECONSTRUCTED']);
    expect(await rowsOf(log.describe('n', 'c1'))).toEqual([shown, found]);
  });

  it('leaves the chain with everything that had landed there, when its node turns out to be of another chain', async () => {
    const log = begin().register('n', 'c1').describe('n', null);
    log.rows('n', [{ da: 99 }, { status: 'Context Deadline' }, { da: 101 }]);
    expect(await rowsOf(look(look(log, 'f', 'n'), 'f', 'n'))).toEqual([
      shown,
      'n 99 c1/1 CONFIRMED',
      'n 100 c1/1 CONFIRMED',
      'n 101 c1/1 CONFIRMED',
    ]);
    expect(await rowsOf(log.describe('n', 'c2'))).toEqual([
      shown,
      'n 99 c2/ UNCONFIRMED',
      'n null c2/ OBSERVED',
      'n 101 c2/ UNCONFIRMED',
      '- 100 c1/1 RECONSTRUCTED',
    ]);
  });

  it('is a different submission if the kind differs', async () => {
    const log = look(begin().register('n', 'c1').describe('n', 'c1'), 'f', 'n');
    log.rows('n', [{ da: 100, kind: 'data' }]);
    expect(await rowsOf(look(look(log, 'f', 'n'), 'f', 'n'))).toEqual([
      shown,
      'n 100 c1/ UNCONFIRMED',
      '- 100 c1/1 RECONSTRUCTED',
    ]);
  });
});

describe('a success of a chain that started again', () => {
  const begin = (...blocks: SmallBlock[]) =>
    new SmallLog()
      .register('n')
      .describe('n', 'c1')
      .blocks('n', 'c1', [{ height: 1, headerDa: 99 }, ...blocks]);
  const again = (log: SmallLog, ...heights: number[]) =>
    log.blocks(
      'n',
      'c1',
      heights.map((headerDa, index) => ({ height: index + 1, headerDa })),
      2,
    );
  const look = (log: SmallLog) => {
    log.now += 1_000;
    return log.watch('n');
  };

  it('belongs to the history that shows it, whichever history its node showed last', async () => {
    const log = again(begin({ height: 2, headerDa: 100 }), 103);
    expect(await rowsOf(log.rows('n', rows(100, 103)))).toEqual([
      'n 100 c1/1 CONFIRMED',
      'n 103 c1/2 CONFIRMED',
    ]);
  });

  it('moves to that history when the history shows it', async () => {
    const other = '- 103 c1/2 RECONSTRUCTED';
    const log = look(again(begin({ height: 2 }), 103, 104).rows('n', rows(100)));
    expect(await rowsOf(log)).toEqual(['n 100 c1/2 UNREFERENCED', other]);
    const then = log.events.at(-1)?.position ?? 0n;
    expect(await rowsOf(log.include('n', 'c1', [{ height: 2, headerDa: 100 }]))).toEqual([
      'n 100 c1/1 CONFIRMED',
      other,
    ]);
    const known = await dataSource.query(
      `SELECT l.n, s.evidence FROM ${submissionsKnownAt(then)} JOIN lineage l USING (lineage_key)
        WHERE s.node_key IS NOT NULL`,
    );
    expect(known).toEqual([{ n: 2, evidence: SUBMISSION_EVIDENCES.indexOf('UNREFERENCED') }]);
  });

  it('withdraws what was reconstructed there', async () => {
    const log = look(begin({ height: 2, headerDa: 100 }, { height: 3, headerDa: 101 }).rows('n', rows(99)));
    expect(await rowsOf(look(log))).toContain('- 100 c1/1 RECONSTRUCTED');
    expect(await rowsOf(again(log, 103).rows('n', rows(100)))).toEqual([
      'n 99 c1/1 CONFIRMED',
      'n 100 c1/1 CONFIRMED',
    ]);
  });

  it('stays where its node showed it, if both histories show one', async () => {
    const log = again(begin({ height: 2, headerDa: 100 }, { height: 3, headerDa: 101 }), 100, 105);
    expect(await rowsOf(look(look(log.rows('n', rows(99, 100)))))).toEqual([
      'n 99 c1/1 CONFIRMED',
      'n 100 c1/2 CONFIRMED',
      '- 100 c1/1 RECONSTRUCTED',
    ]);
  });
});

describe('a gap of a node that has shown no rows', () => {
  it('makes no other gap uncertain before the node names the chain, however the log is cut', async () => {
    const log = new SmallLog().register('n').lose('n', 'SubmissionHistoryMissing');
    log.register('f').describe('f', 'c1').rows('f', rows(101));
    log.lose('f', 'SubmissionWindowLost').rows('f', rows(103));
    const heights = [1, 2, 3, 4].map((height) => ({ height, headerDa: 100 + height }));
    log.blocks('f', 'c1', heights).watch('f').now += 1_000;
    log.watch('f').describe('n', 'c1');
    log.now += 1_000;
    log.watch('n').watch('f');
    const groups = async () =>
      dataSource.query(
        'SELECT da_height, loss_position, from_position, to_position FROM submission WHERE node_key IS NULL ORDER BY 1, 3',
      );
    await recordOf(log.events, 1);
    const found = await groups();
    expect(found).not.toEqual([]);
    for (const size of [2, 3, 5, Infinity]) {
      await recordOf(log.events, size);
      expect(await groups()).toEqual(found);
    }
  });

  it('makes no gap uncertain on a chain that only its settings had named, whether or not the process restarts', async () => {
    const log = new SmallLog().register('n', 'c1').lose('n', 'SubmissionHistoryMissing').describe('n', 'c2');
    log.register('f').describe('f', 'c1').rows('f', rows(101));
    log.lose('f', 'SubmissionWindowLost').rows('f', rows(103));
    const heights = [1, 2, 3, 4].map((height) => ({ height, headerDa: 100 + height }));
    log.blocks('f', 'c1', heights).watch('f').now += 1_000;
    log.watch('f');
    for (const way of [{ killEvery: 1 }, {}]) {
      const record = new ProjectedRecord(dataSource, way);
      await record.begin();
      await record.apply(log.events, 1);
      const held = 'SELECT loss_position IS NOT NULL AS is_held FROM submission WHERE node_key IS NULL';
      expect(await dataSource.query(held)).toEqual([{ is_held: true }]);
    }
  });
});

it('blocks of a batch are looked up once, even if its node switches back and forth between histories', async () => {
  const log = new SmallLog()
    .register('n', 'c1')
    .describe('n', 'c1')
    .rows('n', rows(100, 101, 102));
  for (const lineage of [1, 2]) log.blocks('n', 'c1', [{ height: 1, headerDa: 100 }], lineage);
  const before = log.events.length;
  for (const height of [1, 2, 3, 4]) {
    for (const lineage of [1, 2]) log.blocks('n', 'c1', [{ height, headerDa: 99 + height }], lineage);
  }
  const found = await recordOf(log.events, 1);
  expect(await recordOf(log.events.slice(0, before), 1)).not.toEqual(found);
  let looks = 0;
  await inTransaction(dataSource, (query) => {
    const counted: Query = (sql, parameters) => {
      if (sql.includes('JOIN block b USING')) looks += 1;
      return query(sql, parameters);
    };
    return new RecordProjection().apply(log.events.slice(before) as RecordEvent[], counted);
  });
  expect(looks).toBe(1);
  const walks = 'SELECT frontier FROM inclusion_walk ORDER BY lineage_key';
  expect(await dataSource.query(walks)).toEqual([{ frontier: 4n }, { frontier: 4n }]);
});
