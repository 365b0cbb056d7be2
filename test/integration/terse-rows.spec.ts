import type { DataSource } from 'typeorm';
import type { RecordedEvent } from '../../src/domain/events.js';
import { createDataSource } from '../../src/platform/database.js';
import { inTransaction } from '../../src/platform/sql.js';
import type { Projection } from '../../src/projections/projection.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { appendTo, HEADER_NAMESPACE } from '../support/record-log.js';
import { SmallLog, type SmallBlock, type SmallRow } from '../support/small-log.js';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await startTestDatabase();
  dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.stop();
});

async function project(log: readonly RecordedEvent[], batchSize: number): Promise<void> {
  await dataSource.query(`TRUNCATE ${new RecordProjection().tables.join(', ')}`);
  for (let from = 0; from < log.length; from += batchSize) {
    const projection: Projection = new RecordProjection();
    const events = log.slice(from, from + batchSize).filter(({ type }) => projection.handles.includes(type));
    await inTransaction(dataSource, (query) => projection.apply(events, query));
  }
}

/** Rows as `sequence evidence da`, of one that only blocks prove without sequence; the same however the log is cut. */
async function outcomeOf({ events }: SmallLog): Promise<string[]> {
  const outcomes: string[][] = [];
  for (const batchSize of [Infinity, 1, 2, 3, 4, 5]) {
    await project(events, batchSize);
    const rows = await dataSource.query<Record<string, unknown>[]>(
      `SELECT concat_ws(' ', sequence, (ARRAY['OBSERVED', 'CONFIRMED', 'UNCONFIRMED', 'UNREFERENCED', 'RECONSTRUCTED'])[evidence + 1],
              da_height) AS row
         FROM submission WHERE to_position IS NULL ORDER BY node_key, sequence, da_height`,
    );
    outcomes.push(rows.map(({ row }) => String(row)));
    expect(outcomes.at(-1)).toEqual(outcomes[0]);
  }
  return outcomes[0] ?? [];
}

/** Two events of rows, then blocks at some DA heights, then a third, and looks. */
function story(
  before: readonly SmallRow[],
  blocks: readonly SmallBlock[],
  after: readonly SmallRow[],
): SmallLog {
  const log = new SmallLog().register('a').describe('a', 'one').rows('a', before);
  log.now += 1_000;
  log.blocks('a', 'one', blocks);
  log.now += 1_000;
  if (after.length > 0) log.rows('a', after);
  return lookOn(log);
}

function lookOn(log: SmallLog, times = 3): SmallLog {
  for (let n = 0; n < times; n++) {
    log.now += 1_000;
    log.watch('a');
  }
  return log;
}

const at = (...heights: number[]): SmallBlock[] =>
  heights.map((headerDa, index) => ({ height: index + 1, headerDa }));
const bare: SmallRow = { da: 0 };

describe('what is missing beside a success that does not tell where it landed', () => {
  it('is that success as long as nothing excludes it', async () => {
    const log = story([{ da: 3 }], at(3, 7, 12), [bare]);
    expect(await outcomeOf(log)).toEqual(['1 CONFIRMED 3', '2 OBSERVED']);
  });

  it('is another one below what the list showed before it', async () => {
    const log = story([{ da: 3 }, { da: 10 }], at(3, 7, 10, 12), [bare]);
    expect(await outcomeOf(log)).toEqual([
      '1 CONFIRMED 3',
      '2 CONFIRMED 10',
      '3 OBSERVED',
      'RECONSTRUCTED 7',
    ]);
  });

  it('is not decided where a list is out of order', async () => {
    const log = story([{ da: 5 }, bare, { da: 3 }], at(3, 5, 7, 10, 12), [{ da: 10 }]);
    expect((await outcomeOf(log)).filter((row) => row.startsWith('R'))).toEqual([]);
  });

  it('is another one where the success had no blobs', async () => {
    const log = story([{ da: 3 }, { da: 0, blobs: 0 }], at(3, 7, 12), []);
    expect(await outcomeOf(log)).toEqual(['1 CONFIRMED 3', '2 OBSERVED', 'RECONSTRUCTED 7']);
  });

  it('may be that of a node that was pointed at another chain since', async () => {
    const log = story([{ da: 3 }, bare], at(3), []);
    log
      .register('b')
      .describe('b', 'one')
      .rows('b', [{ da: 3 }]);
    log.describe('a', 'two');
    log.blocks('b', 'one', at(3, 7, 12));
    log.now += 1_000;
    log.watch('b');
    log.now += 1_000;
    log.watch('b');
    expect((await outcomeOf(log)).filter((row) => row.startsWith('R'))).toEqual([]);
  });
});

describe('what was left undecided because of the last row of a list', () => {
  it.each<[string, SmallRow]>([
    ['a success', bare],
    ['a failure', { status: 'Context Deadline', bytes: NaN }],
    ['a failure that fits headers and data alike', { status: 'Context Deadline', kind: 'none' }],
  ])('is decided when the next success excludes that: %s', async (_, row) => {
    const both = [3, 5, 7, 12, 15].map((da, index) => ({
      height: index + 1,
      headerDa: da,
      dataDa: da,
      dataBytes: 331,
    }));
    const log = story([{ da: 3 }, { da: 3, kind: 'data' }, row], row.kind ? both : at(3, 5, 7, 12, 15), []);
    const before = await outcomeOf(log);
    expect(before.filter((each) => each.startsWith('R'))).toEqual([]);
    log.rows('a', [{ da: 7 }]);
    const after = (await outcomeOf(log)).filter((each) => each.startsWith('R'));
    expect(after).toEqual(expect.arrayContaining(['RECONSTRUCTED 12']));
    expect(after).not.toContain('RECONSTRUCTED 5');
  });

  it('is decided again where it stood reconstructed before', async () => {
    const log = story([{ da: 3 }], at(3, 5, 7, 12), []);
    expect(await outcomeOf(log)).toContain('RECONSTRUCTED 7');
    lookOn(log.rows('a', [{ ...bare, at: 500 }]));
    expect(await outcomeOf(log)).toEqual(['1 CONFIRMED 3', '2 OBSERVED']);
    expect(await outcomeOf(log.rows('a', [{ da: 5 }]))).toEqual([
      '1 CONFIRMED 3',
      '2 OBSERVED',
      '3 CONFIRMED 5',
      'RECONSTRUCTED 7',
    ]);
  });

  it('waits in no table any more once a success above it has come', async () => {
    const waiting = () =>
      dataSource.query('SELECT da_height FROM inclusion_open WHERE waits_for IS NOT NULL');
    const log = story([{ da: 3 }, bare], at(3, 7, 12, 15), []);
    await outcomeOf(log);
    expect(await waiting()).toEqual([{ da_height: 7n }, { da_height: 12n }]);
    await outcomeOf(log.rows('a', [{ da: 15 }]));
    expect(await waiting()).toEqual([]);
  });
});

describe('what was reconstructed before a row came that does not tell where it landed', () => {
  const getWithdrawn = () =>
    dataSource.query('SELECT da_height, to_position FROM submission WHERE to_position IS NOT NULL');
  const late = (rows: readonly SmallRow[], blocks = at(3, 7, 12)): SmallLog =>
    lookOn(story([{ da: 3 }], blocks, []).rows('a', rows));

  it.each<[string, SmallRow, string]>([
    ['a success', bare, '2 OBSERVED'],
    ['a failure that fits', { status: 'Context Deadline' }, '2 CONFIRMED 7'],
    ['a failure without its number', { status: 'Context Deadline', blobs: NaN }, '2 OBSERVED'],
  ])('is withdrawn by the row, as if that had come first: %s', async (_, row, outcome) => {
    const shown = [{ ...row, at: 500 }, { da: 12 }];
    const log = late(shown);
    expect(await outcomeOf(log)).toEqual(['1 CONFIRMED 3', outcome, '3 CONFIRMED 12']);
    const { position } =
      log.events.find(({ body }) => 'firstSequence' in body && body.firstSequence > 1) ?? {};
    expect(await getWithdrawn()).toEqual([{ da_height: 7n, to_position: position }]);
    expect(await outcomeOf(story([{ da: 3 }, ...shown], at(3, 7, 12), []))).toEqual(
      await outcomeOf(late(shown)),
    );
  });

  it.each<[string, readonly SmallRow[]]>([
    ['behind a success above it', [{ da: 10 }, bare]],
    ['of another kind', [{ ...bare, kind: 'data' }]],
    ['that was told long after blocks had shown it', [{ ...bare, at: 700_000 }]],
    ['without blobs', [{ ...bare, blobs: 0 }]],
  ])('stays where the row is another one: %s', async (_, rows) => {
    const log = story([{ da: 3 }], at(3, 7, 10, 12), []);
    if (rows[0]?.at) log.now = rows[0].at;
    const outcome = await outcomeOf(lookOn(log.rows('a', rows)));
    expect(outcome).toContain('RECONSTRUCTED 7');
    expect((await getWithdrawn()).filter(({ da_height }: { da_height: bigint }) => da_height === 7n)).toEqual(
      [],
    );
  });
});

describe('a failure that landed, as two nodes show it', () => {
  const before: SmallRow = { da: 3, at: 500 };
  const failed: SmallRow = { status: 'Context Deadline', at: 900 };

  it.each([
    [false, [before, failed], ['1 CONFIRMED 3', '2 OBSERVED', '1 CONFIRMED 3', '2 CONFIRMED 7']],
    [true, [before, failed], ['1 CONFIRMED 3', '2 CONFIRMED 7', '1 CONFIRMED 3', '2 OBSERVED']],
    [false, [failed], ['1 CONFIRMED 3', '2 OBSERVED', '1 CONFIRMED 7']],
  ])(
    'is confirmed once, where it has a time of its own: at the first %s, then %j',
    async (hasDate, rows, outcome) => {
      const log = new SmallLog().register('a').describe('a', 'one').register('b').describe('b', 'one');
      log.now += 1_000;
      log.rows('a', [before, failed], hasDate).rows('b', rows);
      log.blocks('b', 'one', at(3)).blocks('a', 'one', at(3, 7, 12));
      for (const node of ['a', 'b']) {
        log.now += 1_000;
        log.watch(node);
      }
      expect(await outcomeOf(log)).toEqual(outcome);
    },
  );
});

describe('what is missing beside a failure of unknown outcome', () => {
  const failure: SmallRow = { status: 'Context Deadline' };

  it('is not decided where the list begins with it', async () => {
    const log = story([failure, { da: 12 }], at(7, 12, 15), []);
    expect(await outcomeOf(log)).toEqual(['1 OBSERVED', '2 CONFIRMED 12']);
  });

  it('is another one where the list showed a success below it afterwards', async () => {
    const log = story([failure, { da: 3 }], at(3, 7, 12), []);
    expect(await outcomeOf(log)).toEqual(['1 OBSERVED', '2 CONFIRMED 3', 'RECONSTRUCTED 7']);
  });

  it.each([{ bytes: NaN }, { blobs: NaN }])('is not decided where it tells too little: %j', async (told) => {
    const log = story([{ da: 3 }, { ...failure, ...told }, { da: 12 }], at(3, 7, 12, 15), []);
    expect(await outcomeOf(log)).toEqual(['1 CONFIRMED 3', '2 OBSERVED', '3 CONFIRMED 12']);
  });

  it('is another one where it tells another number of blobs', async () => {
    const log = story([{ da: 3 }, { ...failure, blobs: 2, bytes: NaN }, { da: 12 }], at(3, 7, 12, 15), []);
    expect(await outcomeOf(log)).toContain('RECONSTRUCTED 7');
  });

  it.each<[string, readonly SmallRow[], readonly SmallRow[], readonly number[]]>([
    ['before it', [], [failure], [5, 7]],
    ['behind it', [failure], [], [7, 9]],
    ['before two of it', [], [failure, failure], [5]],
    ['around it', [failure], [failure], [7]],
  ])(
    'is another one as far as its list can hold no more: with a hole %s',
    async (_, first, last, rebuilt) => {
      const log = new SmallLog()
        .register('a')
        .describe('a', 'one')
        .rows('a', [{ da: 3 }, ...first]);
      log.lose('a', 'SubmissionWindowLost').rows('a', [...last, { da: 12 }]).now += 1_000;
      const outcome = await outcomeOf(lookOn(log.blocks('a', 'one', at(3, 5, 7, 9, 12, 15))));
      expect(outcome.filter((row) => row.startsWith('R'))).toEqual(
        rebuilt.map((da) => `RECONSTRUCTED ${da}`),
      );
    },
  );

  it('is not decided where another node may have posted what lies between', async () => {
    const log = new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 3 }]);
    log
      .register('b')
      .describe('b', 'one')
      .rows('b', [{ da: 3 }]);
    log.lose('a', 'SubmissionWindowLost').rows('a', [failure, { da: 12 }]).now += 1_000;
    log.blocks('a', 'one', at(3, 5, 7, 12, 15));
    for (let n = 0; n < 3; n++) lookOn(log.watch('b'), 1);
    expect((await outcomeOf(log)).filter((row) => row.startsWith('R'))).toEqual([]);
  });
});

describe('a loss', () => {
  it('proves no more than before once what it took in when it was stated has been found', async () => {
    const log = story([{ da: 3 }], at(3, 7, 12), []).lose('a', 'SubmissionWindowLost');
    log.now += 1_000;
    expect(await outcomeOf(log.rows('a', [{ da: 7 }]))).toEqual(['1 CONFIRMED 3', '2 CONFIRMED 7']);
    for (const batchSize of [Infinity, 1]) {
      await project(log.events, batchSize);
      const losses = await dataSource.query(
        'SELECT min_lost, shown_lost FROM loss WHERE to_position IS NULL',
      );
      expect(losses).toEqual([{ min_lost: 0n, shown_lost: 0n }]);
    }
  });
});

describe('a failed attempt', () => {
  const failed: SmallRow = { status: 'Context Deadline', blobs: 2, bytes: 662 };

  it('is found by what it carried before its node tells its namespaces, and stays found', async () => {
    const log = new SmallLog().register('a').rows('a', [{ da: 3 }, failed, { da: 10 }]);
    log.now += 1_000;
    log.blocks('a', 'one', at(3, 7, 7, 10, 12));
    lookOn(log).describe('a', 'one');
    expect(await outcomeOf(lookOn(log))).toEqual(['1 CONFIRMED 3', '2 CONFIRMED 7', '3 CONFIRMED 10']);
  });

  it('that fits headers and data alike is left open, and is not asked for again and again', async () => {
    const log = new SmallLog().register('a');
    const namespaces = { headerNamespace: HEADER_NAMESPACE, dataNamespace: HEADER_NAMESPACE };
    const body = { chain: 'one', servicePrefix: null, shape: null, aggregator: true, ...namespaces };
    appendTo(log.events, 'a/node', [{ type: 'NodeDescribed', observedAt: SmallLog.START, body }]);
    log.rows('a', [{ da: 3 }, { status: 'Context Deadline' }, { da: 10 }]);
    log.now += 1_000;
    const both = { height: 2, headerDa: 7, dataDa: 7, dataBytes: 331 };
    const last = { dataBytes: 300 };
    log.blocks('a', 'one', [
      { height: 1, headerDa: 3 },
      both,
      { height: 3, headerDa: 10, dataDa: 11, ...last },
      { height: 4, headerDa: 12, dataDa: 12, ...last },
    ]);
    expect((await outcomeOf(lookOn(log, 5))).slice(0, 3)).toEqual([
      '1 CONFIRMED 3',
      '2 OBSERVED',
      '3 CONFIRMED 10',
    ]);
    expect(
      await dataSource.query('SELECT * FROM submission_evidence_past WHERE sequence = 2 AND evidence > 0'),
    ).toEqual([]);
    expect(await dataSource.query('SELECT * FROM submission WHERE da_height = 7')).toEqual([]);
  });

  it('is not what was not posted side by side, and that is not asked for again and again', async () => {
    const data = { kind: 'data', bytes: 300 } as const;
    const log = story(
      [
        { da: 3 },
        { da: 5, blobs: 3, bytes: 993 },
        { ...failed, kind: 'data', bytes: 400 },
        { ...data, da: 7 },
        { da: 10 },
      ],
      [
        { height: 1, headerDa: 3 },
        { height: 2, headerDa: 5, dataDa: 7, dataBytes: 200 },
        { height: 3, headerDa: 5, dataDa: 7, dataBytes: 300 },
        { height: 4, headerDa: 5, dataDa: 7, dataBytes: 200 },
        { height: 5, headerDa: 10, dataDa: 12, dataBytes: 300 },
      ],
      [],
    );
    expect(await outcomeOf(lookOn(log, 5))).toContain('RECONSTRUCTED 7');
    const open = await dataSource.query('SELECT * FROM inclusion_open WHERE passed');
    expect(open).toEqual([]);
    expect(
      await dataSource.query('SELECT * FROM submission_evidence_past WHERE sequence = 3 AND evidence > 0'),
    ).toEqual([]);
  });
});

describe('a success of no known kind', () => {
  it('goes with its node to another history of the chain', async () => {
    const log = new SmallLog().register('a').blocks('a', 'one', at(3, 5));
    log.rows('a', [{ da: 20, kind: 'none' }]);
    log.now += 1_000;
    log.blocks('a', 'one', at(20, 25));
    Object.assign(log.events.at(-1)?.body ?? {}, { lineage: 2 });
    expect(await outcomeOf(lookOn(log))).toEqual(expect.arrayContaining(['1 CONFIRMED 20']));
    expect(await dataSource.query('SELECT 1 FROM submission WHERE da_height = 20')).toHaveLength(1);
  });
});
