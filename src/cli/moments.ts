import { UserError } from '../platform/errors.js';
import { parseInstantText } from '../platform/settings-values.js';

/**
 * A moment that a flag names: a time with a zone, or a day, which begins at midnight of UTC.
 *
 * @param remedy how to write it, in a sentence
 * @returns Unix microseconds
 * @throws UserError for anything else
 */
export function readMoment(flag: string, text: string, remedy: string): bigint {
  const moment = parseInstantText(text.trim());
  if (moment !== undefined) return BigInt(Date.parse(moment)) * 1_000n;
  throw new UserError(`${flag} is no time: ${text.slice(0, 60)}`, remedy, 2);
}

/** A moment as tables show it, to the second: `2026-03-01T00:00:00Z`. */
export function toSecond(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}
