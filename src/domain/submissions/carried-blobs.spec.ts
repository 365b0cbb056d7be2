import { carriedByLeftover, carriedByRun, NOTHING_CARRIED } from './carried-blobs.js';

const blob = (height: number, bytes: number | null = 478) =>
  ({ height: BigInt(height), bytes }) as unknown as Parameters<typeof carriedByRun>[0][number];

describe('the blobs of a submission', () => {
  it('are those of a run of blocks, with their shares', () => {
    expect(carriedByRun([blob(4), blob(5), blob(6, 479)])).toEqual({
      blockFrom: 4n,
      blockTo: 6n,
      shares: 4,
      signedShares: 6,
    });
    expect(carriedByRun([])).toEqual(NOTHING_CARRIED);
    expect(carriedByRun([blob(4, null)]).shares).toBeNull();
  });

  it('are named by their heights only if the leftover is contiguous', () => {
    const all = [blob(4), blob(5), blob(6), blob(7)];
    expect(carriedByLeftover(all, all.slice(1, 3))).toMatchObject({ blockFrom: 5n, blockTo: 6n, shares: 2 });
    const apart = [blob(4), blob(6)];
    expect(carriedByLeftover(all, apart)).toMatchObject({ blockFrom: null, blockTo: null, shares: 2 });
  });
});
