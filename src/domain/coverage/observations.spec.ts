import fc from 'fast-check';
import { tries } from '../../../test/support/tries.js';
import {
  noteObserved,
  provenBetween,
  type KnownList,
  type Observation,
  unprovenSince,
} from './observations.js';

/** Lists by the moments at which each was seen, one after the other; each continues from its last observation. */
function seenIn(order: readonly number[]): KnownList[] {
  return order.reduce<KnownList[]>((lists, list, at) => {
    const since = lists.find((each) => each.list === list)?.seen ?? at;
    return noteObserved(lists, { list, since, last: at });
  }, []);
}

const placesOf = (lists: readonly KnownList[]) =>
  Object.fromEntries(lists.map(({ list, replacedAt }) => [list, replacedAt]));

describe('the lists behind an address', () => {
  it('a new list replaces the only one', () => {
    expect(placesOf(seenIn([0, 0, 1]))).toEqual({ 0: 2, 1: null });
    expect(placesOf(seenIn([0, 1, 2, 2]))).toEqual({ 0: 1, 1: 2, 2: null });
  });

  it('a list that is seen again was not replaced: there are two', () => {
    expect(placesOf(seenIn([0, 1, 0]))).toEqual({ 0: null, 1: null });
    expect(unprovenSince(seenIn([0, 1, 0, 0, 0]))).toBe(1);
  });

  it('of two lists, the one that was not seen for longest is replaced, until it is seen again', () => {
    expect(placesOf(seenIn([0, 1, 0, 1, 0, 2]))).toEqual({ 0: null, 1: 5, 2: null });
    expect(placesOf(seenIn([0, 1, 0, 1, 0, 2, 1]))).toEqual({ 0: 5, 1: null, 2: null });
    expect(placesOf(seenIn([0, 1, 0, 1, 0, 2, 0, 1]))).toEqual({ 0: null, 1: null, 2: null });
  });

  it('if a list turns out to be an additional one, the list before it was replaced by the list after it', () => {
    const lists = seenIn([0, 1, 2, 1]);
    expect(placesOf(lists)).toEqual({ 0: 2, 1: null, 2: null });
    expect(lists.find(({ list }) => list === 0)?.isStated).toBe(false);
  });

  it('as many count as were ever proven to exist at one time, and those seen side by side always do', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4), { maxLength: 30 }), (order) => {
        let most = 0;
        order.forEach((_, index) => {
          const sofar = order.slice(0, index + 1);
          const counted = seenIn(sofar).filter(({ replacedAt }) => replacedAt === null).length;
          const spans = [...new Set(sofar)].map(
            (list) => [sofar.indexOf(list), sofar.lastIndexOf(list)] as const,
          );
          const proven = Math.max(
            ...sofar.map((_list, at) => spans.filter(([from, to]) => from <= at && at <= to).length),
          );
          expect(counted).toBeGreaterThanOrEqual(proven);
          expect(counted).toBeGreaterThanOrEqual(most);
          most = counted;
        });
      }),
      tries(100),
    );
  });
});

const observation = fc.record({
  at: fc.nat(),
  list: fc.nat(2),
  isEmpty: fc.boolean(),
  connection: fc.option(fc.nat(2)),
});

describe('the proof of two observations of a list', () => {
  const before: Observation = { at: 1_000, list: 0, isEmpty: false, connection: 7 };

  it('nothing was missed if they share an anchor, whatever brought them', () => {
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
      fc.property(observation, observation, fc.boolean(), (first, second, isAnchored) => {
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
