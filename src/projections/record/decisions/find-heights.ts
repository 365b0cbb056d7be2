import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';
import type { Cells } from './cells.js';
import type { Passed } from './frontiers.js';
import type { SettledCells } from './settled-cells.js';
import type { Step } from './steps.js';

/** Of successes; OBSERVED where no walk had passed them, and one may do so later. Each has an index, which both together have not. */
const OPEN = [evidenceCodeOf('UNCONFIRMED'), evidenceCodeOf('OBSERVED')];
const RANGE = columnsFor({ lineageKey: 'int4', low: 'int8', high: 'int8' });

interface Found {
  readonly lineageKey: number;
  readonly daHeight: bigint;
}

/** Which of the DA heights are wanted. */
interface Wanted {
  /** The first DA height. */
  readonly from: bigint;
  /** DA heights of a chain at most. */
  readonly most: number;
}

/**
 * The DA heights at which each step decides: those that it names, those that it passes, and those of groups that it asks again.
 *
 * @returns for each step; and chains that have more of them, of which the lowest are given
 */
export async function findHeights(
  steps: readonly Step[],
  parts: {
    readonly chainOf: ReadonlyMap<number, string>;
    readonly lineagesOf: ReadonlyMap<string, readonly number[]>;
    readonly cells: Cells;
    readonly settled: SettledCells;
  },
  wanted: Wanted,
  query: Query,
): Promise<{ readonly heights: readonly ReadonlySet<bigint>[]; readonly tooMany: ReadonlySet<string> }> {
  const heights = steps.map(({ cells: named }) => new Set(named));
  const shown = await getPassed(
    steps.flatMap(({ passed }) => passed),
    wanted,
    query,
  );
  const groups = await getGroups(steps, parts.lineagesOf, wanted, query);
  // Whatever the turn holds may have blobs that are not in the tables.
  const held = new Map<string, bigint[]>();
  for (const { chain, daHeight } of parts.cells.all()) {
    const known = held.get(chain);
    if (known) known.push(daHeight);
    else held.set(chain, [daHeight]);
  }
  const named = new Set(
    steps.flatMap(({ chain, cells }) => [...cells].map((daHeight) => `${daHeight} ${chain}`)),
  );
  const mayChange = (chain: string, daHeight: bigint) =>
    !parts.settled.has(chain, daHeight) || named.has(`${daHeight} ${chain}`);
  for (const [n, step] of steps.entries()) {
    const mine = heights[n] ?? new Set();
    for (const { from, below, lineageKey, kind } of step.passed) {
      for (const all of [shown.get(`${lineageKey}/${kind}`), held.get(step.chain)]) {
        for (const daHeight of all ?? []) {
          if (from <= daHeight && daHeight < below && mayChange(step.chain, daHeight)) mine.add(daHeight);
        }
      }
    }
  }
  for (const [n, { chain, groupsFrom }] of steps.entries()) {
    if (groupsFrom === undefined) continue;
    // An earlier step may leave a group.
    const own = steps.flatMap((step, index) =>
      step.chain === chain && index < n ? [...(heights[index] ?? [])] : [],
    );
    const stored = groups.filter(({ lineageKey }) => parts.chainOf.get(lineageKey) === chain);
    for (const daHeight of [...own, ...stored.map((group) => group.daHeight)]) {
      if (daHeight >= groupsFrom) heights[n]?.add(daHeight);
    }
  }
  return cut(steps, heights, wanted);
}

function cut(steps: readonly Step[], heights: readonly Set<bigint>[], { from, most }: Wanted) {
  const ofChains = new Map<string, Set<bigint>>();
  for (const [n, { chain }] of steps.entries()) {
    const all = ofChains.get(chain) ?? new Set();
    for (const daHeight of heights[n] ?? []) {
      if (daHeight < from) heights[n]?.delete(daHeight);
      else all.add(daHeight);
    }
    ofChains.set(chain, all);
  }
  const tooMany = new Set<string>();
  for (const [chain, all] of ofChains) {
    if (all.size <= most) continue;
    tooMany.add(chain);
    const last = [...all].sort((a, b) => (a < b ? -1 : 1))[most - 1] ?? 0n;
    steps.forEach((step, n) => {
      if (step.chain !== chain) return;
      for (const daHeight of heights[n] ?? []) if (daHeight > last) heights[n]?.delete(daHeight);
    });
  }
  return { heights, tooMany };
}

/** By history and kind. */
async function getPassed(
  passed: readonly Passed[],
  { from, most }: Wanted,
  query: Query,
): Promise<Map<string, bigint[]>> {
  const found = new Map<string, bigint[]>();
  for (const kind of ['HEADER', 'DATA'] as const) {
    const ranges = joined(
      passed.filter((each) => each.kind === kind),
      from,
    );
    if (ranges.length === 0) continue;
    const list = RANGE.unnest(ranges, 'w');
    const rows = await query<Found>(
      `SELECT DISTINCT w.lineage_key AS "lineageKey", f.da_height AS "daHeight" FROM ${list.sql}
        CROSS JOIN LATERAL (
          (SELECT DISTINCT da_height FROM (${blobHeights(kind)}) b ORDER BY da_height LIMIT ${most + 1})
          ${OPEN.map((evidence) => `UNION ALL ${openHeights(evidence, most)}`).join('\n')}) f`,
      list.parameters,
    );
    for (const { lineageKey, daHeight } of rows) {
      const name = `${lineageKey}/${kind}`;
      const known = found.get(name);
      if (known) known.push(daHeight);
      else found.set(name, [daHeight]);
    }
  }
  return found;
}

function openHeights(evidence: number, most: number): string {
  return `(SELECT DISTINCT s.da_height FROM submission s
            WHERE s.lineage_key = w.lineage_key AND s.da_height >= w.low AND s.da_height < w.high AND s.status = 0
              AND s.evidence = ${evidence}
            ORDER BY s.da_height LIMIT ${most + 1})`;
}

function blobHeights(kind: BlobKind): string {
  const column = kind === 'HEADER' ? 'header_da_height' : 'data_da_height';
  const condition = kind === 'HEADER' ? '' : ' AND b.tx_count > 0';
  return `SELECT b.${column} AS da_height FROM block b
           WHERE b.lineage_key = w.lineage_key AND b.${column} >= w.low AND b.${column} < w.high${condition}`;
}

async function getGroups(
  steps: readonly Step[],
  lineagesOf: ReadonlyMap<string, readonly number[]>,
  { from, most }: Wanted,
  query: Query,
): Promise<Found[]> {
  const lows = new Map<string, bigint>();
  for (const { chain, groupsFrom } of steps) {
    if (groupsFrom === undefined) continue;
    const known = lows.get(chain);
    if (known === undefined || groupsFrom < known) lows.set(chain, groupsFrom);
  }
  const ranges = [...lows].flatMap(([chain, low]) =>
    (lineagesOf.get(chain) ?? []).map((lineageKey) => ({
      lineageKey,
      low: low < from ? from : low,
      high: null,
    })),
  );
  if (ranges.length === 0) return [];
  const list = RANGE.unnest(ranges, 'w');
  return query<Found>(
    `SELECT w.lineage_key AS "lineageKey", f.da_height AS "daHeight" FROM ${list.sql}
      CROSS JOIN LATERAL (
        (SELECT DISTINCT s.da_height FROM submission s
          WHERE s.lineage_key = w.lineage_key AND s.da_height >= w.low AND s.node_key IS NULL AND s.to_position IS NULL
          ORDER BY s.da_height LIMIT ${most + 1})
        UNION ALL
        (SELECT DISTINCT s.da_height FROM submission s
          WHERE s.lineage_key = w.lineage_key AND s.da_height >= w.low AND s.status <> 0 AND s.da_height IS NOT NULL
          ORDER BY s.da_height LIMIT ${most + 1})) f`,
    list.parameters,
  );
}

/** One range for each history: what lies between is looked at as well. */
function joined(
  passed: readonly Passed[],
  first: bigint,
): { lineageKey: number; low: bigint; high: bigint }[] {
  const ranges = new Map<number, { lineageKey: number; low: bigint; high: bigint }>();
  for (const { lineageKey, from, below } of passed) {
    const known = ranges.get(lineageKey);
    const lowest = from < first ? first : from;
    const low = known && known.low < lowest ? known.low : lowest;
    const high = known && known.high > below ? known.high : below;
    ranges.set(lineageKey, { lineageKey, low, high });
  }
  return [...ranges.values()];
}
