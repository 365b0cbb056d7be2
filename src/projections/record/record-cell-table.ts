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

/**
 * The cells that a batch touches, as they stood before it. Each is looked up by itself (`OFFSET 0` keeps it so): for a few
 * thousand of them the planner would read a table from end to end that has a hundred times as many rows.
 */
export class CellTable {
  private readonly cells = new Map<number, Map<bigint, Cell>>();

  get(lineageKey: number, daHeight: bigint): Cell {
    let ofLineage = this.cells.get(lineageKey);
    if (!ofLineage) this.cells.set(lineageKey, (ofLineage = new Map()));
    let cell = ofLineage.get(daHeight);
    if (!cell) ofLineage.set(daHeight, (cell = new Cell(lineageKey, daHeight)));
    return cell;
  }

  find(lineageKey: number, daHeight: bigint): Cell | undefined {
    return this.cells.get(lineageKey)?.get(daHeight);
  }

  *all(): IterableIterator<Cell> {
    for (const ofLineage of this.cells.values()) yield* ofLineage.values();
  }

  /** @param maxDa the highest DA height that a recorded block points to, by lineage */
  async load(keys: Iterable<CellKey>, maxDa: ReadonlyMap<number, bigint>, query: Query): Promise<void> {
    const all = distinct(keys);
    if (all.length === 0) return;
    await this.loadAttempts(all, query);
    // Beyond what any block points to there are no blocks to look for.
    const pointedTo = all.filter(({ lineageKey, daHeight }) => daHeight <= (maxDa.get(lineageKey) ?? -1n));
    if (pointedTo.length > 0) await this.loadBlobs(pointedTo, query);
    if (pointedTo.length > 0) await this.loadOpen(pointedTo, query);
  }

  private async loadAttempts(keys: readonly CellKey[], query: Query): Promise<void> {
    const wanted = KEY_COLUMNS.unnest(keys, 'w');
    const rows = await query<Attempt & Reconstructed>(
      `SELECT ${SELECT_ATTEMPT}, ${selectList(SubmissionEntity, 's', ['toPosition', 'lossPosition'])},
              CASE WHEN s.evidence = ${RECONSTRUCTED} THEN s.observed_at END AS "observedAt",
              (SELECT l.node_key FROM loss l WHERE l.loss_position = s.loss_position LIMIT 1) AS "lossNodeKey"
         FROM ${wanted.sql}
        CROSS JOIN LATERAL (
          SELECT * FROM submission
           WHERE lineage_key = w.lineage_key AND da_height = w.da_height
             AND to_position IS NULL AND (status = 0 OR evidence = ${CONFIRMED}) OFFSET 0) s`,
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
        FROM w CROSS JOIN LATERAL (
          SELECT * FROM block
           WHERE lineage_key = w.lineage_key AND ${name}_da_height = w.da_height${condition} OFFSET 0) b`;
    const rows = await query<CellKey & IncludedBlob & { readonly kind: BlobKind }>(
      `WITH w AS (SELECT * FROM ${wanted.sql})
       ${select('HEADER', 'header', '')} UNION ALL ${select('DATA', 'data', ' AND tx_count > 0')}`,
      wanted.parameters,
    );
    for (const row of rows) this.get(row.lineageKey, row.daHeight).addBlob(row.kind, row);
  }

  private async loadOpen(keys: readonly CellKey[], query: Query): Promise<void> {
    const wanted = KEY_COLUMNS.unnest(keys, 'w');
    const rows = await query<InclusionOpenEntity>(
      `SELECT ${selectList(InclusionOpenEntity, 'o')}
         FROM ${wanted.sql}
        CROSS JOIN LATERAL (
          SELECT * FROM inclusion_open
           WHERE lineage_key = w.lineage_key AND da_height = w.da_height OFFSET 0) o`,
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

/** Each key once. */
function distinct(keys: Iterable<CellKey>): CellKey[] {
  const known = new Map<number, Set<bigint>>();
  const once: CellKey[] = [];
  for (const key of keys) {
    let ofLineage = known.get(key.lineageKey);
    if (!ofLineage) known.set(key.lineageKey, (ofLineage = new Set()));
    if (ofLineage.has(key.daHeight)) continue;
    ofLineage.add(key.daHeight);
    once.push(key);
  }
  return once;
}
