import {
  FAILURE_CAUSES_OF_STATUS,
  isCoarse,
  type FailedStatus,
  type FailureCode,
} from '../../domain/submissions/failure-cause.js';
import { MESSAGE_RULES } from '../../domain/submissions/failure-messages.js';
import { statusCodeOf, type SubmissionStatus } from '../../domain/submissions/submission-codes.js';
import type { SqlParameters } from '../graphql/sql-text.js';

const STATUSES = Object.entries(FAILURE_CAUSES_OF_STATUS) as [FailedStatus, FailureCode][];

/** The statuses that attempts with one of these causes can have. */
export function statusesOfCauses(causes: readonly FailureCode[]): SubmissionStatus[] {
  const wanted = new Set(causes);
  return STATUSES.flatMap(([status, cause]) =>
    (isCoarse(status) && wanted.size > 0) || wanted.has(cause) ? [status] : [],
  );
}

/** SQL condition: the cause of `submission s` is one of these. It decides as `findCause` does, from status and message. */
export function causeCondition(causes: readonly FailureCode[], parameters: SqlParameters): string {
  const ofStatus = caseOf(STATUSES.map(([status, cause]) => [`s.status = ${statusCodeOf(status)}`, cause]));
  const coarse = STATUSES.flatMap(([status]) => (isCoarse(status) ? statusCodeOf(status) : []));
  const isRead = `s.status IN (${coarse.join(', ')}) AND s.message IS NOT NULL`;
  const isSilent = `s.status = ${statusCodeOf('ERROR')} AND s.message IS NULL`;
  const cause = `CASE WHEN ${isRead} THEN coalesce(${causeOfMessage(parameters)}, ${ofStatus}) WHEN ${isSilent} THEN 'UNKNOWN' ELSE ${ofStatus} END`;
  return `${cause} = ANY (${parameters.add(causes, 'text[]')})`;
}

/** SQL of the cause that a message names, as `codeOfMessage` finds it; null if it names none. */
function causeOfMessage(parameters: SqlParameters): string {
  const { before, coded, codes, internal, other, words } = MESSAGE_RULES;
  const pattern = (source: RegExp): string => parameters.add(toPostgres(source), 'text');
  const matches = (rules: typeof before | typeof words): [string, string][] =>
    rules.map(([text, cause]) => [`${MESSAGE} ~ ${pattern(text)}`, cause]);
  const digits = `coalesce(${coded.map((form) => `substring(${MESSAGE} from ${pattern(form)})`).join(', ')})::numeric`;
  const ofCode = caseOf(
    [...codes].map(([code, cause]) => [`code = ${code}`, cause]),
    other,
  );
  // A subquery computes the code once.
  const byCode = `(SELECT CASE WHEN code <> ${internal} THEN ${ofCode} ELSE ${caseOf(matches(words))} END FROM (SELECT ${digits} AS code) c)`;
  const rules = matches(before).map(([condition, cause]) => `WHEN ${condition} THEN '${cause}'`);
  return `CASE ${rules.join(' ')} ELSE ${byCode} END`;
}

/** Only letters of ASCII have another case, and only they, digits and `_` make words: the collation C agrees with JavaScript. */
const MESSAGE = 's.message COLLATE "C"';

function caseOf(rules: readonly (readonly [condition: string, cause: string])[], otherwise?: string): string {
  const whens = rules.map(([condition, cause]) => `WHEN ${condition} THEN '${cause}'`);
  return `CASE ${whens.join(' ')}${otherwise === undefined ? '' : ` ELSE '${otherwise}'`} END`;
}

/** White space of JavaScript: the collation C has less of it. */
const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/** Parts of patterns that Postgres writes otherwise, or takes for something else. */
const TRANSLATED: Readonly<Record<string, string>> = {
  '\\b': '\\y',
  '\\s': `[${SPACE}]`,
  '\\S': `[^${SPACE}]`,
  '.': '[^\\n\\r\\u2028\\u2029]',
};

/** A pattern of JavaScript in the syntax of Postgres. */
function toPostgres({ source, flags }: RegExp): string {
  const translated = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./g, (part) => TRANSLATED[part] ?? part);
  return `(?${flags.includes('m') ? 'iw' : 'i'})${translated}`;
}
