import fc from 'fast-check';
import { provenBetween, type Sighting } from './proven-between.js';
import { tries } from '../../../test/support/tries.js';

const sighting = fc.record({
  at: fc.nat(),
  list: fc.nat(2),
  isEmpty: fc.boolean(),
  connection: fc.option(fc.nat(2)),
});

describe('what two sightings of a list prove', () => {
  const before: Sighting = { at: 1_000, list: 0, isEmpty: false, connection: 7 };

  it('nothing was missed where they share an anchor, whoever brought them', () => {
    expect(provenBetween(before, { ...before, at: 2_000, connection: null }, true)).toBe(true);
    expect(provenBetween(before, { ...before, at: 2_000 }, false)).toBe(false);
  });

  it('an empty list proves only what its process does, as long as it lives', () => {
    const empty = { ...before, isEmpty: true };
    expect(provenBetween(empty, { ...empty, at: 2_000 }, false)).toBe(true);
    expect(provenBetween(empty, { ...before, at: 2_000 }, false)).toBe(true);
    expect(provenBetween(empty, { ...empty, at: 2_000, connection: 8 }, true)).toBe(false);
    expect(
      provenBetween({ ...empty, connection: null }, { ...empty, at: 2_000, connection: null }, true),
    ).toBe(false);
  });

  it('never more with less evidence, and nothing of two lists', () => {
    fc.assert(
      fc.property(sighting, sighting, fc.boolean(), (first, second, isAnchored) => {
        if (!provenBetween(first, second, isAnchored)) return;
        expect(first.list).toBe(second.list);
        if (first.isEmpty) expect(first.connection).not.toBeNull();
        else expect(provenBetween(first, second, false)).toBe(false);
        expect(provenBetween({ ...first, isEmpty: true, connection: null }, second, true)).toBe(false);
      }),
      tries(100),
    );
  });
});
