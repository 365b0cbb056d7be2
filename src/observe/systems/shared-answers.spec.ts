import { SharedAnswers } from './shared-answers.js';

describe('answers that several nodes share', () => {
  let now = 0;
  let asked = 0;
  const ask = async (): Promise<number> => (asked += 1);
  const shared = (): SharedAnswers => new SharedAnswers({ monotonic: () => now });

  beforeEach(() => {
    now = 0;
    asked = 0;
  });

  it('are asked once for two nodes', async () => {
    const answers = shared();
    expect(await Promise.all(['a', 'b'].map((node) => answers.take('x', node, 10, ask)))).toEqual([1, 1]);
  });

  it('are asked again by the node that had them: one answer does not confirm itself', async () => {
    const answers = shared();
    await answers.take('x', 'a', 10, ask);
    expect(await answers.take('x', 'a', 10, ask)).toBe(2);
  });

  it('are asked again once they are old, and of another address', async () => {
    const answers = shared();
    await answers.take('x', 'a', 10, ask);
    expect(await answers.take('y', 'b', 10, ask)).toBe(2);
    now = 10;
    expect(await answers.take('x', 'b', 10, ask)).toBe(3);
  });
});
