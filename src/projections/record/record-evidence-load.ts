import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import type { Micros } from '../../domain/time.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import { chainOfUnplaced } from '../chain-of-row.js';
import type { Query } from '../projection.js';
import { SELECT_ATTEMPT, type Attempt } from './record-attempt.js';
import { CellTable, type CellKey } from './record-cell-table.js';
import { toLookedThrough } from './record-chains.js';
import type { EvidenceParts } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';
import { findLate } from './record-late.js';
import { findLastSuccess } from './record-losses.js';
import { findLandedTwins } from './record-twins.js';
import { getRenamed } from './record-unplaced.js';
import { findKindless, findLeaving, findLineageless, findRenamed, lineageLeft } from './record-page-find.js';

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');
const UNKNOWN_KIND = kindCodeOf('UNKNOWN');

interface Bound {
  readonly lineageKey: number;
  readonly lowest: bigint;
  readonly below: bigint;
  readonly lookedThrough: Micros;
}

/** What events touch beyond what they name is too much for one transaction. */
export class TooMuchAtOnce extends Error {
  override readonly name = 'TooMuchAtOnce';
}

const BOUND_COLUMNS = columnsFor({
  lineageKey: 'int4',
  lowest: 'int8',
  below: 'int8',
  lookedThrough: 'timestamptz',
});
/** What a SELECT of rows of `submission` lists so that they are keys of cells. */
const SELECT_KEY = 'lineage_key AS "lineageKey", da_height AS "daHeight"';

/**
 * Loads every cell that these facts can change, as it stands before them.
 *
 * @param most cells, or rows, beyond those that the facts name
 * @throws TooMuchAtOnce when there are more
 */
export async function loadCells(
  facts: readonly RecordFact[],
  parts: EvidenceParts,
  most: number,
  query: Query,
): Promise<CellTable> {
  const highest = highestShown(facts, parts.maxDa);
  const touched = new TouchedKeys(most);
  touched.add(await getOpen(facts, parts, highest, touched.limit, query));
  await addMoving(facts, parts, touched, query);
  await addReconstructed(facts, parts, touched, query);
  const chains = (nodeKey: number) => chainsOf(nodeKey, facts, parts);
  touched.add(await findLate(facts, parts, chains, touched.limit, query));
  touched.add(await findUndecided(facts, touched.limit, query));
  const named = await getNamed(facts, parts, highest, query);
  return loadWithSiblings([...named, ...touched.keys], parts, query);
}

/** Loads the cells that the facts of one event name; with them successes that move with their node, as far as they are there. */
export async function loadNamedCells(
  facts: readonly RecordFact[],
  parts: EvidenceParts,
  query: Query,
): Promise<CellTable> {
  const named = await getNamed(facts, parts, highestShown(facts, parts.maxDa), query);
  return loadWithSiblings(named, parts, query);
}

/** Loads cells, each with those of its chain's other histories: a row of one of them may be of another. */
export async function loadWithSiblings(
  keys: readonly CellKey[],
  { chainOf, lineagesOf, maxDa }: EvidenceParts,
  query: Query,
  cells = new CellTable(),
): Promise<CellTable> {
  const all = keys.flatMap(({ lineageKey, daHeight }) =>
    (lineagesOf.get(chainOf.get(lineageKey) ?? '') ?? []).map((key) => ({ lineageKey: key, daHeight })),
  );
  await cells.load(all, maxDa, query);
  return cells;
}

/** Collects keys, as long as they come of so many rows at most. */
class TouchedKeys {
  readonly keys: CellKey[] = [];
  private rows = 0;

  constructor(private readonly most: number) {}

  /** How many rows a statement need not return more of, to tell that there are too many. */
  get limit(): number {
    return this.most - this.rows + 1;
  }

  /** @throws TooMuchAtOnce */
  add(keys: readonly CellKey[]): void {
    this.count(keys.length);
    for (const key of keys) this.keys.push(key);
  }

  /** @throws TooMuchAtOnce when these are more rows than may come */
  count(rows: number): void {
    this.rows += rows;
    if (this.rows > this.most) throw new TooMuchAtOnce();
  }
}

async function getNamed(
  facts: readonly RecordFact[],
  parts: EvidenceParts,
  highest: ReadonlyMap<number, bigint>,
  query: Query,
): Promise<CellKey[]> {
  const keys = await findLandedTwins(facts, query);
  for (const fact of facts) {
    if (fact.type === 'blocks') addPointedTo(fact, keys);
    if (fact.type === 'rows') addShown(fact, parts, highest, keys);
  }
  return keys;
}

/** The highest DA height that the walks of these facts can reach, by lineage. */
function highestShown(facts: readonly RecordFact[], maxDa: ReadonlyMap<number, bigint>): Map<number, bigint> {
  const highest = new Map<number, bigint>();
  const note = (lineageKey: number, daHeight: bigint | null) => {
    if (daHeight !== null && daHeight > (highest.get(lineageKey) ?? -1n)) highest.set(lineageKey, daHeight);
  };
  for (const fact of facts) {
    if (fact.type !== 'blocks' && fact.type !== 'gap') continue;
    note(fact.lineageKey, maxDa.get(fact.lineageKey) ?? null);
    for (const block of fact.type === 'blocks' ? fact.blocks : []) {
      note(fact.lineageKey, block.headerDaHeight);
      note(fact.lineageKey, block.dataDaHeight);
    }
  }
  return highest;
}

function addPointedTo(fact: RecordFact & { type: 'blocks' }, keys: CellKey[]): void {
  const daHeights = new Set<bigint>();
  for (const { headerDaHeight, dataDaHeight } of fact.blocks) {
    if (headerDaHeight !== null) daHeights.add(headerDaHeight);
    if (dataDaHeight !== null) daHeights.add(dataDaHeight);
  }
  for (const daHeight of daHeights) keys.push({ lineageKey: fact.lineageKey, daHeight });
}

/** Rows beyond what any block of their chain points to have nothing to be compared with. */
function addShown(
  fact: RecordFact & { type: 'rows' },
  { maxDa, chainOf, lineagesOf }: EvidenceParts,
  highest: ReadonlyMap<number, bigint>,
  keys: CellKey[],
): void {
  for (const { status, daHeight, lineageKey, namedChain } of fact.rows) {
    if (status !== 0 || daHeight === null) continue;
    const chain = lineageKey === null ? namedChain : chainOf.get(lineageKey);
    const isReached = (key: number) => daHeight <= (highest.get(key) ?? maxDa.get(key) ?? -1n);
    const [first, ...others] = lineagesOf.get(chain ?? '') ?? [];
    if (first !== undefined && [first, ...others].some(isReached)) keys.push({ lineageKey: first, daHeight });
  }
}

/** What waits for more blocks where the walks of these facts may go, or for looks that they bring. */
async function getOpen(
  facts: readonly RecordFact[],
  { views, walks, chainOf, lineagesOf, decidedThrough }: EvidenceParts,
  highest: ReadonlyMap<number, bigint>,
  limit: number,
  query: Query,
): Promise<CellKey[]> {
  const bounds = new Map<number, Bound>();
  for (const [lineageKey, lowest] of walks.forecast(facts)) {
    const below = highest.get(lineageKey) ?? -1n;
    bounds.set(lineageKey, { lineageKey, lowest, below, lookedThrough: 0n });
  }
  for (const [chainId, through] of views.forecast(facts, chainOf)) {
    if (through <= 0n) continue;
    for (const lineageKey of lineagesOf.get(chainId) ?? []) {
      if (decidedThrough.get(lineageKey) === through) continue;
      const { lowest = 0n, below = -1n } = bounds.get(lineageKey) ?? {};
      bounds.set(lineageKey, { lineageKey, lowest, below, lookedThrough: toLookedThrough(through) });
    }
  }
  if (bounds.size === 0) return [];
  const wanted = BOUND_COLUMNS.unnest([...bounds.values()], 'w');
  // Counted with what comes twice: each part is cut by itself, and none may be so unseen.
  return query<CellKey>(
    `WITH w AS (SELECT * FROM ${wanted.sql})
     (SELECT s.lineage_key AS "lineageKey", s.da_height AS "daHeight" FROM w
        JOIN submission s ON s.lineage_key = w.lineage_key AND s.da_height >= w.lowest AND s.da_height < w.below
       WHERE s.evidence = ${UNCONFIRMED} LIMIT ${limit})
     UNION ALL
     (SELECT o.lineage_key, o.da_height FROM w JOIN inclusion_open o USING (lineage_key)
       WHERE o.beyond AND o.da_height >= w.lowest AND o.da_height < w.below LIMIT ${limit})
     UNION ALL
     (SELECT o.lineage_key, o.da_height FROM w JOIN inclusion_open o USING (lineage_key)
       WHERE o.passed AND o.changed_at < w.looked_through LIMIT ${limit})`,
    wanted.parameters,
  );
}

/** Rows that change their kind or lineage. */
async function addMoving(
  facts: readonly RecordFact[],
  parts: EvidenceParts,
  touched: TouchedKeys,
  query: Query,
): Promise<void> {
  const joined = new Map<number, Set<bigint>>();
  for (const fact of facts) {
    if (fact.type === 'chain') {
      if (!fact.renamed) continue;
      touched.count((await findRenamed(fact, fact.renamed.since, touched.limit, query)).length);
      const rows = await getRenamed(fact.nodeKey, fact.renamed, query);
      const heights = [...rows.map(({ daHeight }) => daHeight), ...shownBy(fact.nodeKey, facts)];
      for (const chain of [fact.renamed.before, fact.chainId]) {
        const [lineageKey] = parts.lineagesOf.get(chain ?? '') ?? [];
        if (lineageKey === undefined) continue;
        for (const daHeight of heights) touched.keys.push({ lineageKey, daHeight });
      }
    } else if (fact.type === 'described') {
      const told = [fact.headerNamespace, fact.dataNamespace];
      touched.count((await findKindless({ ...fact, told }, touched.limit, query)).length);
      const rows = await query<CellKey>(
        `SELECT ${SELECT_KEY} FROM submission
          WHERE node_key = $1 AND kind = ${UNKNOWN_KIND} AND da_height IS NOT NULL
            AND (status = 0 OR evidence = ${CONFIRMED}) AND lineage_key IS NOT NULL AND namespace_key = ANY ($2::int[])`,
        [fact.nodeKey, told],
      );
      for (const key of rows) touched.keys.push(key);
    } else if (fact.type === 'joined') {
      touched.count((await findLineageless(fact, touched.limit, query)).length);
      const rows = await query<{ daHeight: bigint }>(
        `SELECT da_height AS "daHeight" FROM submission
          WHERE node_key = $1 AND lineage_key IS NULL AND status = 0 AND da_height IS NOT NULL`,
        [fact.nodeKey],
      );
      const from = lineageLeft(fact, parts);
      const leaving = { nodeKey: fact.nodeKey, lineageKey: from, nextNumber: 0n };
      const left = from === null ? [] : await findLeaving(leaving, parts, touched.limit, query);
      touched.count(left.length);
      // What one joining moves, the next one of the node may move again.
      const heights = joined.get(fact.nodeKey) ?? shownBy(fact.nodeKey, facts);
      joined.set(fact.nodeKey, heights);
      for (const daHeight of [...rows.map(({ daHeight }) => daHeight), ...left]) heights.add(daHeight);
      for (const daHeight of heights) touched.keys.push({ lineageKey: fact.to, daHeight });
    }
  }
}

/** What was reconstructed behind the beginning or the end of a hole of these facts. */
async function addReconstructed(
  facts: readonly RecordFact[],
  parts: EvidenceParts,
  touched: TouchedKeys,
  query: Query,
): Promise<void> {
  for (const nodeKey of new Set(facts.map((fact) => fact.nodeKey))) {
    const shown = shownBy(nodeKey, facts);
    const open = parts.openLosses.get(nodeKey) ?? 0;
    const stated = facts.flatMap((fact) =>
      fact.type === 'loss' && fact.nodeKey === nodeKey ? [fact.loss.after] : [],
    );
    const isMoved = shown.size > 0 ? open + stated.length > 0 : open < 2 && stated.length > 0;
    if (!isMoved) continue;
    const before = stated.length > 0 && !stated.includes(0) ? await findLastSuccess(nodeKey, query) : null;
    let lowest = stated.length > 0 ? (before?.daHeight ?? 0n) : undefined;
    for (const daHeight of shown) if (lowest === undefined || daHeight < lowest) lowest = daHeight;
    const lineages = chainsOf(nodeKey, facts, parts).flatMap((id) => parts.lineagesOf.get(id) ?? []);
    const rows = await query<CellKey>(
      `SELECT ${SELECT_KEY} FROM submission
        WHERE evidence = ${RECONSTRUCTED} AND to_position IS NULL AND lineage_key = ANY ($1::int[]) AND da_height >= $2
        LIMIT ${touched.limit}`,
      [lineages, lowest],
    );
    touched.add(rows);
  }
}

/** What was left undecided until the next success of nodes that show one. */
async function findUndecided(facts: readonly RecordFact[], limit: number, query: Query): Promise<CellKey[]> {
  const nodes = new Set(facts.map(({ nodeKey }) => nodeKey));
  const asked = [...nodes].filter((nodeKey) => shownBy(nodeKey, facts).size > 0);
  if (asked.length === 0) return [];
  return query<CellKey>(
    `SELECT ${SELECT_KEY} FROM inclusion_open WHERE waits_for = ANY ($1::int[]) LIMIT ${limit}`,
    [asked],
  );
}

/** DA heights of the successes that these facts record of a node. */
function shownBy(nodeKey: number, facts: readonly RecordFact[]): Set<bigint> {
  const heights = new Set<bigint>();
  for (const fact of facts) {
    if (fact.type !== 'rows' || fact.nodeKey !== nodeKey) continue;
    for (const { status, daHeight } of fact.rows) {
      if (status === 0 && daHeight !== null) heights.add(daHeight);
    }
  }
  return heights;
}

/** The chains that a node belongs to before and within these facts. */
function chainsOf(nodeKey: number, facts: readonly RecordFact[], { views }: EvidenceParts): string[] {
  const chains = facts.map((fact) =>
    fact.type === 'chain' && fact.nodeKey === nodeKey ? fact.chainId : null,
  );
  return [...new Set([views.get(nodeKey).chainId, ...chains])].filter((chainId) => chainId !== null);
}

/**
 * Successes whose lineage is not known yet, of nodes that join one in these facts, with the chain that their node named.
 *
 * @param cells only what may stand in one of these; all when left out
 */
export async function loadOrphans(
  facts: readonly RecordFact[],
  query: Query,
  cells?: CellTable,
): Promise<Map<number, Attempt[]>> {
  const daHeights = cells && [...new Set([...cells.all()].map(({ daHeight }) => daHeight))];
  const orphans = new Map<number, Attempt[]>();
  for (const fact of facts) {
    if (fact.type !== 'joined' || orphans.has(fact.nodeKey)) continue;
    const rows = await query<Attempt>(
      `SELECT ${SELECT_ATTEMPT}, ${chainOfUnplaced('s')} AS "namedChain" FROM submission s
        WHERE s.node_key = $1 AND s.lineage_key IS NULL AND s.status = 0 AND s.da_height IS NOT NULL
          AND ($2::bigint[] IS NULL OR s.da_height = ANY ($2))
        ORDER BY s.sequence`,
      [fact.nodeKey, daHeights ?? null],
    );
    orphans.set(fact.nodeKey, rows);
  }
  return orphans;
}
