import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { inTransaction, type Query } from '../../src/platform/sql.js';
import { PRICE_LOCK } from '../../src/projections/prices/price-lock.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { insertRows, nodeRow, type TableRow } from '../support/read-model-rows.js';
import {
  CONFIRMED,
  dumpStatistics,
  reconstructed,
  RECONSTRUCTED,
  shown,
  TIMED_OUT,
} from '../support/roll-up-world.js';
import { seededRandom } from '../support/seeded-random.js';

let database: TestDatabase;
let sources: DataSource[];

beforeAll(async () => {
  database = await startTestDatabase();
  sources = await Promise.all(
    [1, 2, 3].map(() => createDataSource({ url: database.url, poolSize: 2 }).initialize()),
  );
});

afterAll(async () => {
  for (const source of sources) await source.destroy();
  await database.stop();
});

const NODES = 6;
/** Nodes 1 to 3 show chain alpha, the others one chain each; all rows fall into these hours. */
const CHAINS = ['alpha', 'beta', 'gamma', 'delta'];
const INSERT_MARKS = 'INSERT INTO roll_up_mark (node_key, chain, quarter_at)';

function ofLineage(key: number): TableRow {
  return { lineage_key: key, chain_id: CHAINS[key - 1] };
}

/** A model of the projections: rows and marks in one transaction. */
class Writer {
  private readonly random = seededRandom(Number(process.env['RACE_SEED'] ?? 7));
  private readonly sequences = new Map<number, number>();

  constructor(private readonly dataSource: DataSource) {}

  async prepare(): Promise<void> {
    const chainOf = (key: number) => (key <= 3 ? 1 : key - 2);
    await insertRows(
      this.dataSource,
      'lineage',
      CHAINS.map((chain, index) => ({ lineage_key: index + 1, chain_id: chain, n: 1, from_position: 1 })),
    );
    await insertRows(
      this.dataSource,
      'node',
      Array.from({ length: NODES }, (_, index) =>
        nodeRow(index + 1, `n${index + 1}`, {
          chain_id: CHAINS[chainOf(index + 1) - 1],
          lineage_key: chainOf(index + 1),
        }),
      ),
    );
  }

  async write(): Promise<void> {
    const kind = this.below(10);
    if (kind < 6) await this.addRows();
    else if (kind < 8) await this.changeEvidence();
    else if (kind < 9) await this.withdraw();
    else await this.changePrice();
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private time(): string {
    return new Date(Date.UTC(2026, 2, 2, 20, 0, this.below(6 * 3600))).toISOString();
  }

  private async addRows(): Promise<void> {
    const rows: TableRow[] = [];
    for (let index = this.below(8); index >= 0; index--) {
      const [time, digest] = [this.time(), this.below(3)];
      const first = 1 + this.below(NODES);
      for (const nodeKey of first <= 3 ? [1, 2, 3].slice(0, 1 + this.below(3)) : [first]) {
        const isWild = this.below(6) === 0;
        rows.push(
          this.row(nodeKey, isWild ? this.time() : time, { occurred_at: time, wild_time: isWild, digest }),
        );
      }
    }
    if (this.below(3) === 0) rows.push(reconstructed(this.time(), ofLineage(1 + this.below(4))));
    await this.inOneTransaction(async (query) => {
      const columns = Object.keys(rows[0] ?? {}).join(', ');
      await query(
        `INSERT INTO submission (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::submission, $1)`,
        [JSON.stringify(rows)],
      );
      await query(
        `${INSERT_MARKS}
         SELECT r.node_key, '', date_bin('15 minutes', r.time_at, 'epoch')
           FROM json_populate_recordset(NULL::submission, $1) r WHERE r.node_key IS NOT NULL
         UNION SELECT 0, r.chain_id, date_bin('15 minutes', r.time_at, 'epoch')
           FROM json_populate_recordset(NULL::submission, $1) r`,
        [JSON.stringify(rows)],
      );
    });
  }

  private row(nodeKey: number, time: string, more: TableRow): TableRow {
    const sequence = (this.sequences.get(nodeKey) ?? 0) + 1;
    this.sequences.set(nodeKey, sequence);
    return shown(nodeKey, sequence, time, {
      ...ofLineage(nodeKey <= 3 ? 1 : nodeKey - 2),
      status: this.below(4) === 0 ? TIMED_OUT : 0,
      kind: this.below(2),
      size_bytes: 100 + this.below(5000),
      blob_count: this.below(20) === 0 ? null : 1 + this.below(5),
      ...more,
    });
  }

  /** Changes a hundredth of all rows and marks what it changed. */
  private async changeEvidence(): Promise<void> {
    await this.changeRows(`UPDATE submission SET evidence = ${[0, CONFIRMED, 3][this.below(3)]}
      WHERE node_key IS NOT NULL AND sequence % 100 = ${this.below(100)} RETURNING *`);
  }

  private async withdraw(): Promise<void> {
    await this.changeRows(`UPDATE submission SET to_position = 99
      WHERE evidence = ${RECONSTRUCTED} AND to_position IS NULL AND extract(epoch FROM time_at)::int % 3 = ${this.below(3)}
      RETURNING *`);
  }

  private async changeRows(update: string): Promise<void> {
    await this.inOneTransaction((query) =>
      query(
        `WITH changed AS (${update}), gone AS (
           SELECT node_key, chain_id, date_bin('15 minutes', time_at, 'epoch') AS quarter_at FROM changed)
         ${INSERT_MARKS} SELECT node_key, '', quarter_at FROM gone WHERE node_key IS NOT NULL
         UNION SELECT 0, chain_id, quarter_at FROM gone`,
      ),
    );
  }

  private async changePrice(): Promise<void> {
    const [chain, price, from] = [CHAINS[this.below(4)], `0.00${1 + this.below(8)}`, this.time()];
    await this.inOneTransaction(async (query) => {
      await query(`SELECT pg_advisory_xact_lock(${PRICE_LOCK})`);
      await query(`DELETE FROM price WHERE chain = $1`, [chain]);
      await query(
        `INSERT INTO price (chain, subject, effective_from, value, source, recorded_at, from_position)
         VALUES ($1, 'GAS_PRICE', $2, jsonb_build_object('utia', $3::text), 'spec', now(), 1)`,
        [chain, from, price],
      );
      await query(
        `WITH touched AS (
           SELECT DISTINCT node_key, date_bin('15 minutes', time_at, 'epoch') AS quarter_at
             FROM submission WHERE chain_id = $1)
         ${INSERT_MARKS} SELECT node_key, '', quarter_at FROM touched WHERE node_key IS NOT NULL
         UNION SELECT 0, $1, quarter_at FROM touched`,
        [chain],
      );
    });
  }

  private async inOneTransaction(work: (query: Query) => Promise<unknown>): Promise<void> {
    await inTransaction(this.dataSource, work);
  }
}

it('two processes that roll up while a third one writes reach the result of one computation at the end', async () => {
  const [forWriter, one, two] = sources as [DataSource, DataSource, DataSource];
  const writer = new Writer(forWriter);
  await writer.prepare();
  const writing = new AbortController();
  const work = async (dataSource: DataSource, owners: number): Promise<number> => {
    const rollUp = new RollUp(dataSource, { owners, quarters: 7 });
    let computed = 0;
    while (!writing.signal.aborted) computed += await rollUp.run(() => !writing.signal.aborted);
    return computed;
  };
  const workers = [work(one, 2), work(two, 3)];
  for (let round = 0; round < 150; round++) await writer.write();
  writing.abort();
  const computed = await Promise.all(workers);
  // Both did their share of the work while rows were written, and neither met a deadlock.
  expect(computed.every((buckets) => buckets > 0)).toBe(true);
  const last = new RollUp(one);
  await last.run();
  expect(await last.hasMarks()).toBe(false);

  const stored = await dumpStatistics(one);
  expect(stored.length).toBeGreaterThan(100);
  await one.query('TRUNCATE statistic, block_statistic');
  await inTransaction(one, (query) => last.markAll(query));
  await last.run();
  expect(await dumpStatistics(one)).toEqual(stored);
});

it('leaves a subject to the process that computes it, with its marks', async () => {
  const [, one, two] = sources as [DataSource, DataSource, DataSource];
  await new RollUp(one).run();
  await one.query(`${INSERT_MARKS} VALUES (1, '', '2026-03-02 20:00Z'), (2, '', '2026-03-02 20:00Z')`);
  await inTransaction(one, async (query) => {
    await query(
      "SELECT pg_advisory_xact_lock(hashtextextended('hindsight statistic ' || current_schema() || ' ' || 1 || ' ' || '', 0))",
    );
    await new RollUp(two).run();
    expect(await two.query('SELECT node_key FROM roll_up_mark')).toEqual([{ node_key: 1 }]);
  });
  await new RollUp(two).run();
  expect(await two.query('SELECT node_key FROM roll_up_mark')).toEqual([]);
});

it('keeps a mark that is made while its bucket is being computed', async () => {
  const [forWriter, one] = sources as [DataSource, DataSource];
  const quarter = '2026-03-05 10:00Z';
  const addRow = async (query: Query, sequence: number) => {
    const row = shown(6, sequence, '2026-03-05T10:00:01Z', { ...ofLineage(4), digest: sequence });
    const columns = Object.keys(row).join(', ');
    await query(
      `INSERT INTO submission (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::submission, $1)`,
      [JSON.stringify([row])],
    );
    await query(`${INSERT_MARKS} VALUES (6, '', $1)`, [quarter]);
  };
  await inTransaction(forWriter, (query) => addRow(query, 9_001));
  await inTransaction(forWriter, async (query) => {
    // Neither the row nor the mark is visible yet.
    await addRow(query, 9_002);
    await new RollUp(one).run();
  });
  const attempts = () =>
    one.query('SELECT attempts FROM statistic WHERE node_key = 6 AND grain = 2 AND bucket_at = $1', [
      '2026-03-05 00:00Z',
    ]);
  expect(await attempts()).toEqual([{ attempts: 1n }]);
  expect(await new RollUp(one).hasMarks()).toBe(true);
  await new RollUp(one).run();
  expect(await attempts()).toEqual([{ attempts: 2n }]);
});
