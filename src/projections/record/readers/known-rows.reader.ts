import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import {
  columnsOf,
  declaredColumns,
  tableNameOf,
  type TableClass,
} from '../../../platform/rows/row-columns.js';
import { columnNameOf } from '../../../tables/columns.js';
import { HealthIntervalEntity } from '../../../tables/health.entities.js';
import { BlockEntity, LossEntity, SubmissionEntity } from '../../../tables/record.entities.js';
import { DECIDED } from '../decisions/row.js';

/** A position of the log that limits what is known; undefined: now. */
type Position = bigint | undefined;

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');

/** Columns that later knowledge changes: a withdrawal or replacement was not known yet, nor was the present change number. */
const STANDING = { toPosition: 'NULL', change: 'NULL' };

/**
 * SQL of a FROM item `s`: the rows of `submission` as a projection that stopped at the position would have them, by today's
 * rules. Without a position, withdrawn rows are included.
 *
 * Former versions are in `submission_evidence_past`. One version is stored neither there nor in the row itself: the first
 * version of a success. It was UNCONFIRMED then, and otherwise like the next version, except for its blobs.
 */
export function submissionsKnownAt(at: Position): string {
  if (at === undefined) return 'submission s';
  const isNow = `s.evidence_from_position <= ${at}`;
  const then = (column: string, first: string) =>
    `CASE WHEN ${isNow} THEN s.${column} WHEN p.from_position <= ${at} THEN p.${column} ELSE ${first} END`;
  // Taken from the next version: the row itself, if it has no former version.
  const next = (column: string) => `WHEN p.kind IS NULL THEN s.${column} ELSE p.${column} END`;
  const known = {
    ...Object.fromEntries(DECIDED.map((name) => [name, then(columnNameOf(name), 'NULL')])),
    evidence: then('evidence', `${UNCONFIRMED}`),
    kind: `CASE ${next('kind')}`,
    lineageKey: `CASE ${next('lineage_key')}`,
    chainId: `CASE ${next('chain_id')}`,
    countsForChain: `CASE ${next('counts_for_chain')}`,
    daHeight: `CASE WHEN NOT ${isNow} AND s.status <> 0 THEN p.da_height ${next('da_height')}`,
  };
  return `(SELECT s.ctid, ${columns(SubmissionEntity, 's', { ...known, ...STANDING })}
             FROM submission s LEFT JOIN LATERAL (
                  SELECT p.* FROM submission_evidence_past p
                   WHERE NOT ${isNow} AND p.node_key = s.node_key AND p.sequence = s.sequence AND p.to_position > ${at}
                   ORDER BY p.from_position LIMIT 1) p ON true
            WHERE ${isKnownAt(at, 's')}) s`;
}

/** Same as {@link submissionsKnownAt}, for `block b`. Former values of its checks are not stored. */
export function blocksKnownAt(at: Position): string {
  if (at === undefined) return 'block b';
  const heightOf = (side: 'header' | 'data') =>
    `CASE WHEN coalesce(b.${side}_included_position, b.from_position) <= ${at} THEN b.${side}_da_height END`;
  const known = { headerDaHeight: heightOf('header'), dataDaHeight: heightOf('data') };
  const unknown = { checks: 'NULL', change: 'NULL' };
  return `(SELECT ${columns(BlockEntity, 'b', { ...known, ...unknown })} FROM block b WHERE b.from_position <= ${at}) b`;
}

/** Columns of these items that have an index. */
const INDEXED = ['s.da_height', 'b.header_da_height', 'b.data_da_height'] as const;

/**
 * SQL of such a column's present value: columns of a past position are computed, and no index finds computed values.
 * @param at position of the FROM item
 */
export function indexed(column: (typeof INDEXED)[number], at: Position): string {
  return at === undefined ? column : `${column}_now`;
}

/** Number of the first gap that no event stated, beyond all log positions; ongoing gaps are numbered from `FIRST_OPEN`. */
const FIRST_UNSTATED = 2n ** 62n;
export const FIRST_OPEN = FIRST_UNSTATED + 2n ** 61n;

/** A list seen less than this ago is not out of sight, even if another list has answered at its address since. */
const OUT_OF_SIGHT = "interval '5 seconds'";

/**
 * Same as {@link submissionsKnownAt}, for `loss l`. Without a position, replaced versions are included, and so are the gaps
 * that no event has stated: after a list that is out of sight, up to the last poll.
 */
export function lossesKnownAt(at: Position): string {
  if (at !== undefined) return statedLossesKnownAt(at);
  const computed = {
    lossPosition: `CASE WHEN c.until_at IS NULL THEN ${FIRST_OPEN} ELSE ${FIRST_UNSTATED} END + (n.node_key::bigint << 30) + c.number`,
    nodeKey: 'n.node_key',
    kind: "'RESET'",
    afterSequence: 'c.after_sequence',
    minLost: '0',
    maxLost: 'NULL',
    likelyLost: 'NULL',
    shownLost: '0',
    undecidedHeaders: '0',
    undecidedData: '0',
    postedElsewhere: '0',
    fromAt: 'c.to_at',
    toAt: 'coalesce(c.until_at, f.looked_at)',
    fromPosition: '0',
    toPosition: 'NULL',
    provenMin: '0',
    provenMax: 'NULL',
    change: 'NULL',
  };
  return `(SELECT ${columnsOf(LossEntity).list((name) => `l.${name}`)} FROM loss l
      UNION ALL SELECT ${columns(LossEntity, 'l', computed)} FROM coverage_interval c JOIN coverage_fold f USING (node) JOIN node n ON n.id = c.node
       WHERE c.unstated AND c.kind = 'LIST' AND coalesce(c.until_at, f.looked_at - ${OUT_OF_SIGHT}) > c.to_at) l`;
}

export function statedLossesKnownAt(at: Position): string {
  return versionsKnownAt(at, LossEntity, 'l');
}

/** Same as {@link submissionsKnownAt}, for `health_interval i`. Without a position, replaced versions are included. */
export function healthKnownAt(at: Position): string {
  return versionsKnownAt(at, HealthIntervalEntity, 'i');
}

/** Same for any table whose rows are replaced by new versions. */
export function versionsKnownAt(at: Position, table: TableClass<unknown>, alias: string): string {
  const from = `${tableNameOf(table)} ${alias}`;
  if (at === undefined) return from;
  return `(SELECT ${columns(table, alias, STANDING)} FROM ${from} WHERE ${isKnownAt(at, alias)}) ${alias}`;
}

/** SQL of a condition: this version of a row was the known one. */
export function isKnownAt(at: bigint, alias: string): string {
  return `${alias}.from_position <= ${at} AND (${alias}.to_position IS NULL OR ${alias}.to_position > ${at})`;
}

/** The columns of a table, some of them computed, and the present value of its indexed ones. */
function columns(
  table: TableClass<unknown>,
  alias: string,
  computed: Readonly<Record<string, string>>,
): string {
  const now = INDEXED.filter((column) => column.startsWith(`${alias}.`));
  const known = declaredColumns(table).map(({ property, name, type }) => {
    const sql = computed[property];
    return sql === undefined ? `${alias}.${name}` : `(${sql})::${type} AS ${columnNameOf(property)}`;
  });
  return [...known, ...now.map((column) => `${column} AS ${column.slice(2)}_now`)].join(', ');
}
