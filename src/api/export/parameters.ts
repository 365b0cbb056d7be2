import { closestMatch } from 'leven';
import type { Nanos } from '../../domain/time.js';
import { badUserInput } from '../errors.js';
import { requireRecordable } from '../graphql/request-checks.js';
import { parseInstant, parseInt64, quote } from '../graphql/scalars.js';

/** A query parameter of an export, which is a flag of the command too. */
export interface Parameter<T> {
  /** What it takes and does, for a person. */
  readonly about: string;
  /** It may not be left out. */
  readonly isNeeded?: true;
  /** @throws ApiError BAD_USER_INPUT */
  read(texts: readonly string[], name: string): T;
}

/** Parameters by their names, which are those of GraphQL's arguments. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What was given for parameters. */
export type ValuesOf<P extends Parameters> = {
  readonly [Name in keyof P]?: P[Name] extends Parameter<infer T> ? T : never;
};

/** A parameter that is given once. */
function single<T>(about: string, read: (text: string, name: string) => T): Parameter<T> {
  return {
    about,
    read: ([text = '', ...more], name) => {
      if (more.length > 0) throw badUserInput(`\`${name}\` is given more than once.`);
      return read(text, name);
    },
  };
}

/** A list: the parameter repeats, or its parts stand between commas. An empty one matches nothing. */
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
    throw badUserInput(`\`${name}\` takes ${words.join(', ')}; not ${quote(text)}.`);
  };
}

export const texts = (about: string): Parameter<string[]> => list(about, (text) => text);

export const words = <Word extends string>(known: readonly Word[], about: string): Parameter<Word[]> =>
  list(`${about}: ${known.join(', ')}`, readWord(known));

export const word = <Word extends string>(known: readonly Word[], about: string): Parameter<Word> =>
  single(`${about}: ${known.join(', ')}`, readWord(known));

/** Names of columns, as they are. */
export function columns(known: readonly string[], about: string): Parameter<string[]> {
  const parameter = list(`${about}: ${known.join(', ')}`, (column, name) => {
    if (known.includes(column)) return column;
    throw badUserInput(`\`${name}\` does not know ${quote(column)}${suggest(column, known)}`);
  });
  return {
    ...parameter,
    read: (texts, name) => {
      const chosen = parameter.read(texts, name);
      if (chosen.length > 0) return chosen;
      throw badUserInput(`\`${name}\` names none.`);
    },
  };
}

export const text = (about: string): Parameter<string> => single(about, (given) => given);

export const instant = (about: string): Parameter<Nanos> =>
  single(about, (given, name) => naming(name, () => parseInstant(given)));

export const int64 = (about: string): Parameter<bigint> =>
  single(about, (given, name) => naming(name, () => parseInt64(given)));

export const bool = (about: string): Parameter<boolean> =>
  single(about, (given, name) => {
    if (given === 'true' || given === 'false') return given === 'true';
    throw badUserInput(`\`${name}\` is true or false; not ${quote(given)}.`);
  });

/** Rows that one answer holds at most where a limit is given. */
const LARGEST_LIMIT = 1_000_000;

/** What every export takes. */
export const PAGING = {
  limit: single(`rows at most, up to ${LARGEST_LIMIT}; all of them when left out`, (given, name) => {
    const limit = /^\d{1,7}$/.test(given) ? Number(given) : 0;
    if (limit >= 1 && limit <= LARGEST_LIMIT) return limit;
    throw badUserInput(`\`${name}\` is a number of rows from 1 to ${LARGEST_LIMIT}; not ${quote(given)}.`);
  }),
  cursor: text('only rows behind those that an answer before ended with'),
} satisfies Parameters;

/**
 * Reads parameters as they came.
 * @throws ApiError BAD_USER_INPUT for one that is not known, given wrongly, or holds what no recorded text does
 */
export function readParameters<P extends Parameters>(
  known: P,
  given: Readonly<Record<string, string | readonly string[]>>,
): ValuesOf<P> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!parameter)
      throw badUserInput(`There is no parameter ${quote(name)} here${suggest(name, Object.keys(known))}`);
    const given = typeof value === 'string' ? [value] : value;
    for (const each of given) requireRecordable(each);
    values[name] = parameter.read(given, name);
  }
  return values as ValuesOf<P>;
}

/** The end of a sentence: the known word that comes nearest, else all of them. */
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
