import {
  CHAIN,
  CONFIRMED,
  failureAt,
  headerOf,
  LINEAGE,
  RECONSTRUCTED,
  successAt,
} from '../../../../test/support/decided-rows.js';
import { byList, Cell, Cells, GroupVersions, isSameGroup, type UnexplainedGroup } from './cell.js';

describe('a DA height of a chain', () => {
  it('has the blobs that were shown up to a position, by rising height, each since it was first shown', () => {
    const cell = new Cell(CHAIN, 100n);
    cell.addBlob(LINEAGE, 'HEADER', headerOf(9n, 20n));
    cell.addBlob(LINEAGE, 'HEADER', headerOf(8n, 30n));
    cell.addBlob(LINEAGE, 'HEADER', headerOf(9n, 40n));
    const heightsAt = (position: bigint) =>
      cell.blobsOf(LINEAGE, position).HEADER.map(({ height }) => height);
    expect([19n, 20n, 30n].map(heightsAt)).toEqual([[], [9n], [8n, 9n]]);
    expect(cell.blobsOf(LINEAGE + 1, 30n)).toEqual({ HEADER: [], DATA: [] });
  });

  it('has successes, and the failures that landed there', () => {
    const cell = new Cell(CHAIN, 100n);
    const [success, landed] = [successAt(10n), failureAt(11n, { daHeight: 100n, evidence: CONFIRMED })];
    for (const row of [success, landed, failureAt(12n)]) cell.addRow(row);
    expect([[...cell.successes], [...cell.landed]]).toEqual([[success], [landed]]);
  });

  it('is kept once, whatever code requests it', () => {
    const cells = new Cells();
    expect(cells.get(CHAIN, 100n)).toBe(cells.get(CHAIN, 100n));
    expect(cells.get('c2', 100n)).not.toBe(cells.get(CHAIN, 100n));
    expect([...cells.all()]).toHaveLength(2);
  });
});

it('rows are sorted list by list, in the order of each', () => {
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

const groupAt = (fromPosition: bigint, more: Partial<UnexplainedGroup> = {}): UnexplainedGroup => ({
  lineageKey: LINEAGE,
  chainId: CHAIN,
  daHeight: 100n,
  kind: 0,
  evidence: RECONSTRUCTED,
  blobCount: 1,
  sizeBytes: 331n,
  blockFrom: 9n,
  blockTo: 9n,
  shares: 1,
  signedShares: 1,
  timeAt: 0n,
  observedAt: 5n,
  namespaceKey: null,
  fromPosition,
  lossPosition: null,
  possible: null,
  isStored: false,
  ...more,
});

describe('the versions of a group', () => {
  it('end when the group changes; those that are not stored yet are added with their end', () => {
    const versions = new GroupVersions();
    const [stored, fresh] = [groupAt(10n, { isStored: true }), groupAt(20n)];
    versions.add(fresh);
    versions.end(stored, 20n);
    versions.end(fresh, 30n);
    expect([...versions.ended]).toEqual([{ ...stored, toPosition: 20n }]);
    expect([...versions.added]).toEqual([{ ...fresh, toPosition: 30n }]);
  });

  it('do not include states that come and go in one event', () => {
    const versions = new GroupVersions();
    const fresh = groupAt(20n);
    versions.add(fresh);
    versions.end(fresh, 20n);
    expect([...versions.added, ...versions.ended]).toEqual([]);
  });
});

it('a group is the same while all its visible fields are', () => {
  expect(isSameGroup(groupAt(10n), groupAt(20n))).toBe(true);
  expect(isSameGroup(groupAt(10n), groupAt(10n, { lossPosition: 3n }))).toBe(false);
  expect(isSameGroup(groupAt(10n), groupAt(10n, { blobCount: 2 }))).toBe(false);
});
