import { ReadRefused } from './read-refused.js';
import { type Ending, type GiveBack, Slots } from './slots.js';

const MB = 1_048_576;

/** Up to here a text is small: those have room of their own, so that they do not wait behind large ones. */
const SMALL = MB / 4;
/** Bytes that all requests hold together; what is made of them takes two to three times as much memory. */
const SMALL_ROOM = 32 * MB;
const LARGE_ROOM = 64 * MB;
/** Bytes that one request holds at most. */
const MOST_OF_REQUEST = 128 * MB;

/** Requests that wait for room at most, and how long. */
const MOST_WAITING = 32;
const WAIT_MS = 10_000;

/**
 * What requests hold of texts from the log, each until its answer was taken. One row of a node's list can have 32 MB.
 * Whoever asks for some of them at once would have all the memory of those who record.
 */
export class HeldTexts {
  private readonly small = new Slots(SMALL_ROOM, { mostWaiting: MOST_WAITING, waitMs: WAIT_MS, full });
  private readonly large: Slots;

  /** @param room bytes of large texts that all requests hold together */
  constructor(room = LARGE_ROOM) {
    this.large = new Slots(room, { mostWaiting: MOST_WAITING, waitMs: WAIT_MS, full });
  }

  /** Whether somebody waits for room. */
  get areWanted(): boolean {
    return this.small.waitingCount + this.large.waitingCount > 0;
  }

  /**
   * Waits until so many bytes fit.
   * @param own bytes that who asks holds already
   * @throws ReadRefused FULL when there is no room in time, LARGE when it would hold too much
   */
  take(bytes: number, own: number, ending: Ending): Promise<GiveBack> {
    if (bytes <= SMALL) return this.small.take(ending, bytes);
    if (own + bytes > MOST_OF_REQUEST) return Promise.reject(tooLarge());
    return this.large.take(ending, bytes, own);
  }
}

/** What is told of more texts than one request may hold. */
export function tooLarge(): ReadRefused {
  return new ReadRefused('LARGE', 'These raw rows are very large; request fewer of them at once.');
}

function full(): ReadRefused {
  return new ReadRefused('FULL', 'Too many large rows are being sent; try again in a moment.');
}
