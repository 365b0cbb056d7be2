import { formatTime, microsToNanos, millisToMicros, type Micros } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import { parseInstantText } from '../domain/instant-text.js';

/**
 * Parses a moment of a flag: a time with a zone, or a day, which begins at midnight UTC.
 *
 * @param remedy how to write it, in a sentence
 * @throws UserError for anything else
 */
export function readMoment(flag: string, text: string, remedy: string): Micros {
  const moment = parseInstantText(text.trim());
  if (moment !== undefined) return millisToMicros(Date.parse(moment));
  throw new UserError(`${flag} is not a time: ${text.slice(0, 60)}`, remedy, 2);
}

/** As {@link readMoment}, but only the past. @throws UserError also for a future moment */
export function readPast(flag: string, text: string, nowUs: Micros, remedy: string): Micros {
  const at = readMoment(flag, text, remedy);
  if (at <= nowUs) return at;
  throw new UserError(`${flag} ${text} is in the future.`, 'Give a time in the past.', 2);
}

/** A moment as tables show it, to the second: `2026-03-01T00:00:00Z`. */
export function toSecond(at: Micros): string {
  return formatTime(microsToNanos(at), 0);
}
