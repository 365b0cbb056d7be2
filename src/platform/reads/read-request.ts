import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import type { TextBudget } from './text-budget.js';
import { ReadRefused } from './read-refused.js';
import { type GiveBack, WeightedSemaphore } from './weighted-semaphore.js';

/** Most statements of one request that run, or wait for a connection, at a time. A snapshot counts as one. */
const STATEMENTS_AT_ONCE = 3;

const requests = new AsyncLocalStorage<ReadRequest>();

/** Shared, because every request ends with it and creating an error takes long. */
const LEFT = new ReadRefused('OVER', 'The client has disconnected.');

/** One request's use of the database: a few statements at a time, and nothing once its client has left. */
export class ReadRequest {
  private readonly ending = new AbortController();
  /** Aborts when the answer was taken or its client has left. */
  readonly signal = this.ending.signal;
  private readonly statements = new WeightedSemaphore(STATEMENTS_AT_ONCE, {
    full: () => new ReadRefused('FULL', 'This request asks for too much at once.'),
  });
  /** How to release the texts that the request keeps, and their bytes. */
  private readonly held: GiveBack[] = [];
  private heldBytes = 0;

  /** @param texts budget of all requests; nothing is counted when left out */
  constructor(private readonly texts?: TextBudget) {
    setMaxListeners(0, this.signal);
  }

  /** The request of the current call; undefined outside of a request. */
  static get current(): ReadRequest | undefined {
    return requests.getStore();
  }

  /** Runs `work`, and everything it starts, within this request. */
  run<T>(work: () => T): T {
    return requests.run(this, work);
  }

  /** Yields the items, each produced within this request, whoever consumes it. */
  async *runEach<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = items[Symbol.asyncIterator]();
    try {
      for (;;) {
        // The sources of the previous item are not needed any more.
        this.letGo();
        const { done, value } = await this.run(() => iterator.next());
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  /** Waits until few enough statements of this request are under way. Returns a function that ends this one. */
  begin(): Promise<() => void> {
    return this.statements.take(this.signal);
  }

  /** Whether this request keeps texts while others wait for budget. */
  get isInTheWay(): boolean {
    return this.heldBytes > 0 && this.texts?.areWanted === true;
  }

  /** Like {@link ReadTexts.hold}. */
  async hold(bytes: number): Promise<GiveBack | undefined> {
    if (!this.texts || bytes === 0) return undefined;
    const giveBack = await this.texts.take(bytes, this.heldBytes, this.signal);
    this.heldBytes += bytes;
    const release: GiveBack = (part) => {
      const released = giveBack(part);
      this.heldBytes -= released;
      return released;
    };
    this.held.push(release);
    // The request may have ended while it waited.
    if (this.signal.aborted) this.letGo();
    return release;
  }

  /** Ends all statements, running or waiting: nobody waits for the answer any more. */
  end(): void {
    this.ending.abort(LEFT);
    this.letGo();
  }

  private letGo(): void {
    for (const release of this.held.splice(0)) release();
  }
}

/** Does work while it has one slot. The wait ends with the request of the current call. */
export async function withSlot<T>(slots: WeightedSemaphore, work: () => Promise<T>): Promise<T> {
  const giveBack = await slots.take(ReadRequest.current?.signal);
  try {
    return await work();
  } finally {
    giveBack();
  }
}

/** Texts of the log that a part of a request reads. Outside of a request nothing is counted. */
export class ReadTexts {
  private readonly request = ReadRequest.current;
  private readonly held: GiveBack[] = [];
  private bytes = 0;

  /**
   * Must be called before texts are read: waits until this many bytes fit into the budget of all requests. They count until the
   * answer of this request was taken.
   * @throws ReadRefused FULL or LARGE
   */
  async hold(bytes: number): Promise<void> {
    const release = await this.request?.hold(bytes);
    if (!release) return;
    this.held.push(release);
    this.bytes += bytes;
  }

  /** Releases what exceeds the bytes that are kept. */
  keep(bytes: number): void {
    for (const release of this.held) this.bytes -= release(Math.max(0, this.bytes - bytes));
  }
}
