import { toPrintable } from '../../domain/printable-text.js';
import { badUserInput } from '../errors.js';
import { RESERVED, type KeyScope } from './key-text.js';

/** The owner of a request's key. */
export interface Caller {
  /** The name of the key in events and limits. */
  readonly name: string;
  readonly scope: KeyScope;
}

/** The author in events for requests without a key, which only clients on this computer can make. */
const NOBODY = 'loopback';

/** The author of a request in events. */
export function authorOf(caller: Caller | undefined): string {
  return caller?.name ?? NOBODY;
}

/** Characters of a typed name. */
const LONGEST_NAME = 60;

/** Description of the argument that {@link typedAuthorOf} reads. */
export const TYPED_AUTHOR =
  'Your name, at most 60 characters, where no key is needed. With a key it is an error: the name of the key is recorded.';

/**
 * The author of a request of a person, who may give a name where no key is needed.
 * @throws ApiError BAD_USER_INPUT for a name next to a key, and for a name that cannot be shown or means another author
 */
export function typedAuthorOf(caller: Caller | undefined, typed: string | null | undefined): string {
  if (typeof typed !== 'string') return authorOf(caller);
  if (caller !== undefined)
    throw badUserInput('`by` is for requests without a key: with a key, the name of the key is recorded.');
  const name = typed.trim();
  if (name === '' || name.length > LONGEST_NAME || toPrintable(name) !== name)
    throw badUserInput(`\`by\` must have 1 to ${LONGEST_NAME} printable characters in one line.`);
  if (RESERVED.test(name) || name.toLowerCase() === 'command line')
    throw badUserInput(`\`by\` cannot be ${JSON.stringify(name)}: the name stands for another author.`);
  return name;
}
