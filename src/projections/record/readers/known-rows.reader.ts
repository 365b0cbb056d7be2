import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import {
  columnsOf,
  declaredColumns,
  tableNameOf,
  type TableClass,
} from '../../../platform/rows/row-columns.js';
import { columnNameOf } from '../../../tables/columns.js';
import { HealthIntervalEntity } from '../../../tables/health/health-interval.entity.js';
import { BlockEntity } from '../../../tables/record/block.entity.js';
import { LossEntity } from '../../../tables/record/loss.entity.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import { DECIDED } from '../decisions/row.js';

/** A position of the log, up to which is known what is read; undefined: as it is now. */
type Position = bigint | undefined;

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');

/** That a row was withdrawn, or replaced, was not known yet; and its number is that of what is known today. */
const STANDING = { toPosition: 'NULL', change: 'NULL' };

/**
 * SQL of a FROM item `s`: the rows of `submission` as a projection that stopped at the position would hold them, by today's rules.
 * Withdrawn ones are among those of now.
 *
 * Former versions stand in `submission_evidence_past`. One is kept neither there nor in the row itself: the first
 * version of a success. It was UNCONFIRMED then, and otherwise as the next one, its blobs apart.
 */
export function submissionsKnownAt(at: Position): string {
  if (at === undefined) return 'submission s';
  const isNow = `s.evidence_from_position <= ${at}`;
  const then = (column: string, first: string) =>
    `CASE WHEN ${isNow} THEN s.${column} WHEN p.from_position <= ${at} THEN p.${column} ELSE ${first} END`;
  // The next version has it: the row itself, where it has no former one.
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

/** The same of `block b`. Their checks keep no history. */
export function blocksKnownAt(at: Position): string {
  if (at === undefined) return 'block b';
  const heightOf = (side: 'header' | 'data') =>
    `CASE WHEN coalesce(b.${side}_included_position, b.from_position) <= ${at} THEN b.${side}_da_height END`;
  const known = { headerDaHeight: heightOf('header'), dataDaHeight: heightOf('data') };
  const unknown = { checks: 'NULL', change: 'NULL' };
  return `(SELECT ${columns(BlockEntity, 'b', { ...known, ...unknown })} FROM block b WHERE b.from_position <= ${at}) b`;
}

/** Columns of these items by which indexes find rows. */
const INDEXED = ['s.da_height', 'b.header_da_height', 'b.data_da_height'] as const;

/**
 * SQL of such a column as it is now. A past computes its columns, and no index finds a row by what is computed.
 *
 * @param at of the FROM item
 */
export function indexed(column: (typeof INDEXED)[number], at: Position): string {
  return at === undefined ? column : `${column}_now`;
}

/** Holes that no event has stated are numbered from here on, beyond all positions of a log; those that go on from further on. */
const FIRST_UNSTATED = 2n ** 62n;
export const FIRST_OPEN = FIRST_UNSTATED + 2n ** 61n;

/** A list that was seen a moment ago, when another one answered at its address, is not out of sight yet. */
const OUT_OF_SIGHT = "interval '5 seconds'";

/**
 * The same of `loss l`, replaced versions among those of now. To those of now belong the holes that are open still: behind a
 * list that is out of sight, up to the last look.
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

/** Only the holes that events stated. */
export function statedLossesKnownAt(at: Position): string {
  return versionsKnownAt(at, LossEntity, 'l');
}

/** The same of `health_interval i`, replaced versions among those of now. */
export function healthKnownAt(at: Position): string {
  return versionsKnownAt(at, HealthIntervalEntity, 'i');
}

/** The same of a table whose rows are replaced by other versions. */
export function versionsKnownAt(at: Position, table: TableClass<unknown>, alias: string): string {
  const from = `${tableNameOf(table)} ${alias}`;
  if (at === undefined) return from;
  return `(SELECT ${columns(table, alias, STANDING)} FROM ${from} WHERE ${isKnownAt(at, alias)}) ${alias}`;
}

/** SQL of a condition: this version of a row was the known one. */
export function isKnownAt(at: bigint, alias: string): string {
  return `${alias}.from_position <= ${at} AND (${alias}.to_position IS NULL OR ${alias}.to_position > ${at})`;
}

/** The columns of a table, some of them computed. */
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
