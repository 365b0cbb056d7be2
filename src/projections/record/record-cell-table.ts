import type { IncludedBlob } from '../../domain/evidence/blob-segments.js';
import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsOf, selectList } from '../../platform/rows/row-columns.js';
import { InclusionOpenEntity } from '../../tables/record/inclusion-open.entity.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { Query } from '../projection.js';
import { SELECT_ATTEMPT, type Attempt } from './record-attempt.js';
import { Cell, type Reconstructed } from './record-cells.js';

/** A DA height of a lineage. */
export type CellKey = Readonly<Pick<InclusionOpenEntity, 'lineageKey' | 'daHeight'>>;

const KEY_COLUMNS = columnsOf(InclusionOpenEntity, 'lineageKey', 'daHeight');
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');
const BLOB_KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];

/** The cells that a batch touches, as they stood before it. */
export class CellTable {
  private readonly cells = new Map<string, Cell>();

  get(lineageKey: number, daHeight: bigint): Cell {
    let cell = this.find(lineageKey, daHeight);
    if (!cell) {
      cell = new Cell(lineageKey, daHeight);
      this.cells.set(`${lineageKey}/${daHeight}`, cell);
    }
    return cell;
  }

  find(lineageKey: number, daHeight: bigint): Cell | undefined {
    return this.cells.get(`${lineageKey}/${daHeight}`);
  }

  all(): IterableIterator<Cell> {
    return this.cells.values();
  }

  /** @param maxDa the highest DA height that a recorded block points to, by lineage */
  async load(keys: Iterable<CellKey>, maxDa: ReadonlyMap<number, bigint>, query: Query): Promise<void> {
    const wanted = new Map<string, CellKey>();
    for (const key of keys) wanted.set(`${key.lineageKey}/${key.daHeight}`, key);
    if (wanted.size === 0) return;
    const all = [...wanted.values()];
    await this.loadAttempts(all, query);
    // Beyond what any block points to there are no blocks to look for.
    const pointedTo = all.filter(({ lineageKey, daHeight }) => daHeight <= (maxDa.get(lineageKey) ?? -1n));
    if (pointedTo.length > 0) await this.loadBlobs(pointedTo, query);
    if (pointedTo.length > 0) await this.loadOpen(pointedTo, query);
  }

  private async loadAttempts(keys: readonly CellKey[], query: Query): Promise<void> {
    const wanted = KEY_COLUMNS.unnest(keys, 'w');
    const rows = await query<Attempt & Reconstructed>(
      `SELECT ${SELECT_ATTEMPT}, ${selectList(SubmissionEntity, 's', ['observedAt', 'toPosition', 'lossPosition'])},
              (SELECT l.node_key FROM loss l WHERE l.loss_position = s.loss_position LIMIT 1) AS "lossNodeKey"
         FROM ${wanted.sql} JOIN submission s USING (da_height, lineage_key)
        WHERE s.to_position IS NULL AND (s.status = 0 OR s.evidence = ${CONFIRMED})
        ORDER BY s.node_key, s.sequence`,
      wanted.parameters,
    );
    for (const row of rows) {
      const cell = this.get(row.lineageKey, row.daHeight);
      if (row.evidence !== RECONSTRUCTED) cell.addAttempt(row);
      else cell.rebuilt[BLOB_KINDS[row.kind] ?? 'HEADER'] = row;
    }
  }

  private async loadBlobs(keys: readonly CellKey[], query: Query): Promise<void> {
    const wanted = KEY_COLUMNS.unnest(keys, 'w');
    const select = (kind: BlobKind, name: string, condition: string) => `
      SELECT w.lineage_key AS "lineageKey", w.da_height AS "daHeight", '${kind}' AS kind, b.height,
             b.time_ns AS "timeNs", b.${name}_blob_bytes AS bytes
        FROM w JOIN block b ON b.lineage_key = w.lineage_key AND b.${name}_da_height = w.da_height${condition}`;
    const rows = await query<CellKey & IncludedBlob & { readonly kind: BlobKind }>(
      `WITH w AS (SELECT * FROM ${wanted.sql})
       ${select('HEADER', 'header', '')} UNION ALL ${select('DATA', 'data', ' AND b.tx_count > 0')}`,
      wanted.parameters,
    );
    for (const row of rows) this.get(row.lineageKey, row.daHeight).addBlob(row.kind, row);
  }

  private async loadOpen(keys: readonly CellKey[], query: Query): Promise<void> {
    const wanted = KEY_COLUMNS.unnest(keys, 'w');
    const rows = await query<InclusionOpenEntity>(
      `SELECT ${selectList(InclusionOpenEntity, 'o')}
         FROM ${wanted.sql} JOIN inclusion_open o USING (lineage_key, da_height)`,
      wanted.parameters,
    );
    for (const row of rows) {
      const cell = this.get(row.lineageKey, row.daHeight);
      cell.changedAt = row.changedAt;
      cell.open = row;
      cell.storedOpen = row;
      if (row.waitsFor === null) continue;
      for (const kind of BLOB_KINDS) if (!cell.rebuilt[kind]) cell.leave(kind, row.waitsFor);
    }
  }
}
