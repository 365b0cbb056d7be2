import { compareIntegers, entryOf } from './collections.js';

it('makes the value of a key once', () => {
  const lists = new Map<string, number[]>();
  entryOf(lists, 'a', () => []).push(1);
  entryOf(lists, 'a', () => [9]).push(2);
  expect([...lists]).toEqual([['a', [1, 2]]]);
});

it('sorts integers beyond doubles', () => {
  const [low, high] = [2n ** 60n, 2n ** 60n + 1n];
  expect([high, -1n, low, 0n].sort(compareIntegers)).toEqual([-1n, 0n, low, high]);
  expect(compareIntegers(low, low)).toBe(0);
});
