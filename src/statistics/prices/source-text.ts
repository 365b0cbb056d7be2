import { UserError } from '../../platform/errors.js';
import { DATED_SOURCE, PLAIN_SOURCE } from '../../projections/prices/settings-in-ledger.js';

const LONGEST = 200;

/**
 * Checks and trims a person's text on where figures come from.
 * @throws UserError if it is empty, not one line, too long, or could be mistaken for the settings
 */
export function requireSource(text: string): string {
  const source = text.trim();
  if (source.length > 0 && source.length <= LONGEST && !/\p{Cc}/u.test(source)) {
    if (source !== PLAIN_SOURCE && source !== DATED_SOURCE) return source;
    throw new UserError(`The source must not be called ${source}.`, 'Name the source of the figures.', 2);
  }
  throw new UserError(
    `The source must be one line of 1 to ${LONGEST} characters.`,
    'Name the source of the figures in a few words.',
    2,
  );
}
