import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { RecordMarkEntity } from '../../tables/record/record-mark.entity.js';
import type { Query } from '../projection.js';
import { toLookedThrough } from './record-chains.js';
import { chainOfUnplaced } from '../chain-of-row.js';
import type { EvidenceParts, RecordMemory } from './record-evidence-batch.js';
import { findLateOfMark } from './record-late.js';
import type { RecordFact } from './record-facts.js';

const OBSERVED = evidenceCodeOf('OBSERVED');
const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');
const UNKNOWN_KIND = kindCodeOf('UNKNOWN');
const THROUGH_COLUMNS = columnsFor({ lookedThrough: 'timestamptz' });

/** Whose rows are looked for, and from which sequence on; from the first when left out. */
type RowsOf = Pick<RecordMarkEntity, 'nodeKey'> & Partial<Pick<RecordMarkEntity, 'nextNumber'>>;

/**
 * What of a mark is to be done next: sequences of its node, or DA heights of its lineage, ascending.
 *
 * @param limit numbers at most
 */
export function findNumbers(
  mark: Readonly<RecordMarkEntity>,
  parts: RecordMemory,
  limit: number,
  query: Query,
): Promise<bigint[]> {
  switch (mark.what) {
    case 'CHAIN':
      return findRenamed(mark, parts.names.since(mark.nodeKey), limit, query);
    case 'JOINING': {
      const { chainId } = parts.views.get(mark.nodeKey);
      return findRows(mark, limit, `lineage_key IS NULL AND ${chainOfUnplaced('s')} = $4`, [chainId], query);
    }
    case 'KINDS': {
      const { HEADER = null, DATA = null } = parts.told.get(mark.nodeKey) ?? {};
      return findKindless({ ...mark, told: [HEADER, DATA] }, limit, query);
    }
    case 'LEAVING':
      return findLeaving(mark, parts, limit, query);
    case 'WALKED':
      return findPending(mark, limit, query);
    case 'UNDECIDED':
      return findUndecidedUntil(mark, limit, query);
    case 'LOSS':
      return findReconstructed(mark, limit, query);
    case 'LATE':
      return findLateOfMark(mark, parts, limit, query);
    case 'READY':
      return findReady(mark, parts, limit, query);
    default:
      return mark.what satisfies never;
  }
}

/** Rows of a node of which no lineage is known, by sequence. */
export function findLineageless(of: RowsOf, limit: number, query: Query): Promise<bigint[]> {
  return findRows(of, limit, 'lineage_key IS NULL', [], query);
}

/** Rows of a node without a lineage that belong to the chain which it has named since an event, by sequence. */
export function findRenamed(of: RowsOf, since: bigint, limit: number, query: Query): Promise<bigint[]> {
  return findRows(of, limit, 'lineage_key IS NULL AND from_position >= $4', [since], query);
}

/** The lineage that a node leaves for another one of its chain, whose open successes follow it; null for none. */
export function lineageLeft(
  { from, to }: RecordFact & { type: 'joined' },
  { chainOf }: EvidenceParts,
): number | null {
  return from !== null && from !== to && chainOf.get(from) === chainOf.get(to) ? from : null;
}

/** Rows of a node of unknown kind that its namespaces tell, by sequence. */
export function findKindless(
  of: RowsOf & { readonly told: readonly (number | null)[] },
  limit: number,
  query: Query,
): Promise<bigint[]> {
  const condition = `kind = ${UNKNOWN_KIND} AND namespace_key = ANY ($4::int[])`;
  return findRows(of, limit, condition, [of.told], query);
}

function findRows(
  { nodeKey, nextNumber }: RowsOf,
  limit: number,
  condition: string,
  parameters: readonly unknown[],
  query: Query,
): Promise<bigint[]> {
  return toNumbers(
    query(
      `SELECT sequence AS number FROM submission s
        WHERE node_key = $1 AND ($2::bigint IS NULL OR sequence >= $2) AND ${condition}
        ORDER BY sequence LIMIT $3`,
      [nodeKey, nextNumber ?? null, limit, ...parameters],
    ),
  );
}

/** DA heights at which a node's successes wait for blocks, or tell too little for that and lie beyond all blocks. */
export function findLeaving(
  { nodeKey, lineageKey, nextNumber }: Pick<RecordMarkEntity, 'nodeKey' | 'lineageKey' | 'nextNumber'>,
  { maxDa }: EvidenceParts,
  limit: number,
  query: Query,
): Promise<bigint[]> {
  const rows = 'FROM submission WHERE node_key = $1 AND lineage_key = $2 AND da_height >= $3 AND status = 0';
  const list = 'ORDER BY da_height LIMIT $5';
  return toNumbers(
    query(
      `SELECT number FROM (
         (SELECT DISTINCT da_height AS number ${rows} AND evidence = ${UNCONFIRMED} ${list}) UNION
         (SELECT DISTINCT da_height ${rows} AND evidence = ${OBSERVED} AND da_height > $4 ${list})) found
       ORDER BY number LIMIT $5`,
      [nodeKey, lineageKey, nextNumber, maxDa.get(lineageKey ?? 0) ?? -1n, limit],
    ),
  );
}

/** DA heights at which something waits for blocks. */
function findPending(
  { lineageKey, nextNumber, below }: Readonly<RecordMarkEntity>,
  limit: number,
  query: Query,
): Promise<bigint[]> {
  const range = 'WHERE lineage_key = $1 AND da_height >= $2 AND da_height < $3';
  const list = 'ORDER BY da_height LIMIT $4';
  return toNumbers(
    query(
      `SELECT number FROM (
         (SELECT DISTINCT da_height AS number FROM submission ${range} AND evidence = ${UNCONFIRMED} ${list}) UNION
         (SELECT da_height FROM inclusion_open ${range} AND beyond ${list})) found
       ORDER BY number LIMIT $4`,
      [lineageKey, nextNumber, below, limit],
    ),
  );
}

/** DA heights that were left undecided until the node's next success. */
function findUndecidedUntil(
  { nodeKey, lineageKey, nextNumber }: Readonly<RecordMarkEntity>,
  limit: number,
  query: Query,
): Promise<bigint[]> {
  return toNumbers(
    query(
      `SELECT da_height AS number FROM inclusion_open
        WHERE waits_for = $1 AND lineage_key = $2 AND da_height >= $3 ORDER BY da_height LIMIT $4`,
      [nodeKey, lineageKey, nextNumber, limit],
    ),
  );
}

/** DA heights at which something was reconstructed. */
function findReconstructed(
  { lineageKey, nextNumber }: Readonly<RecordMarkEntity>,
  limit: number,
  query: Query,
): Promise<bigint[]> {
  return toNumbers(
    query(
      `SELECT DISTINCT da_height AS number FROM submission
        WHERE lineage_key = $1 AND da_height >= $2 AND evidence = ${RECONSTRUCTED} AND to_position IS NULL
        ORDER BY da_height LIMIT $3`,
      [lineageKey, nextNumber, limit],
    ),
  );
}

/** DA heights that have waited until all lists were looked at. */
function findReady(
  { lineageKey, nextNumber }: Readonly<RecordMarkEntity>,
  { chainOf, views }: EvidenceParts,
  limit: number,
  query: Query,
): Promise<bigint[]> {
  const lookedThrough = toLookedThrough(views.lookedThrough(chainOf.get(lineageKey ?? 0) ?? ''));
  const through = THROUGH_COLUMNS.unnest([{ lookedThrough }], 'w', 4);
  return toNumbers(
    query(
      `SELECT o.da_height AS number FROM ${through.sql} CROSS JOIN inclusion_open o
        WHERE o.lineage_key = $1 AND o.da_height >= $2 AND o.passed AND o.changed_at < w.looked_through
        ORDER BY o.da_height LIMIT $3`,
      [lineageKey, nextNumber, limit, ...through.parameters],
    ),
  );
}

async function toNumbers(rows: Promise<{ number: bigint }[]>): Promise<bigint[]> {
  return (await rows).map(({ number }) => number);
}
