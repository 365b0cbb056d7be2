import { QUARTER_US, type Micros } from '../../domain/time.js';
import type { RollUpMarkEntity } from '../../tables/statistics/roll-up-mark.entity.js';

/** Whose figures they are: a node's (chain empty) or, with node key 0, a chain's. */
export type Owner = Readonly<Pick<RollUpMarkEntity, 'nodeKey' | 'chain'>>;

/** A quarter hour of UTC of an owner. */
export type Quarter = Owner & Readonly<Pick<RollUpMarkEntity, 'quarterAt'>>;

/** Start of the quarter hour of UTC that a moment lies in. */
export function quarterOf(us: Micros): Micros {
  const rest = us % QUARTER_US;
  return us - (rest < 0n ? rest + QUARTER_US : rest);
}

export function nameOfQuarter({ nodeKey, chain, quarterAt }: Quarter): string {
  return `${quarterAt} ${nodeKey} ${chain}`;
}

/** SQL: locks the owner of this row, in this schema, until the transaction ends; false while another one has locked it. */
export function tryOwnerLock(row: string): string {
  const name = `'hindsight statistic ' || current_schema() || ' ' || ${row}.node_key || ' ' || ${row}.chain`;
  return `pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`;
}
