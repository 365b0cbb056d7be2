import { ReadRequest } from './read-request.js';
import { type GiveBack, WeightedSemaphore } from './weighted-semaphore.js';

const full = (): Error => new Error('full');

/** Takes slots, and records the order in which they were granted. */
class Takers {
  readonly had: string[] = [];
  readonly failed: string[] = [];
  private readonly returns = new Map<string, GiveBack>();

  constructor(private readonly slots: WeightedSemaphore) {}

  async take(name: string, request?: ReadRequest, weight?: number, own?: number): Promise<void> {
    void this.wait(name, request, weight, own);
    await settle();
  }

  private async wait(
    name: string,
    request: ReadRequest | undefined,
    weight?: number,
    own?: number,
  ): Promise<void> {
    try {
      this.returns.set(name, await this.slots.take(request?.signal, weight, own));
      this.had.push(name);
    } catch (error) {
      this.failed.push(`${name}: ${(error as Error).message}`);
    }
  }

  async giveBack(name: string, weight?: number): Promise<void> {
    this.returns.get(name)?.(weight);
    await settle();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('are given in the order of the requests', async () => {
    const takers = new Takers(new WeightedSemaphore(2, { full }));
    for (const name of ['a', 'b', 'c', 'd']) await takers.take(name);
    expect(takers.had).toEqual(['a', 'b']);
    await takers.giveBack('b');
    await takers.giveBack('a');
    expect(takers.had).toEqual(['a', 'b', 'c', 'd']);
    await takers.giveBack('c');
    await takers.take('e');
    expect(takers.had).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('refuse requests beyond the longest queue at once, and the others after a time', async () => {
    const takers = new Takers(new WeightedSemaphore(1, { mostWaiting: 1, waitMs: 50, full }));
    for (const name of ['a', 'b', 'c']) await takers.take(name);
    expect(takers.failed).toEqual(['c: full']);
    while (takers.failed.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(takers.failed).toEqual(['c: full', 'b: full']);
    await takers.giveBack('a');
    await takers.take('d');
    expect(takers.had).toEqual(['a', 'd']);
  });

  it('are not kept for a client that has left, nor given to one that comes after that', async () => {
    const takers = new Takers(new WeightedSemaphore(1, { full }));
    const leaving = new ReadRequest();
    await takers.take('a');
    await takers.take('b', leaving);
    await takers.take('c');
    leaving.end();
    await settle();
    await takers.take('d', leaving);
    await takers.giveBack('a');
    expect(takers.had).toEqual(['a', 'c']);
    expect(takers.failed).toEqual(['b: The client has disconnected.', 'd: The client has disconnected.']);
  });

  it('are taken several at once, and no request overtakes one that waits for more', async () => {
    const takers = new Takers(new WeightedSemaphore(10, { full }));
    await takers.take('a', undefined, 6);
    await takers.take('b', undefined, 6);
    await takers.take('c', undefined, 1);
    expect(takers.had).toEqual(['a']);
    await takers.giveBack('a', 1);
    expect(takers.had).toEqual(['a']);
    await takers.giveBack('a', 1);
    expect(takers.had).toEqual(['a', 'b']);
    await takers.giveBack('a');
    expect(takers.had).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'b', 'b', 'c']) await takers.giveBack(name);
    await takers.take('d', undefined, 10);
    await takers.take('e', undefined, 1);
    expect(takers.had).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are all given to a request for more than there are, if no other request has one', async () => {
    const takers = new Takers(new WeightedSemaphore(10, { full }));
    await takers.take('a', undefined, 1);
    await takers.take('b', undefined, 15);
    expect(takers.had).toEqual(['a']);
    await takers.giveBack('a');
    await takers.take('c', undefined, 1);
    expect(takers.had).toEqual(['a', 'b']);
    await takers.giveBack('b');
    expect(takers.had).toEqual(['a', 'b', 'c']);
  });

  it('go first to a request whose client blocks the others, and only if its own slots are the taken ones', async () => {
    const takers = new Takers(new WeightedSemaphore(10, { full }));
    await takers.take('a', undefined, 6);
    await takers.take('b', undefined, 6);
    await takers.take('a2', undefined, 6, 6);
    expect(takers.had).toEqual(['a', 'a2']);
    await takers.giveBack('a');
    await takers.giveBack('a2');
    expect(takers.had).toEqual(['a', 'a2', 'b']);
  });

  it('go to the next one when the first one leaves', async () => {
    const takers = new Takers(new WeightedSemaphore(10, { full }));
    const leaving = new ReadRequest();
    await takers.take('a', undefined, 6);
    await takers.take('b', leaving, 6);
    await takers.take('c', undefined, 2);
    leaving.end();
    await settle();
    expect(takers.had).toEqual(['a', 'c']);
  });
});
