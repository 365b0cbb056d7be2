import { ReadRequest } from './read-request.js';
import { Slots } from './slots.js';

const full = (): Error => new Error('full');

/** Takes slots, and says in which order they were had. */
class Takers {
  readonly had: string[] = [];
  readonly failed: string[] = [];
  private readonly returns = new Map<string, () => void>();

  constructor(private readonly slots: Slots) {}

  async take(name: string, request?: ReadRequest): Promise<void> {
    void this.wait(name, request);
    await settle();
  }

  private async wait(name: string, request: ReadRequest | undefined): Promise<void> {
    try {
      this.returns.set(name, await this.slots.take(request));
      this.had.push(name);
    } catch (error) {
      this.failed.push(`${name}: ${(error as Error).message}`);
    }
  }

  async giveBack(name: string): Promise<void> {
    this.returns.get(name)?.();
    await settle();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('are given in the order in which they were asked for', async () => {
    const takers = new Takers(new Slots(2, { full }));
    for (const name of ['a', 'b', 'c', 'd']) await takers.take(name);
    expect(takers.had).toEqual(['a', 'b']);
    await takers.giveBack('b');
    await takers.giveBack('a');
    expect(takers.had).toEqual(['a', 'b', 'c', 'd']);
    await takers.giveBack('c');
    await takers.take('e');
    expect(takers.had).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('refuse those beyond the longest line at once, and the others after a time', async () => {
    const takers = new Takers(new Slots(1, { mostWaiting: 1, waitMs: 50, full }));
    for (const name of ['a', 'b', 'c']) await takers.take(name);
    expect(takers.failed).toEqual(['c: full']);
    while (takers.failed.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(takers.failed).toEqual(['c: full', 'b: full']);
    await takers.giveBack('a');
    await takers.take('d');
    expect(takers.had).toEqual(['a', 'd']);
  });

  it('are not kept for who has left, nor given to who comes after that', async () => {
    const takers = new Takers(new Slots(1, { full }));
    const leaving = new ReadRequest();
    await takers.take('a');
    await takers.take('b', leaving);
    await takers.take('c');
    leaving.end();
    await settle();
    await takers.take('d', leaving);
    await takers.giveBack('a');
    expect(takers.had).toEqual(['a', 'c']);
    expect(takers.failed).toEqual(['b: The client has left.', 'd: The client has left.']);
  });
});
