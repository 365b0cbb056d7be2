import { randomUUID } from 'node:crypto';
import type { RecordedSilence } from '../domain/alerts/alert-ledger.js';
import type { Millis } from '../domain/time.js';
import type { EventStore } from '../event-log/event-store.js';
import { AlertBook, type NewAlertEvent } from './alert-book.js';

/** The most silences that may hold at once: more are refused. */
const MOST_SILENCES = 1_000;

const LONGEST_NOTE = 500;
const MOST_PATTERNS = 200;
const LONGEST_PATTERN = 200;

/** A silence that is refused because there are too many, or because it makes no sense; the message says why. */
export class SilenceRefused extends Error {
  override readonly name = 'SilenceRefused';
}

export class Silences {
  private readonly book: AlertBook;

  constructor(store: EventStore) {
    this.book = new AlertBook(store);
  }

  /** The silences that hold at `now`. */
  async getSilences(now: Millis): Promise<readonly RecordedSilence[]> {
    return (await this.book.read()).silencesAt(now);
  }

  /**
   * Adds a silence: trouble that begins in its scope before its end is not reported.
   * @throws SilenceRefused if its end is past, there are too many, or texts are empty or too long
   */
  async add(requested: Omit<RecordedSilence, 'id' | 'from'>, now: Millis): Promise<RecordedSilence> {
    if (requested.until <= now) throw new SilenceRefused('A silence must end in the future.');
    const { scope, note } = requested;
    const patterns = [scope.rules, scope.nodes, scope.chains].flatMap((list) => list ?? []);
    if (patterns.some((pattern) => pattern.trim() === ''))
      throw new SilenceRefused('A pattern is empty: it would silence nothing.');
    if (patterns.length > MOST_PATTERNS || patterns.some(({ length }) => length > LONGEST_PATTERN))
      throw new SilenceRefused(
        `A silence has at most ${MOST_PATTERNS} patterns of at most ${LONGEST_PATTERN} characters.`,
      );
    if (note.length > LONGEST_NOTE)
      throw new SilenceRefused(`A note has at most ${LONGEST_NOTE} characters.`);
    const silence = { ...requested, id: randomUUID(), from: now };
    await this.record((held) => {
      if (held.length >= MOST_SILENCES)
        throw new SilenceRefused(`There are already ${MOST_SILENCES} silences.`);
      return { type: 'AlertsSilenced', observedAt: now, body: { silence } };
    }, now);
    return silence;
  }

  /** Ends a silence before its time. @returns undefined if no silence with that id holds */
  async lift(id: string, by: string, now: Millis): Promise<RecordedSilence | undefined> {
    let lifted: RecordedSilence | undefined;
    await this.record((held) => {
      lifted = held.find((silence) => silence.id === id);
      return lifted && { type: 'SilenceLifted', observedAt: now, body: { silence: id, by } };
    }, now);
    return lifted;
  }

  private async record(
    decide: (held: readonly RecordedSilence[]) => NewAlertEvent | undefined,
    now: Millis,
  ): Promise<void> {
    const toEvents = (held: readonly RecordedSilence[]) =>
      [decide(held)].filter((event) => event !== undefined);
    while (!(await this.book.record((ledger) => Promise.resolve(toEvents(ledger.silencesAt(now))))));
  }
}
