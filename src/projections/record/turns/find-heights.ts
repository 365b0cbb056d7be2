import { compareIntegers, countWhile, entryOf } from '../../../domain/collections.js';
import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';
import { NO_END, type Step } from '../decisions/step.js';

/** In a range, `what` is the index of a kind, to find its blobs and open successes, or this number, to find groups. */
const GROUPS = BLOB_KINDS.length;
/** A range from `low` (inclusive) to `high` (exclusive). */
const RANGE = columnsFor({ chain: 'text', lineageKey: 'int4', what: 'int2', low: 'int8', high: 'int8' });

/** Queries for the DA heights in ranges, separate because each can use an index and their combination cannot. */
const SOURCES = [
  { what: 'w.what = 0', table: 'block', column: 'header_da_height', condition: 'true' },
  { what: 'w.what = 1', table: 'block', column: 'data_da_height', condition: 't.tx_count > 0' },
  // Successes; OBSERVED ones too, because a walk may pass them later.
  ...[evidenceCodeOf('UNCONFIRMED'), evidenceCodeOf('OBSERVED')].map((evidence) => {
    const condition = `t.status = 0 AND t.evidence = ${evidence}`;
    return { what: `w.what < ${GROUPS}`, table: 'submission', column: 'da_height', condition };
  }),
  ...['t.node_key IS NULL AND t.to_position IS NULL', 't.status <> 0 AND t.da_height IS NOT NULL'].map(
    (condition) => ({ what: `w.what = ${GROUPS}`, table: 'submission', column: 'da_height', condition }),
  ),
];

/**
 * The DA heights at which each step decides: those that it names, those that it passes, and those of groups that it
 * re-examines.
 *
 * @param wanted `from` is the lowest DA height of ranges; for a chain with more than `most` heights only the lowest `most`
 * + 1 are found
 */
export async function findHeights(
  steps: readonly Step[],
  lineagesOf: ReadonlyMap<string, readonly number[]>,
  wanted: { readonly from: bigint; readonly most: number },
  query: Query,
): Promise<Set<bigint>[]> {
  /** DA heights of each chain at which the tables or these steps have something to decide, once they are passed. */
  const near = new Map<string, bigint[]>();
  /** DA heights of each chain that have groups, or may get some from an earlier step. */
  const before = new Map<string, Set<bigint>>();
  for (const { chain, cells } of steps) {
    for (const daHeight of cells) entryOf(near, chain, () => []).push(daHeight);
  }
  for (const { chain, what, daHeight } of await getHeights(steps, lineagesOf, wanted, query)) {
    if (what === GROUPS) entryOf(before, chain, () => new Set()).add(daHeight);
    else entryOf(near, chain, () => []).push(daHeight);
  }
  for (const list of near.values()) list.sort(compareIntegers);
  return steps.map(({ chain, cells, passed, groupsFrom, asksAll }) => {
    const mine = new Set(cells);
    if (asksAll) addWithin(mine, near.get(chain) ?? [], 0n, NO_END);
    for (const { from, below } of passed) addWithin(mine, near.get(chain) ?? [], from, below);
    const known = entryOf(before, chain, () => new Set());
    if (groupsFrom !== undefined)
      for (const daHeight of known) if (daHeight >= groupsFrom) mine.add(daHeight);
    for (const daHeight of mine) known.add(daHeight);
    return mine;
  });
}

/** Selects from these DA heights those at which a step decides. */
export async function findAmong(
  heights: ReadonlySet<bigint>,
  step: Step,
  lineagesOf: ReadonlyMap<string, readonly number[]>,
  query: Query,
): Promise<Set<bigint>> {
  const among = new Set<bigint>();
  for (const daHeight of heights) {
    const low = (from: bigint) => (from > daHeight ? from : daHeight);
    const part = {
      ...step,
      cells: new Set(step.cells.has(daHeight) ? [daHeight] : []),
      passed: step.passed.map((range) => ({ ...range, from: low(range.from) })),
      groupsFrom: step.groupsFrom === undefined ? undefined : low(step.groupsFrom),
    };
    const [found] = await findHeights([part], lineagesOf, { from: daHeight, most: 1 }, query);
    if (found?.has(daHeight)) among.add(daHeight);
  }
  return among;
}

/** Reads the DA heights in the ranges of steps. Ranges of one lineage and kind are merged, including what lies between them. */
async function getHeights(
  steps: readonly Step[],
  lineagesOf: ReadonlyMap<string, readonly number[]>,
  { from, most }: { readonly from: bigint; readonly most: number },
  query: Query,
): Promise<{ chain: string; what: number; daHeight: bigint }[]> {
  const ranges = steps.flatMap(({ chain, passed, groupsFrom: low, asksAll }) => {
    const lineages = lineagesOf.get(chain) ?? [];
    const whole = { from: 0n, below: NO_END };
    const asked = lineages.flatMap((lineageKey) =>
      BLOB_KINDS.map((kind) => ({ lineageKey, kind, ...whole })),
    );
    const ofKinds = [...passed, ...(asksAll ? asked : [])].map(
      ({ lineageKey, kind, from: lowest, below }) => {
        return { chain, lineageKey, what: BLOB_KINDS.indexOf(kind), low: lowest, high: below };
      },
    );
    if (low === undefined) return ofKinds;
    return [
      ...ofKinds,
      ...lineages.map((lineageKey) => ({ chain, lineageKey, what: GROUPS, low, high: NO_END })),
    ];
  });
  if (ranges.length === 0) return [];
  const list = RANGE.unnest(ranges, 'r');
  const sources = SOURCES.map(
    ({ what, table, column, condition }) =>
      `(SELECT DISTINCT t.${column} AS da_height FROM ${table} t
         WHERE ${what} AND t.lineage_key = w.lineage_key AND t.${column} >= w.low AND t.${column} < w.high AND ${condition}
         ORDER BY 1 LIMIT ${most + 1})`,
  );
  return query(
    `SELECT DISTINCT w.chain, w.what, f.da_height AS "daHeight"
       FROM (SELECT chain, lineage_key, what, greatest(min(low), ${from}) AS low, max(high) AS high FROM ${list.sql} GROUP BY 1, 2, 3) w
      CROSS JOIN LATERAL (${sources.join(' UNION ALL ')}) f`,
    list.parameters,
  );
}

/** Adds the elements of a sorted list that lie in a range. */
function addWithin(to: Set<bigint>, sorted: readonly bigint[], low: bigint, high: bigint): void {
  for (let at = countWhile(sorted, (each) => each < low); (sorted[at] ?? high) < high; at++)
    to.add(sorted[at] ?? 0n);
}
