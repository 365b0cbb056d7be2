import type { Query } from '../../platform/sql.js';
import { chainOfRow } from '../../projections/chain-of-row.js';
import type { ImportedFeeEntity } from '../../tables/prices/imported-fee.entity.js';
import type { FeeLine } from './fee-file.js';

/** A fee of the file that belongs to no submission that is recorded. */
export interface UnmatchedFee extends FeeLine {
  readonly reason: string;
}

/** A place with more fees than submissions. */
export interface CrowdedPlace {
  readonly daHeight: string;
  /** Null: whatever namespace at that height. */
  readonly namespace: string | null;
  readonly fees: number;
  readonly submissions: number;
}

/** How the fees of a file fit the record. */
export interface FeePlacement {
  readonly unmatched: readonly UnmatchedFee[];
  readonly ambiguous: readonly CrowdedPlace[];
}

type PlaceCount = Pick<ImportedFeeEntity, 'daHeight' | 'namespace'> & { readonly count: number };

/** Counts of a DA height by namespace; the empty one holds what names none. */
type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Submissions of the chain that cost something, each once: rows of several nodes are one where time and digest are equal,
 * as in the statistics.
 */
const SUBMISSIONS = `
  WITH costed AS (
    SELECT s.da_height, coalesce(m.namespace, '') AS namespace, s.node_key, s.occurred_at, s.digest,
           s.node_key IS NOT NULL AND s.occurred_at IS NOT NULL AND s.digest IS NOT NULL AS may_have_twin
      FROM submission s LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
      LEFT JOIN namespace m ON m.namespace_key = s.namespace_key
     WHERE s.da_height = ANY ($2::bigint[]) AND ${chainOfRow('s', 'l')} = $1 AND s.to_position IS NULL
       AND (s.status = 0 OR s.evidence = 1)
  ), counted AS (
    SELECT da_height, namespace, max(n) AS n FROM (
      SELECT da_height, namespace, node_key, occurred_at, digest, count(*) AS n FROM costed WHERE may_have_twin
       GROUP BY da_height, namespace, node_key, occurred_at, digest) AS shown
     GROUP BY da_height, namespace, occurred_at, digest
    UNION ALL
    SELECT da_height, namespace, count(*) FROM costed WHERE NOT may_have_twin GROUP BY da_height, namespace
  )
  SELECT da_height AS "daHeight", namespace, sum(n)::int AS count FROM counted GROUP BY da_height, namespace`;

const FEES = `
  SELECT da_height AS "daHeight", namespace, count(*)::int AS count FROM imported_fee
   WHERE chain = $1 AND da_height = ANY ($2::bigint[]) GROUP BY da_height, namespace`;

/** Compares the fees of a file, which are imported, with the submissions that are recorded at their places. */
export async function placeFees(
  query: Query,
  chain: string,
  lines: readonly FeeLine[],
): Promise<FeePlacement> {
  const heights = [...new Set(lines.map(({ fee }) => fee.daHeight))];
  const submissions = toCounts(await query<PlaceCount>(SUBMISSIONS, [chain, heights]));
  const fees = toCounts(await query<PlaceCount>(FEES, [chain, heights]));
  return {
    unmatched: lines.flatMap((line) => {
      const reason = findReason(line, submissions);
      return reason === undefined ? [] : [{ ...line, reason }];
    }),
    ambiguous: heights.flatMap((height) => getCrowded(height, fees, submissions)),
  };
}

function findReason({ fee }: FeeLine, submissions: Counts): string | undefined {
  const there = submissions.get(fee.daHeight);
  if (there === undefined) return `no submission is recorded at DA height ${fee.daHeight}`;
  if (fee.namespace === null || there.has(fee.namespace)) return undefined;
  return `no submission at DA height ${fee.daHeight} is in namespace ${fee.namespace}`;
}

/** Fees that name a namespace come first; those that name none take what they leave. */
function getCrowded(height: string, fees: Counts, submissions: Counts): CrowdedPlace[] {
  const there = submissions.get(height);
  if (there === undefined) return [];
  let free = sum(there.values());
  const crowded: CrowdedPlace[] = [];
  for (const [namespace, count] of fees.get(height) ?? []) {
    if (namespace === '') continue;
    const room = there.get(namespace) ?? 0;
    free -= Math.min(count, room);
    if (room > 0 && count > room)
      crowded.push({ daHeight: height, namespace, fees: count, submissions: room });
  }
  const nameless = fees.get(height)?.get('') ?? 0;
  if (nameless > free) crowded.push({ daHeight: height, namespace: null, fees: nameless, submissions: free });
  return crowded;
}

function toCounts(rows: readonly PlaceCount[]): Counts {
  const counts = new Map<string, Map<string, number>>();
  for (const { daHeight, namespace, count } of rows) {
    const height = String(daHeight);
    const there = counts.get(height) ?? new Map<string, number>();
    counts.set(height, there.set(namespace, count));
  }
  return counts;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
