import fc from 'fast-check';
import { findFirsts, MOST_EQUAL } from './first-of-attempts.js';
import { tries } from '../../../test/support/tries.js';

describe('rows that are equal in every field', () => {
  it('are an attempt each where one node shows them', () => {
    expect(findFirsts([1, 1, 1])).toEqual([true, true, true]);
  });

  it('are one attempt where each of several nodes shows one: the first recorded counts', () => {
    expect(findFirsts([2, 1, 3])).toEqual([true, false, false]);
  });

  it('are told apart by their number in the list of their node', () => {
    expect(findFirsts([1, 2, 2, 1, 1, 2])).toEqual([true, false, true, false, true, false]);
  });

  it('go on from what was recorded before', () => {
    expect(findFirsts([1, 2, 1], new Map([[2, 2]]))).toEqual([false, true, false]);
  });

  it('count each where one node shows too many to tell them apart', () => {
    const [first, last] = [
      findFirsts(
        [1, 2],
        new Map([
          [1, MOST_EQUAL - 1],
          [2, MOST_EQUAL - 1],
        ]),
      ),
      findFirsts(
        [1, 2, 1],
        new Map([
          [1, MOST_EQUAL],
          [2, MOST_EQUAL],
        ]),
      ),
    ];
    expect(first).toEqual([true, false]);
    expect(last).toEqual([true, true, true]);
  });

  it('are as many attempts as the node shows that shows most, however the log is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 })), fc.nat(), (nodeKeys, cut) => {
        const whole = findFirsts(nodeKeys);
        const counts = nodeKeys.map((key) => nodeKeys.filter((other) => other === key).length);
        expect(whole.filter(Boolean)).toHaveLength(Math.max(0, ...counts));
        const at = cut % (nodeKeys.length + 1);
        const known = new Map<number, number>();
        for (const key of nodeKeys.slice(0, at)) known.set(key, (known.get(key) ?? 0) + 1);
        expect(findFirsts(nodeKeys.slice(at), known)).toEqual(whole.slice(at));
      }),
      tries(100),
    );
  });
});
