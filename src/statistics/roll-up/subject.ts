/** Whose figures they are: a node's (chain empty) or, with node key 0, a chain's. */
export interface Subject {
  readonly nodeKey: number;
  readonly chain: string;
}

export const QUARTER_US = 900_000_000n;

/** A quarter hour of UTC of a subject. */
export interface Quarter extends Subject {
  /** Its start, Unix microseconds. */
  readonly quarterUs: bigint;
}

/** Start of the quarter hour of UTC that a moment lies in. */
export function quarterOf(us: bigint): bigint {
  const rest = us % QUARTER_US;
  return us - (rest < 0n ? rest + QUARTER_US : rest);
}

export function nameOfQuarter({ nodeKey, chain, quarterUs }: Quarter): string {
  return `${quarterUs} ${nodeKey} ${chain}`;
}

/** SQL: locks the subject of this row, in this schema, until the transaction ends; false while another one has locked it. */
export function trySubjectLock(row: string): string {
  const name = `'hindsight statistic ' || current_schema() || ' ' || ${row}.node_key || ' ' || ${row}.chain`;
  return `pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`;
}
