import { compareIntegers, entryOf } from '../../../domain/collections.js';
import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';
import type { Cells } from '../decisions/cell.js';
import type { Step } from '../decisions/step.js';

const RANGE = columnsFor({ lineageKey: 'int4', what: 'int2', low: 'int8', high: 'int8' });

/** DA heights of a history, from `low` up to `high`, which does not belong to them. */
interface Range {
  readonly lineageKey: number;
  /** The index of a kind: those with its blobs, or with open successes. {@link GROUPS}: those of groups. */
  readonly what: number;
  readonly low: bigint;
  readonly high: bigint;
}

const GROUPS = BLOB_KINDS.length;
const NO_END = 2n ** 63n - 1n;

/** Of ranges SQL tells these DA heights. Each has an index, which all together have not. */
const SOURCES = [
  { what: 'w.what = 0', table: 'block', column: 'header_da_height', condition: 'true' },
  { what: 'w.what = 1', table: 'block', column: 'data_da_height', condition: 't.tx_count > 0' },
  // Of successes; OBSERVED where no walk had passed them, and one may do so later.
  ...[evidenceCodeOf('UNCONFIRMED'), evidenceCodeOf('OBSERVED')].map((evidence) => {
    const condition = `t.status = 0 AND t.evidence = ${evidence}`;
    return { what: `w.what < ${GROUPS}`, table: 'submission', column: 'da_height', condition };
  }),
  ...['t.node_key IS NULL AND t.to_position IS NULL', 't.status <> 0 AND t.da_height IS NOT NULL'].map(
    (condition) => ({ what: `w.what = ${GROUPS}`, table: 'submission', column: 'da_height', condition }),
  ),
];

/**
 * The DA heights at which each step decides: those that it names, those that it passes, and those of groups that it asks again.
 *
 * @param wanted those of ranges begin with `from`; where a range has more than `most` of them only its lowest are found, one more
 */
export async function findHeights(
  steps: readonly Step[],
  {
    lineagesOf,
    cells,
  }: { readonly lineagesOf: ReadonlyMap<string, readonly number[]>; readonly cells: Cells },
  wanted: { readonly from: bigint; readonly most: number },
  query: Query,
): Promise<Set<bigint>[]> {
  const ranges = steps.map((step) => rangesOf(step, lineagesOf));
  const stored = await getHeights(ranges.flat(), wanted, query);
  // Whatever the turn holds may have blobs that are not in the tables.
  const held = new Map<string, bigint[]>();
  for (const { chain, daHeight } of cells.all()) entryOf(held, chain, () => []).push(daHeight);
  for (const lists of [stored, held]) for (const list of lists.values()) list.sort(compareIntegers);
  const found = new Map<string, Set<bigint>>();
  return steps.map(({ chain, cells: named, groupsFrom }, n) => {
    const mine = new Set(named);
    for (const range of ranges[n] ?? []) {
      addWithin(mine, stored.get(nameOf(range)), range);
      if (range.what !== GROUPS) addWithin(mine, held.get(chain), range);
    }
    const before = entryOf(found, chain, () => new Set());
    // An earlier step may leave a group.
    if (groupsFrom !== undefined) {
      for (const daHeight of before) if (daHeight >= groupsFrom) mine.add(daHeight);
    }
    for (const daHeight of mine) before.add(daHeight);
    return mine;
  });
}

function rangesOf(
  { chain, passed, groupsFrom }: Step,
  lineagesOf: ReadonlyMap<string, readonly number[]>,
): Range[] {
  const ranges = passed.map(({ lineageKey, kind, from, below }): Range => {
    return { lineageKey, what: BLOB_KINDS.indexOf(kind), low: from, high: below };
  });
  if (groupsFrom === undefined) return ranges;
  const groups = (lineagesOf.get(chain) ?? []).map((lineageKey): Range => {
    return { lineageKey, what: GROUPS, low: groupsFrom, high: NO_END };
  });
  return [...ranges, ...groups];
}

/** By history and what is looked for. */
async function getHeights(
  ranges: readonly Range[],
  { from, most }: { readonly from: bigint; readonly most: number },
  query: Query,
): Promise<Map<string, bigint[]>> {
  const found = new Map<string, bigint[]>();
  if (ranges.length === 0) return found;
  const list = RANGE.unnest(joined(ranges, from), 'w');
  const sources = SOURCES.map(
    ({ what, table, column, condition }) =>
      `(SELECT DISTINCT t.${column} AS da_height FROM ${table} t
         WHERE ${what} AND t.lineage_key = w.lineage_key AND t.${column} >= w.low AND t.${column} < w.high AND ${condition}
         ORDER BY 1 LIMIT ${most + 1})`,
  );
  const rows = await query<Range & { daHeight: bigint }>(
    `SELECT DISTINCT w.lineage_key AS "lineageKey", w.what, f.da_height AS "daHeight"
       FROM ${list.sql} CROSS JOIN LATERAL (${sources.join(' UNION ALL ')}) f`,
    list.parameters,
  );
  for (const row of rows) entryOf(found, nameOf(row), () => []).push(row.daHeight);
  return found;
}

/** One range for each history and what is looked for there: what lies between is looked at as well. */
function joined(ranges: readonly Range[], from: bigint): Range[] {
  const all = new Map<string, Range>();
  for (const range of ranges) {
    const known = all.get(nameOf(range)) ?? range;
    const low = known.low < range.low ? known.low : range.low;
    const high = known.high > range.high ? known.high : range.high;
    all.set(nameOf(range), { ...range, low: low < from ? from : low, high });
  }
  return [...all.values()];
}

/** Adds those of a sorted list that lie in a range. */
function addWithin(to: Set<bigint>, sorted: readonly bigint[] = [], { low, high }: Range): void {
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = (start + end) >> 1;
    if ((sorted[middle] ?? 0n) < low) start = middle + 1;
    else end = middle;
  }
  for (let at = start; (sorted[at] ?? high) < high; at++) to.add(sorted[at] ?? 0n);
}

function nameOf({ lineageKey, what }: Pick<Range, 'lineageKey' | 'what'>): string {
  return `${lineageKey}/${what}`;
}
