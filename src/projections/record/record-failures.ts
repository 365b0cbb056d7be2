import { HEADER_ENVELOPE_BYTES } from '../../domain/blocks/block-sizes.js';
import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsFor, selectList } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import { latestTimeOf } from './record-late.js';
import {
  lineagesOfMissing,
  isOfChain,
  IS_UNCERTAIN,
  mayBeOfChain,
  UNCERTAIN,
  type Stretch,
} from './record-stretches.js';
import { nameOf } from './record-uncertain.js';

/** A row of it that does not tell where it landed. */
type Row = Pick<SubmissionEntity, (typeof READ)[number]> & { readonly sequence: bigint };

const READ = [
  'sequence',
  'status',
  'kind',
  'blobCount',
  'sizeBytes',
  'wildTime',
  'timeAt',
  'fromPosition',
] as const satisfies readonly (keyof SubmissionEntity)[];

/** Of more rows than this between two successes none is told apart. */
const MOST_ROWS = 100;
/** Blocks that are looked through at most for DA heights between two successes. */
const MOST_BLOCKS = 2_000;
const OBSERVED = evidenceCodeOf('OBSERVED');
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const MIXED = kindCodeOf('MIXED');
const UNKNOWN = kindCodeOf('UNKNOWN');
const LIST_COLUMNS = columnsFor({
  n: 'int4',
  nodeKey: 'int4',
  lineages: 'text',
  kind: 'int2',
  lastSequence: 'int8',
  nextSequence: 'int8',
});
const HEIGHT_COLUMNS = columnsFor({
  n: 'int4',
  lineageKey: 'int4',
  daHeight: 'int8',
  lastDa: 'int8',
  nextDa: 'int8',
});

/**
 * Those of the missing that a failure of unknown outcome may be: of their kind, with their blobs and bytes as far as it tells
 * them, between the successes of its list that stand next to them.
 *
 * A list without a hole holds everything that its node tried. So what was posted between the success before a failure and the
 * failure stands between these two, and likewise behind it: where more DA heights are unexplained below what is missing than
 * there are rows before the failure, or more above it than behind it, the failure was another one. This is not asked
 * where several nodes have lists, since another one may have posted what lies between, nor where nothing is lost in the stretch.
 *
 * @param stretches in the order in which the missing are decided
 * @param isTaken whether an attempt, by its name, is known to be something else when one of the missing is decided
 * @param since only rows recorded from this event on
 */
export async function findPossibleFailures(
  batch: EvidenceBatch,
  stretches: readonly Stretch[],
  isTaken: (name: string, missing: Missing) => boolean,
  since: bigint,
): Promise<Set<Missing>> {
  const possible = new Set<Missing>();
  const open: { stretch: Stretch; rows: readonly Row[]; alike: readonly Row[] }[] = [];
  const rowsOf = await getRows(batch, stretches);
  for (const stretch of stretches) {
    const { nodeKey, missing } = stretch;
    const rows = rowsOf(stretch).filter(({ sequence }) => !isTaken(nameOf({ nodeKey, sequence }), missing));
    const latest = latestTimeOf(batch.parts.views, nodeKey, missing.shownAt);
    const asked = rows.filter((row) => row.fromPosition >= since && (row.wildTime || row.timeAt <= latest));
    const alike = asked.filter((row) => isAlike(row, missing));
    if (rows.length > MOST_ROWS && asked.length > 0) possible.add(missing);
    else if (alike.length > 0) open.push({ stretch, rows, alike });
  }
  const alone = await findAlone(batch, new Set(open.map(({ stretch }) => stretch.nodeKey)));
  const heights = await getHeights(
    batch,
    open.map(({ stretch }) => stretch),
  );
  for (const [index, { stretch, rows, alike }] of open.entries()) {
    const { losses } = await batch.losses.ofNode(stretch.nodeKey, batch.query);
    const holes = losses.flatMap(({ afterSequence }) =>
      afterSequence >= stretch.lastSequence && afterSequence < stretch.nextSequence ? [afterSequence] : [],
    );
    const { below = 0, above = 0 } = alone.has(stretch.nodeKey) ? (heights[index] ?? {}) : {};
    const isPossible = (row: Row): boolean => {
      const before = rows.indexOf(row);
      const isBelow = before >= below || holes.some((after) => after < row.sequence);
      return isBelow && (rows.length - 1 - before >= above || holes.some((after) => after >= row.sequence));
    };
    if (holes.length === 0 || alike.some(isPossible)) possible.add(stretch.missing);
  }
  return possible;
}

/** Whether it carried as much, as far as it tells; what it carried lay side by side. */
function isAlike({ status, blobCount, sizeBytes }: Row, { cell, kind, left }: Missing): boolean {
  if (!UNCERTAIN.includes(status)) return false;
  if (blobCount === null) return true;
  if (blobCount !== left.count) return false;
  const heights = left.blobs.map(({ height }) => height);
  const all = cell.sortedBlobs()[kind].map(({ height }) => height);
  const from = all.indexOf(heights[0] ?? -1n);
  if (!heights.every((height, index) => all[from + index] === height)) return false;
  if (sizeBytes === null || left.bytes === null || sizeBytes === left.bytes) return true;
  return kind === 'HEADER' && sizeBytes === left.bytes - BigInt(HEADER_ENVELOPE_BYTES * left.count);
}

/** The rows of each stretch that do not tell where they landed, in their order; of more than {@link MOST_ROWS} the last. */
async function getRows(
  batch: EvidenceBatch,
  stretches: readonly Stretch[],
): Promise<(stretch: Stretch) => readonly Row[]> {
  const keyOf = ({ nodeKey, missing, lastSequence, nextSequence }: Stretch) =>
    `${nodeKey} ${missing.kind} ${lastSequence} ${nextSequence} ${missing.cell.lineageKey}`;
  const different = [...new Map(stretches.map((stretch) => [keyOf(stretch), stretch])).values()];
  const wanted = different.map((stretch, n) => ({
    ...stretch,
    n,
    lineages: lineagesOfMissing(batch, stretch.missing),
    kind: kindCodeOf(stretch.missing.kind),
  }));
  await batch.writeReleased();
  const list = LIST_COLUMNS.unnest(wanted, 'w');
  const stored = await batch.query<Row & { readonly n: number }>(
    `SELECT w.n, ${selectList(SubmissionEntity, 's', READ)}
       FROM ${list.sql} CROSS JOIN LATERAL unnest(ARRAY[w.kind, ${MIXED}, ${UNKNOWN}]) k (kind)
       CROSS JOIN LATERAL (
         SELECT * FROM submission s
          WHERE s.node_key = w.node_key AND s.kind = k.kind AND s.da_height IS NULL AND s.node_key IS NOT NULL
            AND (s.status = 0 OR ${IS_UNCERTAIN}) AND s.blob_count IS DISTINCT FROM 0
            AND s.sequence > w.last_sequence AND s.sequence < w.next_sequence AND ${isOfChain('w.lineages')}
          ORDER BY s.sequence DESC LIMIT ${MOST_ROWS + 1}) s`,
    list.parameters,
  );
  const rows = new Map(different.map((stretch) => [keyOf(stretch), [] as Row[]]));
  const put = ({ nodeKey, missing, ...stretch }: Stretch, row: Row) => {
    const isWithin = stretch.lastSequence < row.sequence && row.sequence < stretch.nextSequence;
    const isOfKind = [kindCodeOf(missing.kind), MIXED, UNKNOWN].includes(row.kind);
    const evidence = batch.named.get(nameOf({ nodeKey, sequence: row.sequence }))?.evidence ?? OBSERVED;
    if (isWithin && isOfKind && evidence === OBSERVED)
      rows.get(keyOf({ nodeKey, missing, ...stretch }))?.push(row);
  };
  for (const row of stored) {
    const stretch = different[row.n];
    if (stretch) put(stretch, row);
  }
  for (const stretch of different) {
    for (const row of batch.recordedByNode.get(stretch.nodeKey) ?? []) {
      const isOpen = row.status === 0 || UNCERTAIN.includes(row.status);
      if (isOpen && row.daHeight === null && row.blobCount !== 0 && mayBeOfChain(batch, row, stretch.missing))
        put(stretch, row);
    }
    rows.get(keyOf(stretch))?.sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
  }
  return (stretch) => rows.get(keyOf(stretch)) ?? [];
}

/** Those of the nodes whose list is the only one of their chain that has shown rows. */
async function findAlone(batch: EvidenceBatch, nodes: ReadonlySet<number>): Promise<Set<number>> {
  const alone = new Set<number>();
  for (const nodeKey of nodes) {
    const { chainId } = batch.parts.views.get(nodeKey);
    const others = batch.parts.views.keysOfChain(chainId ?? '').filter((other) => other !== nodeKey);
    const stored = await batch.query(
      `SELECT FROM unnest($1::int[]) w (node_key)
        WHERE EXISTS (SELECT FROM submission s WHERE s.node_key = w.node_key) LIMIT 1`,
      [others],
    );
    if (stored.length === 0 && !others.some((other) => batch.recordedByNode.has(other))) alone.add(nodeKey);
  }
  return alone;
}

/** How many DA heights that no attempt explains lie below and above each of the missing, up to its neighbours. */
async function getHeights(
  batch: EvidenceBatch,
  stretches: readonly Stretch[],
): Promise<{ below: number; above: number }[]> {
  const heights = stretches.map(() => new Set<bigint>());
  for (const kind of ['HEADER', 'DATA'] as const) {
    for (const { n, daHeight } of await getStoredHeights(batch, stretches, kind)) heights[n]?.add(daHeight);
  }
  return stretches.map(({ missing, lastDa, nextDa }, n) => {
    const { lineageKey, daHeight } = missing.cell;
    const found = heights[n] ?? new Set();
    // What the batch holds is not in the tables yet.
    for (const cell of batch.cells.all()) {
      if (cell.lineageKey !== lineageKey) continue;
      if (cell.attempts.length === 0 && cell.has(missing.kind)) found.add(cell.daHeight);
      else found.delete(cell.daHeight);
    }
    const all = [...found];
    return {
      below: all.filter((da) => lastDa !== null && lastDa < da && da < daHeight).length,
      above: all.filter((da) => nextDa !== null && daHeight < da && da < nextDa).length,
    };
  });
}

async function getStoredHeights(
  { query }: EvidenceBatch,
  stretches: readonly Stretch[],
  kind: BlobKind,
): Promise<{ n: number; daHeight: bigint }[]> {
  const wanted = stretches.flatMap(({ missing, lastDa, nextDa }, n) => {
    const { lineageKey, daHeight } = missing.cell;
    return missing.kind === kind ? [{ n, lineageKey, daHeight, lastDa, nextDa }] : [];
  });
  if (wanted.length === 0) return [];
  const list = HEIGHT_COLUMNS.unnest(wanted, 'w');
  const column = kind === 'HEADER' ? 'header_da_height' : 'data_da_height';
  const part = (range: string, order: string) => `
    (SELECT b.${column} AS da FROM block b
      WHERE b.lineage_key = w.lineage_key AND b.${column} IS NOT NULL${kind === 'DATA' ? ' AND b.tx_count > 0' : ''}
        AND ${range} ORDER BY b.${column} ${order} LIMIT ${MOST_BLOCKS})`;
  return query(
    `SELECT DISTINCT w.n, b.da AS "daHeight"
       FROM ${list.sql} CROSS JOIN LATERAL (
         ${part(`b.${column} > w.last_da AND b.${column} < w.da_height`, 'DESC')} UNION
         ${part(`b.${column} > w.da_height AND b.${column} < w.next_da`, 'ASC')}) b
      WHERE NOT EXISTS (SELECT FROM submission s
                         WHERE s.da_height = b.da AND s.lineage_key = w.lineage_key AND s.node_key IS NOT NULL
                           AND (s.status = 0 OR s.evidence = ${CONFIRMED}))`,
    list.parameters,
  );
}
