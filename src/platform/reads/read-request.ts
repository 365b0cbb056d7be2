import { AsyncLocalStorage } from 'node:async_hooks';
import { ReadRefused } from './read-refused.js';
import { type Ending, Slots } from './slots.js';

/** Statements of one request that are under way, or in line for a connection, at a time. A snapshot is one. */
const STATEMENTS_AT_ONCE = 3;

const requests = new AsyncLocalStorage<ReadRequest>();

/** One for all, as each request ends with it and making an error takes long. */
const LEFT = new ReadRefused('OVER', 'The client has left.');

/** What one request asks of the database: a few statements at a time, and nothing once its client has left. */
export class ReadRequest implements Ending {
  reason: Error | undefined;
  private readonly statements = new Slots(STATEMENTS_AT_ONCE, {
    full: () => new ReadRefused('FULL', 'This request asks too much at once.'),
  });
  private readonly callbacks = new Set<(reason: Error) => void>();

  /** The request in which we are called; undefined outside of one. */
  static get current(): ReadRequest | undefined {
    return requests.getStore();
  }

  /** Runs `work`, and all that it begins, within this request. */
  run<T>(work: () => T): T {
    return requests.run(this, work);
  }

  /** The items, each of them made within this request, whoever takes it. */
  async *runEach<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = items[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.run(() => iterator.next());
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  /** Waits until few enough statements of this request are under way. Returns what ends this one. */
  begin(): Promise<() => void> {
    return this.statements.take(this);
  }

  onEnd(callback: (reason: Error) => void): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  /** Nobody waits for the answer any more: ends what is under way or in line for it. */
  end(): void {
    if (this.reason !== undefined) return;
    this.reason = LEFT;
    for (const callback of this.callbacks) callback(LEFT);
    this.callbacks.clear();
  }
}
