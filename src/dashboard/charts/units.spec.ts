import { UNITS } from './units.js';

describe('the marks of an axis', () => {
  it('are round in the unit of the values', () => {
    expect(UNITS.count.steps.every(Number.isInteger)).toBe(true);
    const texts = UNITS.span.steps.filter((ms) => ms >= 1_000).map(UNITS.span.format);
    expect(texts).toEqual(expect.arrayContaining(['20 s', '5 min', '2 h']));
    expect(texts.filter((text) => /\d+\.\d/.test(text))).toEqual([]);
  });

  it('rise', () => {
    for (const { steps = [] } of Object.values(UNITS) as { steps?: readonly number[] }[])
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  });
});
