import { formatTime, microsToNanos, millisToMicros, type Micros } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import { parseInstantText } from '../domain/instant-text.js';

const TIME_REMEDY =
  'Write it as 2026-03-01T00:00:00Z, or as a day, 2026-03-01, which begins at midnight UTC.';

/**
 * Parses a moment of a flag: a time with a zone, or a day, which begins at midnight UTC.
 *
 * @param remedy how to write it, in a sentence
 * @throws UserError for anything else
 */
export function readMoment(flag: string, text: string, remedy = TIME_REMEDY): Micros {
  const moment = parseInstantText(text.trim());
  if (moment !== undefined) return millisToMicros(Date.parse(moment));
  throw new UserError(`${flag} is not a time: ${text.slice(0, 60)}`, remedy, 2);
}

/** As {@link readMoment}, but only the past. @throws UserError also for a future moment */
export function readPast(flag: string, text: string, nowUs: Micros): Micros {
  const at = readMoment(flag, text);
  if (at <= nowUs) return at;
  throw new UserError(`${flag} ${text} is in the future.`, 'Give a time in the past.', 2);
}

/** Parses `--from` and `--to`; without an end, the range ends now. @throws UserError unless it begins in the past and before its end */
export function readRange(
  { from, to }: { readonly from: string; readonly to?: string | undefined },
  nowUs: Micros,
): { readonly fromUs: Micros; readonly toUs: Micros } {
  const fromUs = readMoment('--from', from);
  const toUs = to === undefined ? nowUs : readMoment('--to', to);
  if (fromUs >= nowUs)
    throw new UserError('--from is not in the past.', 'The record ends now: give a time before now.', 2);
  if (fromUs >= toUs)
    throw new UserError('--from must be before --to.', 'Give an earlier --from or a later --to.', 2);
  return { fromUs, toUs };
}

/** A moment as tables show it, to the second: `2026-03-01T00:00:00Z`. */
export function toSecond(at: Micros): string {
  return formatTime(microsToNanos(at), 0);
}
