import {
  CHAIN,
  CONFIRMED,
  failureAt,
  headerOf,
  LINEAGE,
  successAt,
} from '../../../../test/support/decided-rows.js';
import { byList, Cell, Cells } from './cell.js';

describe('a DA height of a chain', () => {
  it('has the blobs that were shown up to a position, by rising height, each since it was shown first', () => {
    const cell = new Cell(CHAIN, 100n);
    cell.addBlob(LINEAGE, 'HEADER', headerOf(9n, 20n));
    cell.addBlob(LINEAGE, 'HEADER', headerOf(8n, 30n));
    cell.addBlob(LINEAGE, 'HEADER', headerOf(9n, 40n));
    const heightsAt = (position: bigint) =>
      cell.blobsOf(LINEAGE, position).HEADER.map(({ height }) => height);
    expect([19n, 20n, 30n].map(heightsAt)).toEqual([[], [9n], [8n, 9n]]);
    expect(cell.blobsOf(LINEAGE + 1, 30n)).toEqual({ HEADER: [], DATA: [] });
  });

  it('has successes, and of failures those that landed there', () => {
    const cell = new Cell(CHAIN, 100n);
    const [success, landed] = [successAt(10n), failureAt(11n, { daHeight: 100n, evidence: CONFIRMED })];
    for (const row of [success, landed, failureAt(12n)]) cell.addRow(row);
    expect([[...cell.successes], [...cell.landed]]).toEqual([[success], [landed]]);
  });

  it('is held once, whoever asks for it', () => {
    const cells = new Cells();
    expect(cells.get(CHAIN, 100n)).toBe(cells.get(CHAIN, 100n));
    expect(cells.get('c2', 100n)).not.toBe(cells.get(CHAIN, 100n));
    expect([...cells.all()]).toHaveLength(2);
  });
});

it('rows stand list by list, in the order of each', () => {
  const rows = [
    { nodeKey: 2, sequence: 1n },
    { nodeKey: 1, sequence: 10n },
    { nodeKey: 1, sequence: 9n },
  ];
  expect(rows.sort(byList).map(({ nodeKey, sequence }) => `${nodeKey}/${sequence}`)).toEqual([
    '1/9',
    '1/10',
    '2/1',
  ]);
});
