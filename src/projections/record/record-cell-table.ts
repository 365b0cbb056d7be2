import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf } from '../../domain/submissions/submission-codes.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import { ATTEMPT_COLUMNS, toAttempt, toCarried } from './record-attempt.js';
import { Cell, type Reconstructed } from './record-cells.js';

/** A DA height of a lineage. */
export interface CellKey {
  readonly lineageKey: number;
  readonly daHeight: bigint;
}

const KEY_COLUMNS = [
  column('lineage_key', 'int4', (key: CellKey) => key.lineageKey),
  column('da_height', 'int8', (key: CellKey) => key.daHeight),
];
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');
const BLOB_KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];

/** The cells that a batch touches, as they stood before it. */
export class CellTable {
  private readonly cells = new Map<string, Cell>();

  get(lineageKey: number, daHeight: bigint): Cell {
    const key = `${lineageKey}/${daHeight}`;
    let cell = this.cells.get(key);
    if (!cell) {
      cell = new Cell(lineageKey, daHeight);
      this.cells.set(key, cell);
    }
    return cell;
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
    const wanted = unnestRows(KEY_COLUMNS, keys, 'w');
    const rows = await query<Record<string, string | number | null>>(
      `SELECT ${ATTEMPT_COLUMNS},
              (extract(epoch FROM s.observed_at) * 1000000)::bigint AS observed_us, s.loss_position,
              (SELECT l.node_key FROM loss l WHERE l.loss_position = s.loss_position LIMIT 1) AS loss_node_key
         FROM ${wanted.sql} JOIN submission s USING (da_height, lineage_key)
        WHERE s.to_position IS NULL AND (s.status = 0 OR s.evidence = ${CONFIRMED})
        ORDER BY s.node_key, s.sequence`,
      wanted.parameters,
    );
    for (const row of rows) {
      const cell = this.get(row['lineage_key'] as number, BigInt(row['da_height'] as string));
      if (row['evidence'] !== RECONSTRUCTED) cell.addAttempt(toAttempt(row));
      else {
        const rebuilt = toReconstructed(row);
        cell.rebuilt[rebuilt.kind] = rebuilt;
      }
    }
  }

  private async loadBlobs(keys: readonly CellKey[], query: Query): Promise<void> {
    const wanted = unnestRows(KEY_COLUMNS, keys, 'w');
    const select = (kind: number, name: string, condition: string) => `
      SELECT w.lineage_key, w.da_height, ${kind} AS kind, b.height, b.time_ns, b.${name}_blob_bytes AS bytes
        FROM w JOIN block b ON b.lineage_key = w.lineage_key AND b.${name}_da_height = w.da_height${condition}`;
    const rows = await query<{
      lineage_key: number;
      da_height: string;
      kind: number;
      height: string;
      time_ns: string;
      bytes: number | null;
    }>(
      `WITH w AS (SELECT * FROM ${wanted.sql})
       ${select(0, 'header', '')} UNION ALL ${select(1, 'data', ' AND b.tx_count > 0')}`,
      wanted.parameters,
    );
    for (const row of rows) {
      const blob = { height: BigInt(row.height), bytes: row.bytes, timeNs: BigInt(row.time_ns) };
      this.get(row.lineage_key, BigInt(row.da_height)).addBlob(BLOB_KINDS[row.kind] ?? 'HEADER', blob);
    }
  }

  private async loadOpen(keys: readonly CellKey[], query: Query): Promise<void> {
    const wanted = unnestRows(KEY_COLUMNS, keys, 'w');
    const rows = await query<{
      lineage_key: number;
      da_height: string;
      changed_at: string;
      passed: boolean;
      beyond: boolean;
    }>(
      `SELECT lineage_key, da_height, (extract(epoch FROM changed_at) * 1000000)::bigint AS changed_at, passed, beyond
         FROM ${wanted.sql} JOIN inclusion_open USING (lineage_key, da_height)`,
      wanted.parameters,
    );
    for (const { lineage_key, da_height, changed_at, passed, beyond } of rows) {
      const cell = this.get(lineage_key, BigInt(da_height));
      cell.changedAt = BigInt(changed_at);
      cell.open = { passed, beyond };
      cell.storedOpen = { passed, beyond, changedAt: cell.changedAt };
    }
  }
}

function toReconstructed(row: Record<string, string | number | null>): Reconstructed {
  const integer = (name: string) => (row[name] === null ? null : BigInt(row[name] as string));
  return {
    lineageKey: row['lineage_key'] as number,
    kind: BLOB_KINDS[row['kind'] as number] ?? 'HEADER',
    daHeight: integer('da_height') ?? 0n,
    namespaceKey: row['namespace_key'] as number | null,
    blobCount: row['blob_count'] as number,
    sizeBytes: integer('size_bytes'),
    carried: toCarried(row),
    timeAt: integer('time_us') ?? 0n,
    observedAt: integer('observed_us') ?? 0n,
    fromPosition: integer('from_position') ?? 0n,
    toPosition: null,
    nodeKey: row['loss_node_key'] as number | null,
    lossPosition: integer('loss_position'),
    isStored: true,
  };
}
