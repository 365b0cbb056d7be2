import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { UserError } from '../../src/platform/errors.js';
import { FeeImporter, type FeeImportResult } from '../../src/statistics/prices/fee-importer.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';

const A = `${'00'.repeat(19)}${'aa'.repeat(10)}`;
const B = `${'00'.repeat(19)}${'bb'.repeat(10)}`;
const tx = (n: number): string => n.toString(16).padStart(64, '0');

describe('an import of fees', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let store: EventStore;
  let importer: FeeImporter;

  const load = (file: string, skipBad = false): Promise<FeeImportResult> =>
    importer.import({ chain: 'a', file, source: 'a test', by: 'a key', skipBad });
  const counts = ({ rows, added, corrected, alreadyKnown, faultCount }: FeeImportResult): number[] => [
    rows,
    added,
    corrected,
    alreadyKnown,
    faultCount,
  ];
  const known = async (): Promise<string[]> => {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT concat_ws(' ', da_height, nullif(right(namespace, 2), ''), ordinal, fee_utia, ltrim(tx_hash, '0')) AS row
         FROM imported_fee ORDER BY da_height, namespace, ordinal`,
    );
    return rows.map(({ row }) => row);
  };

  beforeEach(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    store = new EventStore(dataSource);
    importer = new FeeImporter(dataSource, store, new SystemClock());
    await insertRows(dataSource, 'lineage', [{ lineage_key: 1, chain_id: 'a', n: 1, from_position: 1 }]);
    await insertRows(dataSource, 'namespace', [
      { namespace_key: 1, namespace: A },
      { namespace_key: 2, namespace: B },
    ]);
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'one', { chain_id: 'a' }),
      nodeRow(2, 'two', { chain_id: 'a' }),
    ]);
    const twin = { da_height: 100, namespace_key: 1, digest: 7, occurred_at: '2026-11-21T03:00:00Z' };
    await insertRows(dataSource, 'submission', [
      submissionRow(1, twin),
      submissionRow(1, { ...twin, node_key: 2, counts_for_chain: false }),
      submissionRow(2, { da_height: 100, namespace_key: 2, digest: 8 }),
      // An attempt that failed and landed all the same, and one that failed for good.
      submissionRow(3, { da_height: 101, namespace_key: 1, digest: 9, status: 6, evidence: 1 }),
      submissionRow(4, { da_height: 102, namespace_key: 1, digest: 10, status: 6, evidence: 0 }),
    ]);
  });

  afterEach(async () => {
    await dataSource?.destroy();
    await database?.stop();
  });

  it('adds nothing when the same file comes a second time', async () => {
    const file = `da_height,namespace,fee,tx\n100,${A},761,${tx(1)}\n100,${A},761,\n100,${A},761,\n100,,5,\n`;
    expect(counts(await load(file))).toEqual([4, 4, 0, 0, 0]);
    const end = await store.lastPosition();
    expect(counts(await load(file))).toEqual([4, 0, 0, 4, 0]);
    expect(await store.lastPosition()).toBe(end);
    expect(await known()).toEqual(['100 1 5', '100 aa 1 761 1', '100 aa 2 761', '100 aa 3 761']);
  });

  it('adds the new fees of files that overlap, and keeps the larger number of equal fees', async () => {
    await load(`height,fee\n100,1\n100,1\n101,2\n`);
    expect(counts(await load(`height,fee\n100,1\n101,2\n101,2\n102,3\n`))).toEqual([4, 2, 0, 2, 0]);
    expect(counts(await load(`height,fee\n100,1\n100,1\n100,1\n`))).toEqual([3, 1, 0, 2, 0]);
    expect(await known()).toEqual(['100 1 1', '100 2 1', '100 3 1', '101 1 2', '101 2 2', '102 1 3']);
  });

  it('records one fee for a transaction that the file has a line of for each blob', async () => {
    const line = `100,${A},761,${tx(1)}\n`;
    expect(counts(await load(`height,namespace,fee,tx\n${line}${line}${line}`))).toEqual([3, 1, 0, 2, 0]);
    expect(await known()).toEqual(['100 aa 1 761 1']);
  });

  it('corrects the fee of a transaction, in its place', async () => {
    await load(`height,fee,tx\n100,1,${tx(1)}\n100,2,${tx(2)}\n`);
    expect(counts(await load(`height,fee,tx\n100,3,${tx(1)}\n100,2,${tx(2)}\n`))).toEqual([2, 0, 1, 1, 0]);
    expect(await known()).toEqual(['100 1 3 1', '100 2 2 2']);
  });

  it('recognises a fee that came without its transaction before', async () => {
    await load('height,fee\n100,1\n');
    expect(counts(await load(`height,fee,tx\n100,1,${tx(1)}\n`))).toEqual([1, 0, 0, 1, 0]);
    expect(counts(await load(`height,fee,tx\n100,4,${tx(1)}\n`))).toEqual([1, 0, 1, 0, 0]);
    expect(await known()).toEqual(['100 1 4 1']);
  });

  it('imports nothing from a file with bad lines, unless asked to skip them', async () => {
    const file = `height,fee,tx\n100,1,${tx(1)}\n100,-1,\n101,2,${tx(1)}\n100,7,${tx(1)}\nx,1,\n`;
    const refused = await load(file);
    expect(refused).toMatchObject({ isImported: false, rows: 5, added: 0 });
    expect(refused.faults).toEqual([
      { line: 3, problem: 'the fee "-1" is negative' },
      { line: 4, problem: 'line 2 has the transaction at DA height 100, not 101' },
      { line: 5, problem: 'line 2 has the same transaction with a fee of 1 utia' },
      { line: 6, problem: '"x" is not a DA height' },
    ]);
    expect(await known()).toEqual([]);
    expect(counts(await load(file, true))).toEqual([5, 1, 0, 0, 4]);
    expect((await load(`height,fee,tx\n7,1,${tx(1)}\n`)).faults).toEqual([
      { line: 2, problem: 'an earlier import has the transaction at DA height 100, not 7' },
    ]);
    expect(await known()).toEqual(['100 1 1 1']);
  });

  it('reports which fees belong to no submission, and where there are too many', async () => {
    const lines = [`100,${A},1`, `100,${A},2`, `100,${B},3`, '100,,4', `101,${A},5`, `101,${B},6`, '102,,7'];
    const { unmatched, ambiguous } = await load(`height,namespace,fee\n${lines.join('\n')}\n`);
    expect(unmatched.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
      `7: no submission at DA height 101 is in namespace ${B}`,
      '8: no submission is recorded at DA height 102',
    ]);
    expect(ambiguous).toEqual([
      { daHeight: '100', namespace: A, fees: 2, submissions: 1 },
      { daHeight: '100', namespace: null, fees: 1, submissions: 0 },
    ]);
  });

  it('adds nothing twice when two imports read the same file at once', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => `${100 + (n % 50)},${1 + (n % 3)}`);
    const file = `height,fee\n${rows.join('\n')}\n`;
    const imports = await Promise.all([load(file), load(file), load(file)]);
    expect(imports.reduce((sum, { added }) => sum + added, 0)).toBe(300);
    expect(await known()).toHaveLength(300);
    expect(counts(await load(file))).toEqual([300, 0, 0, 300, 0]);
  });

  it('keeps equal fees in one event of a large file', async () => {
    const rows = Array.from({ length: 12_000 }, (_, n) => `${1 + (n % 4_000)},761`);
    const file = `height,fee\n${rows.join('\n')}\n`;
    expect(counts(await load(file))).toEqual([12_000, 12_000, 0, 0, 0]);
    const [{ events }] = await dataSource.query(
      "SELECT count(*)::int AS events FROM event WHERE type = 'FeesImported'",
    );
    expect(events).toBe(3);
    expect(counts(await load(file))).toEqual([12_000, 0, 0, 12_000, 0]);
  });

  it('refuses an unknown chain, and a source that says nothing', async () => {
    const attempt = (chain: string, source: string) =>
      importer.import({ chain, file: 'height,fee\n1,1\n', source, by: 'a key' });
    await expect(attempt('b', 'x')).rejects.toThrow('There is no chain "b".');
    await expect(attempt('a', ' ')).rejects.toThrow(UserError);
    await expect(attempt('a', 'settings')).rejects.toThrow('must not be called settings');
    expect(await store.lastPosition()).toBe(0n);
  });
});
