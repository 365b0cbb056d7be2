import { CHAIN, LINEAGE, RECONSTRUCTED } from '../../../../test/support/decided-rows.js';
import { GroupVersions, isSameGroup, type StandingGroup } from './groups.js';

const groupAt = (fromPosition: bigint, more: Partial<StandingGroup> = {}): StandingGroup => ({
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
  it('end where it is another one; those that are not stored yet are added with their end', () => {
    const versions = new GroupVersions();
    const [stored, fresh] = [groupAt(10n, { isStored: true }), groupAt(20n)];
    versions.add(fresh);
    versions.end(stored, 20n);
    versions.end(fresh, 30n);
    expect([...versions.ended]).toEqual([{ ...stored, toPosition: 20n }]);
    expect([...versions.added]).toEqual([{ ...fresh, toPosition: 30n }]);
  });

  it('are none of what came and went by one event', () => {
    const versions = new GroupVersions();
    const fresh = groupAt(20n);
    versions.add(fresh);
    versions.end(fresh, 20n);
    expect([...versions.added, ...versions.ended]).toEqual([]);
  });
});

it('a group is the same while all that readers see of it is', () => {
  expect(isSameGroup(groupAt(10n), groupAt(20n))).toBe(true);
  expect(isSameGroup(groupAt(10n), groupAt(10n, { lossPosition: 3n }))).toBe(false);
  expect(isSameGroup(groupAt(10n), groupAt(10n, { blobCount: 2 }))).toBe(false);
});
