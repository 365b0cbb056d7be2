import { ReadRefused } from './read-refused.js';
import { type GiveBack, WeightedSemaphore } from './weighted-semaphore.js';

const MB = 1_048_576;

/** Largest small text: small texts have a budget of their own, so that they do not wait behind large ones. */
const SMALL = MB / 4;
/** Budgets in bytes for all requests together; what is made of the texts takes two to three times as much memory. */
const SMALL_ROOM = 32 * MB;
const LARGE_ROOM = 64 * MB;
/** Most bytes of texts per request. */
const MOST_OF_REQUEST = 128 * MB;

/** Most requests that wait for budget, and for how long. */
const MOST_WAITING = 32;
const WAIT_MS = 10_000;

/**
 * Limits the texts from the log that requests keep in memory, each until its answer was taken. One row of a node's list can have
 * 32 MB: a client that requests several at once would take all the memory from recording.
 */
export class TextBudget {
  private readonly small = new WeightedSemaphore(SMALL_ROOM, {
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
    full,
  });
  private readonly large: WeightedSemaphore;

  /** @param room budget in bytes for the large texts of all requests together */
  constructor(room = LARGE_ROOM) {
    this.large = new WeightedSemaphore(room, { mostWaiting: MOST_WAITING, waitMs: WAIT_MS, full });
  }

  /** Whether any request waits for budget. */
  get areWanted(): boolean {
    return this.small.waitingCount + this.large.waitingCount > 0;
  }

  /**
   * Waits until this many bytes fit.
   * @param own bytes that the request has already
   * @throws ReadRefused FULL when there is no budget in time, LARGE when the request would have too much
   */
  take(bytes: number, own: number, ending: AbortSignal): Promise<GiveBack> {
    if (bytes <= SMALL) return this.small.take(ending, bytes);
    if (own + bytes > MOST_OF_REQUEST) return Promise.reject(tooLarge());
    return this.large.take(ending, bytes, own);
  }
}

/** The refusal of more text than one request may have. */
export function tooLarge(): ReadRefused {
  return new ReadRefused('LARGE', 'These raw rows are very large; request fewer of them at once.');
}

function full(): ReadRefused {
  return new ReadRefused('FULL', 'Too many large rows are being sent; try again in a moment.');
}
