import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import type { Micros } from '../../domain/time.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import { chainOfUnplaced } from '../chain-of-row.js';
import type { Query } from '../projection.js';
import { SELECT_ATTEMPT, type Attempt } from './record-attempt.js';
import { CellTable, type CellKey } from './record-cell-table.js';
import type { EvidenceParts } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';

const OBSERVED = evidenceCodeOf('OBSERVED');
const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');
const UNKNOWN_KIND = kindCodeOf('UNKNOWN');

interface Bound {
  readonly lineageKey: number;
  readonly below: bigint;
  readonly lookedThrough: Micros;
}

const BOUND_COLUMNS = columnsFor({ lineageKey: 'int4', below: 'int8', lookedThrough: 'timestamptz' });
/** A time that any `timestamptz` can be compared with. */
const LATEST_US: Micros = 4_102_444_800_000_000n;
/** What a SELECT of rows of `submission` lists so that they are keys of cells. */
const SELECT_KEY = 'lineage_key AS "lineageKey", da_height AS "daHeight"';

/** Loads every cell that these facts can change, as it stands before them. */
export async function loadCells(
  facts: readonly RecordFact[],
  parts: EvidenceParts,
  query: Query,
): Promise<{ cells: CellTable; orphans: Map<number, Attempt[]> }> {
  const highest = highestShown(facts, parts.maxDa);
  const keys: CellKey[] = [];
  for (const fact of facts) {
    if (fact.type === 'blocks') addPointedTo(fact, keys);
    if (fact.type === 'rows') addShown(fact, parts, highest, keys);
  }
  // One by one: a spread of more than some hundred thousand keys is more than the stack holds.
  for (const key of await getOpen(facts, parts, highest, query)) keys.push(key);
  for (const key of await getMoving(facts, parts, query)) keys.push(key);
  const cells = new CellTable();
  await cells.load(keys, parts.maxDa, query);
  return { cells, orphans: await getOrphans(facts, query) };
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

/** Rows beyond what any block points to have nothing to be compared with. */
function addShown(
  fact: RecordFact & { type: 'rows' },
  { maxDa }: EvidenceParts,
  highest: ReadonlyMap<number, bigint>,
  keys: CellKey[],
): void {
  for (const { status, daHeight, lineageKey } of fact.rows) {
    if (status !== 0 || daHeight === null || lineageKey === null) continue;
    const reached = highest.get(lineageKey) ?? maxDa.get(lineageKey) ?? -1n;
    if (daHeight <= reached) keys.push({ lineageKey, daHeight });
  }
}

/** What waits for more blocks below the heights that these facts reach, or for looks that they bring. */
async function getOpen(
  facts: readonly RecordFact[],
  { views, lineagesOf }: EvidenceParts,
  highest: ReadonlyMap<number, bigint>,
  query: Query,
): Promise<CellKey[]> {
  const bounds = new Map<number, Bound>();
  for (const [lineageKey, below] of highest) bounds.set(lineageKey, { lineageKey, below, lookedThrough: 0n });
  for (const [chainId, through] of views.forecast(facts)) {
    if (through <= 0n) continue;
    for (const lineageKey of lineagesOf.get(chainId) ?? []) {
      const below = bounds.get(lineageKey)?.below ?? -1n;
      const lookedThrough = through < LATEST_US ? through : LATEST_US;
      bounds.set(lineageKey, { lineageKey, below, lookedThrough });
    }
  }
  if (bounds.size === 0) return [];
  const wanted = BOUND_COLUMNS.unnest([...bounds.values()], 'w');
  return query<CellKey>(
    `WITH w AS (SELECT * FROM ${wanted.sql})
     SELECT s.lineage_key AS "lineageKey", s.da_height AS "daHeight" FROM w
       JOIN submission s ON s.lineage_key = w.lineage_key AND s.da_height < w.below
      WHERE s.evidence = ${UNCONFIRMED} AND w.below >= 0
     UNION
     SELECT o.lineage_key, o.da_height FROM w
       JOIN inclusion_open o ON o.lineage_key = w.lineage_key
      WHERE (o.beyond AND o.da_height < w.below) OR (o.passed AND o.changed_at < w.looked_through)`,
    wanted.parameters,
  );
}

/** Rows that change their kind or lineage, and reconstructed ones that a new loss may take in. */
async function getMoving(
  facts: readonly RecordFact[],
  parts: EvidenceParts,
  query: Query,
): Promise<CellKey[]> {
  const keys: CellKey[] = [];
  const joined = new Map<number, Set<bigint>>();
  for (const fact of facts) {
    if (fact.type === 'described') {
      const rows = await query<CellKey>(
        `SELECT ${SELECT_KEY} FROM submission
          WHERE node_key = $1 AND kind = ${UNKNOWN_KIND} AND da_height IS NOT NULL
            AND (status = 0 OR evidence = ${CONFIRMED}) AND lineage_key IS NOT NULL`,
        [fact.nodeKey],
      );
      for (const row of rows) keys.push(row);
    } else if (fact.type === 'joined') {
      // Of another chain nothing moves.
      const isOfChain = parts.chainOf.get(fact.from ?? 0) === parts.chainOf.get(fact.to);
      const from = isOfChain ? fact.from : null;
      const rows = await query<CellKey>(
        `SELECT ${SELECT_KEY} FROM submission
          WHERE node_key = $1 AND status = 0 AND da_height IS NOT NULL
            AND (lineage_key IS NULL OR (lineage_key = $2
              AND (evidence = ${UNCONFIRMED} OR (evidence = ${OBSERVED} AND da_height > $3))))`,
        [fact.nodeKey, from, parts.maxDa.get(from ?? 0) ?? -1n],
      );
      // What one joining moves, the next one of the node may move again.
      const heights = joined.get(fact.nodeKey) ?? shownBy(fact.nodeKey, facts);
      joined.set(fact.nodeKey, heights);
      for (const { daHeight } of rows) heights.add(daHeight);
      for (const daHeight of heights) {
        keys.push({ lineageKey: fact.to, daHeight });
        if (from !== null) keys.push({ lineageKey: from, daHeight });
      }
    } else if (fact.type === 'loss') {
      const lineages = chainsOf(fact.nodeKey, facts, parts).flatMap((id) => parts.lineagesOf.get(id) ?? []);
      const rows = await query<CellKey>(
        `SELECT ${SELECT_KEY} FROM submission
          WHERE evidence = ${RECONSTRUCTED} AND loss_position IS NULL AND to_position IS NULL
            AND lineage_key = ANY ($1::int[])`,
        [lineages],
      );
      for (const row of rows) keys.push(row);
    }
  }
  return keys;
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

/** Successes whose lineage is not known yet, of nodes that join one in these facts. */
async function getOrphans(facts: readonly RecordFact[], query: Query): Promise<Map<number, Attempt[]>> {
  const orphans = new Map<number, Attempt[]>();
  for (const fact of facts) {
    if (fact.type !== 'joined' || orphans.has(fact.nodeKey)) continue;
    const rows = await query<Attempt>(
      `SELECT ${SELECT_ATTEMPT}, ${chainOfUnplaced('s')} AS "namedChain" FROM submission s
        WHERE s.node_key = $1 AND s.lineage_key IS NULL AND s.status = 0 AND s.da_height IS NOT NULL
        ORDER BY s.sequence`,
      [fact.nodeKey],
    );
    orphans.set(fact.nodeKey, rows);
  }
  return orphans;
}
