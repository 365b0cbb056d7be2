import { entryOf } from '../../domain/collections.js';
import type { Query } from '../../platform/sql.js';
import type { ImportedFeeEntity } from '../../tables/prices.entities.js';
import type { FeeLine } from './fee-file.js';

/** A fee of the file that matches no recorded submission. */
export interface UnplacedFee extends FeeLine {
  readonly reason: string;
}

/** A place with more fees than submissions. */
export interface FeeSurplus {
  readonly daHeight: string;
  /** Null for any namespace at that height. */
  readonly namespace: string | null;
  readonly fees: number;
  readonly submissions: number;
}

export interface FeePlacement {
  readonly unmatched: readonly UnplacedFee[];
  readonly ambiguous: readonly FeeSurplus[];
}

type PlaceCount = Pick<ImportedFeeEntity, 'daHeight' | 'namespace'> & { readonly count: number };

/** Counts by DA height and namespace; the empty namespace counts rows without a namespace. */
type CountsByHeight = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Submissions that cost the chain something. */
const SUBMISSIONS = `
  SELECT s.da_height AS "daHeight", coalesce(m.namespace, '') AS namespace, count(*)::int AS count
    FROM submission s LEFT JOIN namespace m ON m.namespace_key = s.namespace_key
   WHERE s.da_height = ANY ($2::bigint[]) AND s.chain_id = $1 AND s.to_position IS NULL AND s.counts_for_chain
     AND (s.status = 0 OR s.evidence = 1)
   GROUP BY 1, 2`;

const FEES = `
  SELECT da_height AS "daHeight", namespace, count(*)::int AS count FROM imported_fee
   WHERE chain = $1 AND da_height = ANY ($2::bigint[]) GROUP BY da_height, namespace`;

/** Compares the imported fees of a file with the submissions that are recorded at their places. */
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

function findReason({ fee }: FeeLine, submissions: CountsByHeight): string | undefined {
  const there = submissions.get(fee.daHeight);
  if (there === undefined) return `no submission is recorded at DA height ${fee.daHeight}`;
  if (fee.namespace === null || there.has(fee.namespace)) return undefined;
  return `no submission at DA height ${fee.daHeight} is in namespace ${fee.namespace}`;
}

/** Fees with a namespace come first; fees without a namespace take the remaining submissions. */
function getCrowded(height: string, fees: CountsByHeight, submissions: CountsByHeight): FeeSurplus[] {
  const there = submissions.get(height);
  if (there === undefined) return [];
  let free = sum(there.values());
  const crowded: FeeSurplus[] = [];
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

function toCounts(rows: readonly PlaceCount[]): CountsByHeight {
  const counts = new Map<string, Map<string, number>>();
  for (const { daHeight, namespace, count } of rows) {
    entryOf(counts, String(daHeight), () => new Map<string, number>()).set(namespace, count);
  }
  return counts;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
