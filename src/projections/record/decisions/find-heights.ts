import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';
import type { Cells } from './cells.js';
import type { Passed } from './frontiers.js';
import type { Step } from './steps.js';

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const RANGE = columnsFor({ lineageKey: 'int4', low: 'int8', high: 'int8' });

interface Found {
  readonly lineageKey: number;
  readonly daHeight: bigint;
}

/** The DA heights at which each step decides: those that it names, those that it passes, and those of groups that it asks again. */
export async function findHeights(
  steps: readonly Step[],
  { chainOf, lineagesOf, cells }: {
    readonly chainOf: ReadonlyMap<number, string>;
    readonly lineagesOf: ReadonlyMap<string, readonly number[]>;
    readonly cells: Cells;
  },
  query: Query,
): Promise<Set<bigint>[]> {
  const heights = steps.map(({ cells: named }) => new Set(named));
  const shown = await getPassed(steps.flatMap(({ passed }) => passed), query);
  const groups = await getGroups(steps, lineagesOf, query);
  // Whatever the turn holds may have blobs, or come to have a group, that are not in the tables.
  const held = new Map<string, bigint[]>();
  for (const { chain, daHeight } of cells.all()) held.set(chain, [...(held.get(chain) ?? []), daHeight]);
  for (const [n, step] of steps.entries()) {
    const mine = heights[n] ?? new Set();
    for (const { from, below, lineageKey, kind } of step.passed) {
      const all = [...(shown.get(`${lineageKey}/${kind}`) ?? []), ...(held.get(step.chain) ?? [])];
      for (const daHeight of all) if (from <= daHeight && daHeight < below) mine.add(daHeight);
    }
  }
  for (const [n, { chain, groupsFrom }] of steps.entries()) {
    if (groupsFrom === undefined) continue;
    // An earlier step may leave a group.
    const own = steps.flatMap((step, index) => (step.chain === chain && index < n ? [...(heights[index] ?? [])] : []));
    const stored = groups.filter(({ lineageKey }) => chainOf.get(lineageKey) === chain);
    for (const daHeight of [...own, ...stored.map((group) => group.daHeight)]) {
      if (daHeight >= groupsFrom) heights[n]?.add(daHeight);
    }
  }
  return heights;
}

/** By history and kind. */
async function getPassed(passed: readonly Passed[], query: Query): Promise<Map<string, bigint[]>> {
  const found = new Map<string, bigint[]>();
  for (const kind of ['HEADER', 'DATA'] as const) {
    const ranges = joined(passed.filter((each) => each.kind === kind));
    if (ranges.length === 0) continue;
    const list = RANGE.unnest(ranges, 'w');
    const rows = await query<Found>(
      `SELECT DISTINCT w.lineage_key AS "lineageKey", f.da_height AS "daHeight" FROM ${list.sql}
        CROSS JOIN LATERAL (${blobHeights(kind)}
          UNION ALL
          SELECT da_height FROM submission s
           WHERE s.lineage_key = w.lineage_key AND s.da_height >= w.low AND s.da_height < w.high AND s.evidence = ${UNCONFIRMED}) f`,
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

function blobHeights(kind: BlobKind): string {
  const column = kind === 'HEADER' ? 'header_da_height' : 'data_da_height';
  const condition = kind === 'HEADER' ? '' : ' AND b.tx_count > 0';
  return `SELECT b.${column} AS da_height FROM block b
           WHERE b.lineage_key = w.lineage_key AND b.${column} >= w.low AND b.${column} < w.high${condition}`;
}

async function getGroups(
  steps: readonly Step[],
  lineagesOf: ReadonlyMap<string, readonly number[]>,
  query: Query,
): Promise<Found[]> {
  const lows = new Map<string, bigint>();
  for (const { chain, groupsFrom } of steps) {
    if (groupsFrom === undefined) continue;
    const known = lows.get(chain);
    if (known === undefined || groupsFrom < known) lows.set(chain, groupsFrom);
  }
  const ranges = [...lows].flatMap(([chain, low]) =>
    (lineagesOf.get(chain) ?? []).map((lineageKey) => ({ lineageKey, low, high: null })),
  );
  if (ranges.length === 0) return [];
  const list = RANGE.unnest(ranges, 'w');
  return query<Found>(
    `SELECT w.lineage_key AS "lineageKey", s.da_height AS "daHeight"
       FROM ${list.sql} JOIN submission s ON s.lineage_key = w.lineage_key AND s.da_height >= w.low
      WHERE s.node_key IS NULL AND s.to_position IS NULL
      UNION ALL
     SELECT w.lineage_key, s.da_height
       FROM ${list.sql} JOIN submission s ON s.lineage_key = w.lineage_key AND s.da_height >= w.low
      WHERE s.status <> 0 AND s.da_height IS NOT NULL`,
    list.parameters,
  );
}

/** One range for each history: what lies between is looked at as well. */
function joined(passed: readonly Passed[]): { lineageKey: number; low: bigint; high: bigint }[] {
  const ranges = new Map<number, { lineageKey: number; low: bigint; high: bigint }>();
  for (const { lineageKey, from, below } of passed) {
    const known = ranges.get(lineageKey);
    const low = known && known.low < from ? known.low : from;
    const high = known && known.high > below ? known.high : below;
    ranges.set(lineageKey, { lineageKey, low, high });
  }
  return [...ranges.values()];
}
