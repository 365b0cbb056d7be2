import { keptFor } from './kept-for.js';

describe('an answer that is kept for a time', () => {
  let at = 0;
  const clock = { monotonic: () => at };
  beforeEach(() => (at = 0));

  it('is the same for all who ask in that time, and another one after it', async () => {
    let asked = 0;
    const ask = keptFor(clock, 1_000, () => Promise.resolve((asked += 1)));
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    at = 999;
    expect(await ask()).toBe(1);
    at = 1_000;
    expect(await ask()).toBe(2);
  });

  it('is not kept if it is a failure', async () => {
    const answers = [Promise.reject(new Error('away')), Promise.resolve('here')];
    const ask = keptFor(clock, 1_000, () => answers.shift() ?? Promise.resolve('again'));
    await expect(ask()).rejects.toThrow('away');
    expect(await ask()).toBe('here');
  });

  it('stays when an earlier one fails late', async () => {
    let fail: (error: Error) => void = () => undefined;
    const late = new Promise<string>((_, reject) => (fail = reject));
    const answers = [late, Promise.resolve('second')];
    const ask = keptFor(clock, 1_000, () => answers.shift() ?? Promise.resolve('third'));
    const first = ask();
    at = 1_000;
    expect(await ask()).toBe('second');
    fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    expect(await ask()).toBe('second');
  });
});
