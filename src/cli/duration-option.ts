import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../settings/values.js';

/** An option whose value is a duration of at least 10 ms. Help shows the default in the form in which it is written. */
export function durationOption(flag: string, description: string, fallback: string): Option {
  return new Option(`${flag} <duration>`, description)
    .argParser(toDuration)
    .default(toDuration(fallback), fallback);
}

/** Parses a duration to milliseconds; a plain number is milliseconds, too. */
function toDuration(text: string): number {
  const ms = parseDuration(/^\d{1,9}$/.test(text) ? `${text}ms` : text);
  if (ms === undefined || ms < 10) {
    throw new InvalidArgumentError('It must be a duration of at least 10ms, like 500ms, 500 or 2s.');
  }
  return ms;
}
