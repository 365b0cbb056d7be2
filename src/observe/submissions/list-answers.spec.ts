import { CachedAnswers } from './list-answers.js';

const DATE = 1_795_000_000_000;

describe('answers that a cache kept', () => {
  it('are those with the date of an answer that was there two seconds before', () => {
    const answers = new CachedAnswers();
    expect(answers.isCached(DATE, DATE, DATE + 20)).toBe(false);
    expect(answers.isCached(DATE, DATE + 900, DATE + 920)).toBe(false);
    expect(answers.isCached(DATE, DATE + 2_500, DATE + 2_520)).toBe(true);
    expect(answers.isCached(DATE + 3_000, DATE + 3_000, DATE + 3_020)).toBe(false);
    expect(answers.isCached(DATE, DATE + 60_000, DATE + 60_020)).toBe(true);
  });

  it('are not those that took long to come, nor those without a date', () => {
    const answers = new CachedAnswers();
    expect(answers.isCached(DATE, DATE, DATE + 20)).toBe(false);
    expect(answers.isCached(DATE, DATE + 900, DATE + 9_000)).toBe(false);
    expect(answers.isCached(undefined, DATE, DATE)).toBe(false);
    expect(answers.isCached(undefined, DATE + 9_000, DATE + 9_000)).toBe(false);
  });

  it('are recognised however many others came between, as long as they come', () => {
    const answers = new CachedAnswers();
    answers.isCached(DATE, DATE, DATE);
    for (let at = DATE + 1_000; at < DATE + 2_000_000; at += 1_000) {
      expect(answers.isCached(at, at, at)).toBe(false);
      if (at % 100_000 === 0) expect(answers.isCached(DATE, at, at)).toBe(true);
    }
  });

  it('may be the first one after a restart, until another date is seen', () => {
    const answers = new CachedAnswers();
    answers.restart();
    expect(answers.isCached(undefined, DATE, DATE)).toBe(false);
    answers.restart();
    expect(answers.isCached(DATE, DATE, DATE + 20)).toBe(true);
    expect(answers.isCached(DATE, DATE + 900, DATE + 920)).toBe(true);
    expect(answers.isCached(DATE + 1_000, DATE + 1_800, DATE + 1_820)).toBe(false);
  });
});
