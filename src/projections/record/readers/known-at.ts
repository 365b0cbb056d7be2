import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnNameOf } from '../../../tables/columns.js';
import { DECIDED } from '../decisions/row.js';

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');

type DecidedName = (typeof DECIDED)[number];

/** Parts of a statement that read rows as they were known. */
export interface Known<Name extends string> {
  /** What stands behind the table and its alias in the FROM clause. */
  readonly join: string;
  /** Which rows were known. */
  readonly where: string;
  /** Columns that were decided, or shown, after the row was recorded; all others are as they are. */
  readonly columns: Readonly<Record<Name, string>>;
}

/** Condition that a row with versions, such as of `loss`, is the one that was known at a position of the log. */
export function versionKnownAt(at: bigint | undefined, alias: string): string {
  if (at === undefined) return `${alias}.to_position IS NULL`;
  return `${alias}.from_position <= ${at} AND (${alias}.to_position IS NULL OR ${alias}.to_position > ${at})`;
}

/**
 * Rows of `submission` as a projection that stopped at a position of the log would hold them; by today's rules.
 *
 * Former versions stand in `submission_evidence_past`. One is kept neither there nor in the row itself: the first
 * version of a success. It was UNCONFIRMED then, and otherwise as the next one, its blobs apart.
 *
 * @param at undefined: as they are
 * @param alias of the table
 */
export function submissionKnownAt(at: bigint | undefined, alias: string): Known<DecidedName> {
  const known = (toSql: (name: DecidedName) => string) =>
    Object.fromEntries(DECIDED.map((name) => [name, toSql(name)])) as Record<DecidedName, string>;
  const now = (name: string) => `${alias}.${columnNameOf(name)}`;
  const where = versionKnownAt(at, alias);
  if (at === undefined) return { join: '', where, columns: known(now) };
  const past = `${alias}_past`;
  const isNow = `${alias}.evidence_from_position <= ${at}`;
  const then = (name: string) => `${past}.${columnNameOf(name)}`;
  return {
    join: `LEFT JOIN LATERAL (
        SELECT p.* FROM submission_evidence_past p
         WHERE NOT ${isNow} AND p.node_key = ${alias}.node_key AND p.sequence = ${alias}.sequence AND p.to_position > ${at}
         ORDER BY p.from_position LIMIT 1) ${past} ON true`,
    where,
    columns: known((name) => {
      const wasThen = `WHEN ${past}.from_position <= ${at} THEN ${then(name)}`;
      if (name === 'evidence')
        return `CASE WHEN ${isNow} THEN ${now(name)} ${wasThen} ELSE ${UNCONFIRMED} END`;
      // The next version has it: the row itself, where it has no former one.
      const next = `WHEN ${past}.kind IS NULL THEN ${now(name)} ELSE ${then(name)} END`;
      if (name === 'kind' || name === 'lineageKey' || name === 'chainId' || name === 'countsForChain')
        return `CASE ${next}`;
      if (name === 'daHeight')
        return `CASE WHEN NOT ${isNow} AND ${alias}.status <> 0 THEN ${then(name)} ${next}`;
      return `CASE WHEN ${isNow} THEN ${now(name)} ${wasThen} END`;
    }),
  };
}

/**
 * Rows of `block` as a projection that stopped at a position of the log would hold them, but for `checks`, which keep no
 * history.
 *
 * @param at undefined: as they are
 * @param alias of the table
 */
export function blockKnownAt(
  at: bigint | undefined,
  alias: string,
): Known<'headerDaHeight' | 'dataDaHeight'> {
  const of = (side: 'header' | 'data') => {
    const now = `${alias}.${side}_da_height`;
    if (at === undefined) return now;
    return `CASE WHEN coalesce(${alias}.${side}_included_position, ${alias}.from_position) <= ${at} THEN ${now} END`;
  };
  return {
    join: '',
    where: at === undefined ? 'true' : `${alias}.from_position <= ${at}`,
    columns: { headerDaHeight: of('header'), dataDaHeight: of('data') },
  };
}
