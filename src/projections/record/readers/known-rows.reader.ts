import { columnsOf, declaredColumns, type TableClass } from '../../../platform/rows/row-columns.js';
import { columnNameOf } from '../../../tables/columns.js';
import { HealthIntervalEntity } from '../../../tables/health/health-interval.entity.js';
import { BlockEntity } from '../../../tables/record/block.entity.js';
import { LossEntity } from '../../../tables/record/loss.entity.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import { blockKnownAt, submissionKnownAt, versionKnownAt } from './known-at.js';

/** A position of the log, up to which is known what is read; undefined: as it is now. */
type Position = bigint | undefined;

/** That a row was withdrawn, or replaced, was not known yet; and its number is that of what is known today. */
const STANDING = { toPosition: 'NULL', change: 'NULL' };

/** SQL of a FROM item `s`: the rows of `submission` as they were known; withdrawn ones among those of now. */
export function submissionsKnownAt(at: Position): string {
  if (at === undefined) return 'submission s';
  const { join, where, columns } = submissionKnownAt(at, 's');
  return `(SELECT ${replaced(SubmissionEntity, 's', { ...columns, ...STANDING })} FROM submission s ${join} WHERE ${where}) s`;
}

/** The same of `block b`. Their checks keep no history. */
export function blocksKnownAt(at: Position): string {
  if (at === undefined) return 'block b';
  const { where, columns } = blockKnownAt(at, 'b');
  return `(SELECT ${replaced(BlockEntity, 'b', { ...columns, checks: 'NULL', change: 'NULL' })} FROM block b WHERE ${where}) b`;
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
  if (at === undefined) {
    const computed = {
      lossPosition: `CASE WHEN c.until_at IS NULL THEN ${FIRST_OPEN} ELSE ${FIRST_UNSTATED} END + (n.node_key::bigint << 30) + c.number`,
      nodeKey: 'n.node_key',
      kind: "'RESET'",
      afterSequence: 'c.after_sequence',
      minLost: '0',
      maxLost: 'NULL',
      likelyLost: 'NULL',
      shownLost: '0',
      fromAt: 'c.to_at',
      toAt: 'coalesce(c.until_at, f.looked_at)',
      fromPosition: '0',
      toPosition: 'NULL',
      provenMin: '0',
      provenMax: 'NULL',
      change: 'NULL',
    };
    return `(SELECT ${columnsOf(LossEntity).list((name) => `l.${name}`)} FROM loss l
      UNION ALL SELECT ${replaced(LossEntity, 'l', computed)} FROM coverage_interval c JOIN coverage_fold f USING (node) JOIN node n ON n.id = c.node
       WHERE c.unstated AND c.kind = 'LIST' AND coalesce(c.until_at, f.looked_at - ${OUT_OF_SIGHT}) > c.to_at) l`;
  }
  return `(SELECT ${replaced(LossEntity, 'l', STANDING)} FROM loss l WHERE ${versionKnownAt(at, 'l')}) l`;
}

/** The same of `health_interval i`, replaced versions among those of now. */
export function healthKnownAt(at: Position): string {
  if (at === undefined) return 'health_interval i';
  const columns = replaced(HealthIntervalEntity, 'i', { toPosition: 'NULL' });
  return `(SELECT ${columns} FROM health_interval i WHERE ${versionKnownAt(at, 'i')}) i`;
}

/** SQL of a condition that a row which keeps versions is the one that was known. */
export function rowKnownAt(at: Position, alias: string): string {
  return versionKnownAt(at, alias);
}

/** The columns of a table, some of them computed. */
function replaced(
  table: TableClass<unknown>,
  alias: string,
  computed: Readonly<Record<string, string>>,
): string {
  return declaredColumns(table)
    .map(({ property, name, type }) => {
      const sql = computed[property];
      return sql === undefined ? `${alias}.${name}` : `(${sql})::${type} AS ${columnNameOf(property)}`;
    })
    .join(', ');
}
