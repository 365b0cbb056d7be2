import { RowVersions } from '../../src/platform/rows/row-versions.js';
import { inTransaction } from '../../src/platform/sql.js';
import { MINUS_INFINITY_US } from '../../src/platform/rows/column-parsers.js';
import { PriceEntity } from '../../src/tables/prices.entities.js';
import { emptyTables } from '../support/empty-tables.js';
import { useDatabase } from '../support/use-database.js';

const GAS = { chain: 'a', subject: 'GAS_PRICE', source: 'a test', recordedAt: 1n } as const;
const FROM_ALWAYS = { ...GAS, effectiveFrom: MINUS_INFINITY_US, value: { utia: '1' } };
const FROM_2026 = { ...GAS, effectiveFrom: 1_767_225_600_000_001n, value: { utia: '2' } };

type Versions = RowVersions<PriceEntity, 'chain' | 'effectiveFrom'>;

describe('the versions of rows', () => {
  const dataSource = useDatabase();

  beforeEach(() => emptyTables(dataSource, ['price']));

  /** Writes a batch of its own. */
  function batch(fill: (versions: Versions) => void): Promise<void> {
    const versions = new RowVersions(PriceEntity, ['chain', 'effectiveFrom']);
    fill(versions);
    return inTransaction(dataSource, (query) => versions.write(query));
  }

  async function stored(): Promise<[bigint, string, bigint, bigint | null][]> {
    const order = { effectiveFrom: 'ASC', fromPosition: 'ASC' } as const;
    const rows = await dataSource.getRepository(PriceEntity).find({ order });
    return rows.map(({ effectiveFrom, value, fromPosition, toPosition }) => [
      effectiveFrom,
      JSON.stringify(value),
      fromPosition,
      toPosition,
    ]);
  }

  it('close a row when a batch does nothing else', async () => {
    await batch((versions) => versions.put(FROM_ALWAYS, 1n));
    await batch((versions) => versions.put(FROM_2026, 2n));
    await batch((versions) => versions.retire(FROM_2026, 3n));
    expect(await stored()).toEqual([
      [MINUS_INFINITY_US, '{"utia":"1"}', 1n, null],
      [1_767_225_600_000_001n, '{"utia":"2"}', 2n, 3n],
    ]);
  });

  it('are the same whether versions follow each other within a batch or in several', async () => {
    const steps = [
      (versions: Versions) => versions.put(FROM_ALWAYS, 1n),
      (versions: Versions) => versions.put({ ...FROM_ALWAYS, value: { utia: '3' } }, 2n),
      (versions: Versions) => versions.retire(FROM_ALWAYS, 4n),
      (versions: Versions) => versions.put(FROM_ALWAYS, 5n),
    ];
    for (const step of steps) await batch(step);
    const apart = await stored();
    await emptyTables(dataSource, ['price']);
    await batch((versions) => steps.forEach((step) => step(versions)));
    expect(await stored()).toEqual(apart);
    expect(apart).toEqual([
      [MINUS_INFINITY_US, '{"utia":"1"}', 1n, 2n],
      [MINUS_INFINITY_US, '{"utia":"3"}', 2n, 4n],
      [MINUS_INFINITY_US, '{"utia":"1"}', 5n, null],
    ]);
  });

  it('have no trace of a value that comes and goes within one event', async () => {
    await batch((versions) => {
      versions.put(FROM_ALWAYS, 1n);
      versions.put({ ...FROM_ALWAYS, value: { utia: '7' } }, 1n);
      versions.put(FROM_2026, 1n);
      versions.retire(FROM_2026, 1n);
    });
    expect(await stored()).toEqual([[MINUS_INFINITY_US, '{"utia":"7"}', 1n, null]]);
  });
});
