import { formatTime, microsToNanos, millisToMicros, type Micros } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import { parseInstantText } from '../domain/instant-text.js';

/**
 * A moment that a flag names: a time with a zone, or a day, which begins at midnight of UTC.
 *
 * @param remedy how to write it, in a sentence
 * @throws UserError for anything else
 */
export function readMoment(flag: string, text: string, remedy: string): Micros {
  const moment = parseInstantText(text.trim());
  if (moment !== undefined) return millisToMicros(Date.parse(moment));
  throw new UserError(`${flag} is no time: ${text.slice(0, 60)}`, remedy, 2);
}

/** A moment as tables show it, to the second: `2026-03-01T00:00:00Z`. */
export function toSecond(at: Micros): string {
  return formatTime(microsToNanos(at), 0);
}
