import { shareOf } from './coverage.query.js';

const AGE = 10n ** 30n;

describe('shareOf', () => {
  it('divides', () => {
    expect([shareOf(1n, 4n), shareOf(3n, 8n)]).toEqual([0.25, 0.375]);
  });

  it('is 1 only when nothing at all is missing', () => {
    expect(shareOf(AGE, AGE)).toBe(1);
    expect(shareOf(AGE - 1n, AGE)).toBeLessThan(1);
  });

  it('is 0 only when there is nothing at all', () => {
    expect(shareOf(0n, AGE)).toBe(0);
    expect(shareOf(1n, AGE)).toBeGreaterThan(0);
  });

  it('is 0 for an empty whole', () => {
    expect([shareOf(0n, 0n), shareOf(5n, 0n)]).toEqual([0, 0]);
  });
});
