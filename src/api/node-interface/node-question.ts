import { type Micros, type Nanos, nanosToMicros } from '../../domain/time.js';
import { badUserInput } from '../errors.js';
import {
  instant,
  int64,
  readParameters,
  word,
  type Parameter,
  type Parameters,
  type ParameterValues,
} from '../export/parameters.js';

/** The forms of responses, as values of the parameter `shape`. */
export const SHAPES = ['SPEC', 'EV-NODE'] as const;
export type AnswerShape = (typeof SHAPES)[number];

/** The parameters of every path. */
const COMMON = {
  at: instant('the moment that is asked about; the last that is known when left out'),
  shape: word(SHAPES, 'whose names, encodings and statuses'),
} satisfies Parameters;

const LIST = {
  ...COMMON,
  limit: int64('rows at most'),
  before: int64('only rows that entered the list before the one with this number'),
  from: instant('only submissions from this moment on'),
  to: instant('only submissions before this moment'),
} satisfies Parameters;

const STATISTICS = {
  ...COMMON,
  history: word(['ONLY'], 'what is on record alone, whatever the node answers'),
} satisfies Parameters;

/** A parameter that nodes have: like nodes, it takes the first of several values. */
const ofNodes = (about: string): Parameter<string> => ({ about, read: ([first = '']) => first });

const BLOB = {
  ...COMMON,
  id: ofNodes('the id of the blob'),
  namespace: ofNodes('its namespace'),
} satisfies Parameters;

/** Parameters that nodes do not have. */
const OURS = { ...LIST, ...STATISTICS };

/** The most rows of the record in one response. */
const MOST_ROWS = 1_000;

/** The node and the moment that a request is about. */
export interface NodeQuestion {
  readonly node: string;
  /** Time of the observer's clock; undefined: the latest known. */
  readonly at: Micros | undefined;
  readonly shape: AnswerShape;
}

/** The part of the record to list instead of the list that the node showed. */
export interface ListPart {
  readonly limit: number | undefined;
  readonly before: bigint | undefined;
  readonly from: Nanos | undefined;
  readonly to: Nanos | undefined;
}

export type GivenQuery = Readonly<Record<string, string | readonly string[]>>;

/** @throws ApiError BAD_USER_INPUT */
export function readQuestion(node: string, query: GivenQuery): NodeQuestion {
  return toQuestion(node, readOwn(COMMON, query));
}

/** @throws ApiError BAD_USER_INPUT */
export function readList(
  node: string,
  query: GivenQuery,
): NodeQuestion & { readonly part: ListPart | undefined } {
  const { limit, before, from, to, ...common } = readOwn(LIST, query);
  if (limit !== undefined && (limit < 1n || limit > MOST_ROWS)) {
    throw badUserInput(`\`limit\` must be a number of rows from 1 to ${MOST_ROWS}.`);
  }
  const part = { limit: limit === undefined ? undefined : Number(limit), before, from, to };
  const isWhole = Object.values(part).every((value) => value === undefined);
  return { ...toQuestion(node, common), part: isWhole ? undefined : part };
}

/** @throws ApiError BAD_USER_INPUT */
export function readStatistics(
  node: string,
  query: GivenQuery,
): NodeQuestion & { readonly isHistoryAlone: boolean } {
  const { history, ...common } = readOwn(STATISTICS, query);
  return { ...toQuestion(node, common), isHistoryAlone: history === 'ONLY' };
}

/** @throws ApiError BAD_USER_INPUT */
export function readBlob(
  node: string,
  query: GivenQuery,
): NodeQuestion & { readonly id: string; readonly namespace: string | undefined } {
  const { id = '', namespace, ...common } = readOwn(BLOB, query);
  return { ...toQuestion(node, common), id, namespace };
}

/**
 * Ignores unknown parameters, as nodes do. But rejects one of ours that only another path takes, because the client would think
 * that it had an effect.
 */
function readOwn<P extends Parameters>(known: P, query: GivenQuery): ParameterValues<P> {
  const given = Object.entries(query).filter(
    ([name]) => Object.hasOwn(known, name) || Object.hasOwn(OURS, name),
  );
  return readParameters(known, Object.fromEntries(given));
}

function toQuestion(
  node: string,
  { at, shape = 'EV-NODE' }: { at?: Nanos; shape?: AnswerShape },
): NodeQuestion {
  return { node, at: at === undefined ? undefined : nanosToMicros(at), shape };
}
