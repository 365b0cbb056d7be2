import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import { kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import { chainOfUnplaced } from '../chain-of-row.js';
import type { Query } from '../projection.js';
import type { Renamed } from './record-chain-names.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import type { Unplaced } from './record-renames.js';

const KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];
const OTHER_KINDS = [kindCodeOf('MIXED'), kindCodeOf('UNKNOWN')];
const ASKED_COLUMNS = columnsOf(SubmissionEntity, 'daHeight', 'kind').and({ n: 'int4' });
const SELECT = `s.node_key AS "nodeKey", s.da_height AS "daHeight", s.kind, s.blob_count AS "blobCount",
  s.from_position AS "fromPosition"`;
const IS_UNPLACED = 's.lineage_key IS NULL AND s.status = 0 AND s.da_height IS NOT NULL';

/** Withdraws what was reconstructed of a chain and may be one of these rows, and lets the rest at their DA heights be asked again. */
export function doubt(
  batch: EvidenceBatch,
  rows: readonly Unplaced[],
  chainId: string | null,
  position: bigint,
  touched: Set<Cell>,
): void {
  for (const lineageKey of batch.parts.lineagesOf.get(chainId ?? '') ?? []) {
    for (const row of rows) {
      const cell = batch.cells.find(lineageKey, row.daHeight);
      if (!cell) continue;
      touched.add(cell);
      for (const kind of KINDS) if (mayBe(row, kind)) batch.withdraw(cell, kind, position);
    }
  }
}

/** Whether such a row may be blobs of a kind at its DA height. */
function mayBe({ kind, blobCount }: Unplaced, of: BlobKind): boolean {
  return blobCount !== 0 && [kindCodeOf(of), ...OTHER_KINDS].includes(kind);
}

/** Those of the missing that such a row of their chain may be: in which history it is told by its node's next block. */
export async function findUnplaced(batch: EvidenceBatch, missing: readonly Missing[]): Promise<Set<Missing>> {
  if (missing.length === 0) return new Set();
  const asked = missing.map(({ cell, kind }, n) => ({ n, daHeight: cell.daHeight, kind: kindCodeOf(kind) }));
  const list = ASKED_COLUMNS.unnest(asked, 'w');
  const rows = await batch.query<Unplaced & { readonly n: number }>(
    `SELECT w.n, ${SELECT}, ${chainOfUnplaced('s')} AS "namedChain"
       FROM ${list.sql} JOIN submission s ON s.da_height = w.da_height AND ${IS_UNPLACED}
        AND s.kind IN (w.kind, ${OTHER_KINDS.join(', ')}) AND s.blob_count IS DISTINCT FROM 0`,
    list.parameters,
  );
  const found = new Set<Missing>();
  for (const { n, ...row } of rows) {
    const each = missing[n];
    if (each && isOfChain(batch, row, each)) found.add(each);
  }
  const recorded = [...batch.recordedByNode.values()].flatMap((all) => all.filter(isUnplaced));
  for (const each of missing) {
    const isIt = (row: Unplaced) =>
      row.daHeight === each.cell.daHeight && mayBe(row, each.kind) && isOfChain(batch, row, each);
    if (recorded.some(isIt)) found.add(each);
  }
  return found;
}

/** Such rows of a node that were recorded before this batch and are of another chain than before; some of them, by sequence. */
export function getRenamed(
  nodeKey: number,
  { since }: Pick<Renamed, 'since'>,
  query: Query,
  sequences?: readonly bigint[],
): Promise<Unplaced[]> {
  return query<Unplaced>(
    `SELECT ${SELECT} FROM submission s
      WHERE s.node_key = $1 AND ${IS_UNPLACED} AND s.from_position >= $2
        AND ($3::bigint[] IS NULL OR s.sequence = ANY ($3))`,
    [nodeKey, since, sequences ?? null],
  );
}

export function isUnplaced<Row extends Pick<SubmissionEntity, 'lineageKey' | 'status' | 'daHeight'>>(
  row: Row,
): row is Row & { readonly daHeight: bigint } {
  return row.lineageKey === null && row.status === 0 && row.daHeight !== null;
}

function isOfChain(batch: EvidenceBatch, row: Unplaced, { cell }: Missing): boolean {
  return batch.renames.chainOf(row) === batch.parts.chainOf.get(cell.lineageKey);
}
