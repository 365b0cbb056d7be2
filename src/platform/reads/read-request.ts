import { AsyncLocalStorage } from 'node:async_hooks';
import type { HeldTexts } from './held-texts.js';
import { ReadRefused } from './read-refused.js';
import { type Ending, type GiveBack, Slots } from './slots.js';

/** Statements of one request that are under way, or in line for a connection, at a time. A snapshot is one. */
const STATEMENTS_AT_ONCE = 3;

const requests = new AsyncLocalStorage<ReadRequest>();

/** One for all, as each request ends with it and making an error takes long. */
const LEFT = new ReadRefused('OVER', 'The client has disconnected.');

/** What one request asks of the database: a few statements at a time, and nothing once its client has left. */
export class ReadRequest implements Ending {
  reason: Error | undefined;
  private readonly statements = new Slots(STATEMENTS_AT_ONCE, {
    full: () => new ReadRefused('FULL', 'This request asks for too much at once.'),
  });
  private readonly callbacks = new Set<(reason: Error) => void>();
  /** What it holds of texts: how to give it back, and its bytes. */
  private readonly held = new Map<GiveBack, number>();

  /** @param texts what all requests hold; it counts nothing when left out */
  constructor(private readonly texts?: HeldTexts) {}

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
        // What the item before was made from is not needed any more.
        this.letGo();
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

  /** Whether it holds texts, and others wait for room. */
  get isInTheWay(): boolean {
    return this.held.size > 0 && this.texts?.areWanted === true;
  }

  /** As {@link ReadTexts.hold}. @returns what it is given back by, in whole or in part, with {@link keep} */
  async hold(bytes: number): Promise<GiveBack | undefined> {
    if (!this.texts || bytes === 0) return undefined;
    const own = [...this.held.values()].reduce((sum, each) => sum + each, 0);
    const giveBack = await this.texts.take(bytes, own, this);
    this.held.set(giveBack, bytes);
    // It may have ended just as it had its turn.
    if (this.reason !== undefined) this.letGo();
    return giveBack;
  }

  /** Gives back what is more than `bytes` of something held. @returns what is still held of it */
  keep(giveBack: GiveBack, bytes: number): number {
    const held = this.held.get(giveBack) ?? 0;
    const kept = Math.min(bytes, held);
    this.held.set(giveBack, kept);
    giveBack(held - kept);
    return kept;
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
    this.letGo();
  }

  private letGo(): void {
    const held = [...this.held.keys()];
    this.held.clear();
    for (const giveBack of held) giveBack();
  }
}

/** Texts of the log that a part of a request reads. Outside of a request nothing is counted. */
export class ReadTexts {
  private readonly request = ReadRequest.current;
  private readonly held: GiveBack[] = [];

  /**
   * To be called before texts are read: waits until so many bytes fit beside what all requests hold. They count until the answer
   * of this one was taken.
   * @throws ReadRefused FULL or LARGE
   */
  async hold(bytes: number): Promise<void> {
    const giveBack = await this.request?.hold(bytes);
    if (giveBack) this.held.push(giveBack);
  }

  /** Lets others have what is held beyond the bytes that are kept. */
  keep(bytes: number): void {
    let left = bytes;
    for (const giveBack of this.held) left -= this.request?.keep(giveBack, left) ?? 0;
  }
}
