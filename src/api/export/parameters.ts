import { closestMatch } from 'leven';
import { parseInstantText } from '../../domain/instant-text.js';
import type { Nanos } from '../../domain/time.js';
import { badUserInput } from '../errors.js';
import { requireRecordable } from '../graphql/request-checks.js';
import { parseInstant, parseInt64, quote } from '../graphql/scalars.js';

/** A query parameter of an export, which is also a flag of the command. */
export interface Parameter<T> {
  /** Description for people: what it takes and does. */
  readonly about: string;
  readonly isNeeded?: true;
  /** @throws ApiError BAD_USER_INPUT */
  read(texts: readonly string[], name: string): T;
}

/** Parameters by name; the names are those of GraphQL's arguments. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export type ParameterValues<P extends Parameters> = {
  readonly [Name in keyof P]?: P[Name] extends Parameter<infer T> ? T : never;
};

/** A parameter that may be given only once. */
function single<T>(about: string, read: (text: string, name: string) => T): Parameter<T> {
  return {
    about,
    read: ([text = '', ...more], name) => {
      if (more.length > 0) throw badUserInput(`\`${name}\` is given more than once.`);
      return read(text, name);
    },
  };
}

/** A list parameter: repeated, or with commas between its parts. An empty list matches nothing. */
function list<T>(about: string, read: (text: string, name: string) => T): Parameter<T[]> {
  return {
    about: `${about}; several between commas`,
    read: (texts, name) =>
      texts
        .flatMap((text) => text.split(','))
        .filter((text) => text !== '')
        .map((text) => read(text, name)),
  };
}

function readWord<Word extends string>(words: readonly Word[]): (text: string, name: string) => Word {
  return (text, name) => {
    const word = words.find((known) => known === text.toUpperCase());
    if (word !== undefined) return word;
    throw badUserInput(`\`${name}\` must be one of ${words.join(', ')}, not ${quote(text)}.`);
  };
}

export const texts = (about: string): Parameter<string[]> => list(about, (text) => text);

export const words = <Word extends string>(known: readonly Word[], about: string): Parameter<Word[]> =>
  list(`${about}: ${known.join(', ')}`, readWord(known));

export const word = <Word extends string>(known: readonly Word[], about: string): Parameter<Word> =>
  single(`${about}: ${known.join(', ')}`, readWord(known));

/** A list of column names, matched exactly; it may not be empty. */
export function columns(known: readonly string[], about: string): Parameter<string[]> {
  const parameter = list(`${about}: ${known.join(', ')}`, (column, name) => {
    if (known.includes(column)) return column;
    throw badUserInput(`\`${name}\` has no column ${quote(column)}${suggest(column, known)}`);
  });
  return {
    ...parameter,
    read: (texts, name) => {
      const chosen = parameter.read(texts, name);
      if (chosen.length > 0) return chosen;
      throw badUserInput(`\`${name}\` is empty.`);
    },
  };
}

export const text = (about: string): Parameter<string> => single(about, (given) => given);

/** A time with a zone, or a day, which begins at midnight UTC. */
export const instant = (about: string): Parameter<Nanos> =>
  single(about, (given, name) => naming(name, () => parseInstant(parseInstantText(given) ?? given)));

export const int64 = (about: string): Parameter<bigint> =>
  single(about, (given, name) => naming(name, () => parseInt64(given)));

export const bool = (about: string): Parameter<boolean> =>
  single(about, (given, name) => {
    if (given === 'true' || given === 'false') return given === 'true';
    throw badUserInput(`\`${name}\` must be true or false, not ${quote(given)}.`);
  });

const LARGEST_LIMIT = 1_000_000;

export const PAGING = {
  limit: single(`rows at most, up to ${LARGEST_LIMIT}; all rows if left out`, (given, name) => {
    const limit = /^\d{1,7}$/.test(given) ? Number(given) : 0;
    if (limit >= 1 && limit <= LARGEST_LIMIT) return limit;
    throw badUserInput(
      `\`${name}\` must be a number of rows from 1 to ${LARGEST_LIMIT}, not ${quote(given)}.`,
    );
  }),
  cursor: text('only rows after the last rows of a previous answer'),
} satisfies Parameters;

/**
 * Parses the given parameters.
 * @throws ApiError BAD_USER_INPUT for an unknown parameter, a wrong value, or text that cannot have been recorded
 */
export function readParameters<P extends Parameters>(
  known: P,
  given: Readonly<Record<string, string | readonly string[]>>,
): ParameterValues<P> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!parameter)
      throw badUserInput(`There is no parameter ${quote(name)} here${suggest(name, Object.keys(known))}`);
    const given = typeof value === 'string' ? [value] : value;
    for (const each of given) requireRecordable(each);
    values[name] = parameter.read(given, name);
  }
  return values as ParameterValues<P>;
}

/** The end of an error message: the closest known word, else all known words. */
export function suggest(wrong: string, known: readonly string[]): string {
  const maxDistance = Math.max(1, Math.min(Math.floor(wrong.length / 3), 3));
  const nearest = closestMatch(wrong.slice(0, 60), known, { maxDistance });
  return nearest === undefined ? `; there are ${known.join(', ')}.` : `; did you mean \`${nearest}\`?`;
}

function naming<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Error ? badUserInput(`\`${name}\`: ${error.message}`) : error;
  }
}
