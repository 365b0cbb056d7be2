import { deleteRows } from '../../platform/rows/write-rows.js';
import type { Query } from '../../platform/sql.js';
import { toFaultText } from '../../projections/faults.js';
import { RollUpFaultEntity } from '../../tables/statistics.entities.js';
import { tryOwnerLock, type MarkOwner } from './members.js';

/** An owner whose figures cannot be computed from the stored data. */
export interface FailedOwner extends MarkOwner {
  /** Printable, one line. */
  readonly error: string;
}

/** A transaction that failed because of the stored data of one of its owners; it was rolled back. */
export class PoisonedOwners extends Error {
  override readonly name = 'PoisonedOwners';
  readonly owners: readonly MarkOwner[];

  constructor(marked: readonly MarkOwner[], cause: unknown) {
    super('The figures of a node or chain cannot be computed', { cause });
    this.owners = unique(marked);
  }
}

/**
 * SQL: whether this fault is due for a retry. The pause is as long as the trouble had lasted before it, from a minute to an
 * hour.
 */
export function isDue(fault: string): string {
  const pause = `greatest(least(${fault}.tried_at - ${fault}.since, interval '1 hour'), interval '1 minute')`;
  return `${fault}.tried_at + ${pause} <= clock_timestamp()`;
}

/** SQL: whether the owner of this row is quarantined. */
export function isQuarantined(row: string): string {
  return `EXISTS (SELECT FROM roll_up_fault f WHERE f.node_key = ${row}.node_key AND f.chain = ${row}.chain)`;
}

/** SQL: whether the owner of this row is quarantined and not yet due for a retry. */
export function isWaiting(row: string): string {
  return `EXISTS (SELECT FROM roll_up_fault f
                   WHERE f.node_key = ${row}.node_key AND f.chain = ${row}.chain AND NOT (${isDue('f')}))`;
}

/**
 * Quarantines an owner, or notes that it failed again, unless another process is computing it. Its marks are reduced to one for
 * each quarter, because new marks keep coming in.
 *
 * @returns the fault, if the owner was not quarantined before
 */
export async function quarantine(
  query: Query,
  { nodeKey, chain }: MarkOwner,
  cause: unknown,
): Promise<FailedOwner | undefined> {
  const error = toFaultText(cause);
  const [lock] = await query<{ won: boolean }>(
    `SELECT ${tryOwnerLock('s')} AS won FROM (SELECT $1::int4 AS node_key, $2::text AS chain) s`,
    [nodeKey, chain],
  );
  if (!lock?.won) return undefined;
  await query(
    `WITH gone AS (DELETE FROM roll_up_mark WHERE node_key = $1 AND chain = $2 RETURNING quarter_at, marked_at)
     INSERT INTO roll_up_mark (node_key, chain, quarter_at, marked_at)
     SELECT $1, $2, quarter_at, min(marked_at) FROM gone GROUP BY quarter_at`,
    [nodeKey, chain],
  );
  const [row] = await query<{ added: boolean }>(
    `INSERT INTO roll_up_fault (node_key, chain, error) VALUES ($1, $2, $3)
     ON CONFLICT (node_key, chain) DO UPDATE SET error = excluded.error, tried_at = excluded.tried_at
     RETURNING xmax = 0 AS added`,
    [nodeKey, chain, error],
  );
  return row?.added ? { nodeKey, chain, error } : undefined;
}

/** Ends the quarantine of owners that this transaction computes, if it commits. */
export async function readmit(query: Query, owners: readonly MarkOwner[]): Promise<void> {
  await deleteRows(query, RollUpFaultEntity, ['nodeKey', 'chain'], unique(owners));
}

/** Deletes the faults of owners that have nothing more to compute, for example after their marks were deleted by hand. */
export async function dropIdleFaults(query: Query): Promise<void> {
  await query(
    `DELETE FROM roll_up_fault f
      WHERE NOT EXISTS (SELECT FROM roll_up_mark m WHERE m.node_key = f.node_key AND m.chain = f.chain)`,
  );
}

function unique(owners: readonly MarkOwner[]): MarkOwner[] {
  const byName = new Map(owners.map(({ nodeKey, chain }) => [`${nodeKey} ${chain}`, { nodeKey, chain }]));
  return [...byName.values()];
}
