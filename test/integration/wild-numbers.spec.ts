import fc from 'fast-check';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import type { RecordedEvent } from '../../src/domain/events.js';
import { inTransaction } from '../../src/platform/sql.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { emptyTables } from '../support/empty-tables.js';
import { makeBlock } from '../support/random-log.js';
import { SmallLog } from '../support/small-log.js';
import { tries } from '../support/tries.js';
import { wildEvent, type WildEvent } from '../support/wild-events.js';
import { logWith, WILD } from '../support/wild-log.js';
import { CONTENT, contentTables } from '../support/table-content.js';
import { useDatabase } from '../support/use-database.js';
import { takeEvents } from '../support/read-models.js';

const dataSource = useDatabase();
let tables: string[];

beforeAll(async () => {
  tables = Object.values(PROJECTION_FACTORIES).flatMap((create) => [...create().tables]);
});

/** Projects a log into empty tables, in batches of a size. */
async function project(
  log: readonly RecordedEvent[],
  names: readonly string[],
  batchSize: number,
): Promise<void> {
  await emptyTables(dataSource, [
    ...tables,
    'statistic',
    'block_statistic',
    'roll_up_mark',
    'statistic_state',
  ]);
  for (const name of names) {
    const projection = PROJECTION_FACTORIES[name]?.();
    const events = log.filter(({ type }) => projection?.handles.includes(type));
    for (let from = 0; from < events.length; from += batchSize) {
      const batch = events.slice(from, from + batchSize);
      if (projection) await takeEvents(dataSource, projection, batch);
    }
  }
}

/** Rows of the good node and its chain. */
async function goodRows(): Promise<Record<string, string[]>> {
  const conditions: Record<string, string> = {
    node: "id = 'good'",
    submission: 'node_key = 1 OR lineage_key = 1',
    submission_run: 'node_key = 1',
    block: 'node_key = 1',
    inclusion_walk: 'node_key = 1',
    frontier: 'lineage_key = 1',
    bracket: 'node_key = 1',
    loss: 'node_key = 1',
    health_interval: "node = 'good'",
    coverage_interval: "node = 'good'",
    availability_interval: "node = 'good'",
    statistic: "node_key = 1 OR chain = 'good-1'",
    block_statistic: "node_key = 1 OR chain = 'good-1'",
  };
  const found: Record<string, string[]> = {};
  for (const [table, condition] of Object.entries(conditions)) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT ${CONTENT} AS row FROM ${table} t WHERE ${condition} ORDER BY ${CONTENT} COLLATE "C"`,
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

async function recordRows(): Promise<string[]> {
  const all: string[] = [];
  for (const table of contentTables(new RecordProjection().tables)) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT '${table} ' || ${CONTENT} AS row FROM ${table} t ORDER BY ${CONTENT} COLLATE "C"`,
    );
    for (const { row } of rows) all.push(row);
  }
  return all;
}

describe('a log with impossible numbers and texts', () => {
  it.each([
    // Code that reads health assumes that heights are the integers that every observer writes.
    ['INTEGERS', Object.keys(PROJECTION_FACTORIES)],
    ['ANYTHING', Object.keys(PROJECTION_FACTORIES).filter((name) => name !== 'health')],
  ] as const)(
    'stops no read model and no figure, and changes nothing of the node next to it (%s)',
    async (texts, names) => {
      await fc.assert(
        fc.asyncProperty(fc.array(wildEvent(texts), { minLength: 3, maxLength: 25 }), async (wild) => {
          const log = logWith(wild);
          await project(log, names, 7);
          await new RollUp(dataSource).run();
          expect(await dataSource.query('SELECT * FROM roll_up_fault')).toEqual([]);
          expect(await dataSource.query('SELECT * FROM roll_up_mark')).toEqual([]);
          const beside = await goodRows();
          const positions = new Set(log.filter(isWild).map(({ position }) => position));
          await project(
            log.filter(({ position }) => !positions.has(position)),
            names,
            7,
          );
          await new RollUp(dataSource).run();
          expect(beside).toEqual(await goodRows());
          expect(beside['statistic']?.length).toBeGreaterThan(0);
        }),
        tries(8),
      );
    },
    300_000,
  );

  const blockAt = (height: number, headerDaHeight: string): WildEvent => {
    const block = makeBlock({ height: BigInt(height), timeMs: SmallLog.START, dataBytes: 0 });
    const heights = { headerDaHeights: [headerDaHeight], dataDaHeights: [headerDaHeight] };
    const body = { chain: 'wild-1', lineage: 1, ...packBlocks([block]), ...heights };
    return { subject: 'blocks', type: 'BlocksObserved', body };
  };
  const gapAt = (from: string, to: string): WildEvent => ({
    subject: 'blocks',
    type: 'BlocksPruned',
    body: { chain: 'wild-1', lineage: 1, from, to },
  });
  const rowOf = (text: string): WildEvent => ({
    subject: 'submissions',
    type: 'SubmissionsObserved',
    body: { looks: { first: SmallLog.START, last: SmallLog.START, count: 1, longestGapMs: 0 }, rows: [text] },
  });

  it.each([
    [
      'DA heights that fall behind a gap',
      [blockAt(2, '60'), gapAt('3', '3'), blockAt(4, '5'), blockAt(5, '70')],
    ],
    [
      'a DA height of 2^63-1 before a gap',
      [blockAt(2, '9223372036854775807'), gapAt('3', '3'), blockAt(4, '5')],
    ],
    [
      'a DA height of 2^63-1 behind a gap',
      [blockAt(2, '4'), gapAt('3', '3'), blockAt(4, '9223372036854775807')],
    ],
    ['blocks pruned up to 2^64', [gapAt('3', '18446744073709551614'), blockAt(2, '7'), blockAt(4, '8')]],
    ['blocks pruned the wrong way round', [gapAt('9', '2'), blockAt(2, '7'), blockAt(3, '8')]],
    [
      'a gas price of 10^99',
      ['1e99', '"1e99"', '1e30'].map((price) =>
        rowOf(`{"status_code":"Success","height":5,"num_blobs":1,"blob_size":5000000,"gas_price":${price}}`),
      ),
    ],
  ])('is processed past %s', async (_, wild) => {
    const log = logWith(wild);
    await project(log, Object.keys(PROJECTION_FACTORIES), 3);
    await new RollUp(dataSource).run();
    // A second bucket above them reads the sums back.
    await inTransaction(dataSource, (query) => new RollUp(dataSource).markAll(query));
    await new RollUp(dataSource).run();
    expect(await dataSource.query('SELECT * FROM roll_up_fault')).toEqual([]);
    expect(await dataSource.query('SELECT * FROM roll_up_mark')).toEqual([]);
    const shown = await dataSource.query(
      'SELECT DISTINCT chain FROM statistic WHERE node_key = 0 ORDER BY 1',
    );
    expect(shown).toContainEqual({ chain: 'good-1' });
  });

  it('gives the same record however the log is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wildEvent('ANYTHING'), { minLength: 3, maxLength: 25 }), async (wild) => {
        const log = logWith(wild);
        await project(log, ['record'], log.length);
        const whole = await recordRows();
        await project(log, ['record'], 2);
        expect(await recordRows()).toEqual(whole);
      }),
      tries(8),
    );
  }, 300_000);
});

/** An event of the wild node, except its registration. */
function isWild({ stream, type }: RecordedEvent): boolean {
  return stream.startsWith(`${WILD}/`) && type !== 'NodeRegistered';
}
