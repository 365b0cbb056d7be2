import { TextBudget } from './text-budget.js';
import { ReadRequest, ReadTexts } from './read-request.js';

const MB = 1_048_576;

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('texts that requests hold', () => {
  let held: TextBudget;
  const requests = new Set<ReadRequest>();

  /** A request that reads this many bytes of texts, and its outcome. */
  const read = async (bytes: number, request = new ReadRequest(held)) => {
    requests.add(request);
    const reading = { request, texts: request.run(() => new ReadTexts()), state: 'waits' };
    reading.texts.hold(bytes).then(
      () => (reading.state = 'has'),
      (error: { kind?: string }) => (reading.state = String(error.kind)),
    );
    await settle();
    return reading;
  };

  beforeEach(() => {
    held = new TextBudget();
  });
  // Requests that still wait would keep the process alive.
  afterEach(() => {
    for (const request of requests) request.end();
    requests.clear();
  });

  it('share one room, until their answers were read', async () => {
    const first = await read(60 * MB);
    const second = await read(10 * MB);
    expect([first.state, second.state]).toEqual(['has', 'waits']);
    expect([first.request.isInTheWay, second.request.isInTheWay]).toEqual([true, false]);
    first.request.end();
    await settle();
    expect(second.state).toBe('has');
    expect(second.request.isInTheWay).toBe(false);
  });

  it('make room for others as soon as a part of them is no longer kept', async () => {
    const first = await read(60 * MB);
    const second = await read(50 * MB);
    first.texts.keep(20 * MB);
    await settle();
    expect(second.state).toBe('waits');
    first.texts.keep(10 * MB);
    first.texts.keep(15 * MB);
    await settle();
    expect(second.state).toBe('has');
  });

  it('are kept with everything that was read', async () => {
    const first = await read(20 * MB);
    await first.texts.hold(20 * MB);
    first.texts.keep(30 * MB);
    const second = await read(34 * MB);
    const third = await read(1 * MB);
    expect([second.state, third.state]).toEqual(['has', 'waits']);
  });

  it('have room of their own if they are small', async () => {
    await read(64 * MB);
    await read(64 * MB);
    const small = await Promise.all(Array.from({ length: 128 }, () => read(MB / 4)));
    expect(new Set(small.map(({ state }) => state))).toEqual(new Set(['has']));
    expect((await read(MB / 4)).state).toBe('waits');
  });

  it('may exceed the room if no other request holds texts, and may not exceed what one request can hold', async () => {
    const first = await read(96 * MB);
    expect(first.state).toBe('has');
    expect((await read(32 * MB, first.request)).state).toBe('has');
    expect((await read(1 * MB, first.request)).state).toBe('LARGE');
    expect((await read(1 * MB)).state).toBe('waits');
  });

  it('are not awaited by too many requests, nor by a client that has left', async () => {
    await read(64 * MB);
    const waiting = await Promise.all(Array.from({ length: 32 }, () => read(1 * MB)));
    expect(waiting.every(({ state }) => state === 'waits')).toBe(true);
    expect((await read(1 * MB)).state).toBe('FULL');
    waiting[0]?.request.end();
    await settle();
    expect(waiting[0]?.state).toBe('OVER');
    expect((await read(1 * MB)).state).toBe('waits');
  });

  it('are released with each item if items are made one after the other', async () => {
    const request = new ReadRequest(held);
    const items = async function* (): AsyncGenerator<number> {
      for (let item = 0; item < 5; item += 1) {
        await new ReadTexts().hold(40 * MB);
        yield item;
      }
    };
    const made = [];
    for await (const item of request.runEach(items())) made.push(item);
    expect(made).toEqual([0, 1, 2, 3, 4]);
    expect((await read(64 * MB)).state).toBe('has');
  });

  it('are not counted outside of a request', async () => {
    const texts = new ReadTexts();
    for (let time = 0; time < 10; time += 1) await texts.hold(100 * MB);
    texts.keep(0);
    expect((await read(64 * MB)).state).toBe('has');
  });
});
