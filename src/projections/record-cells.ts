import type { IncludedBlob, IncludedBlobs } from '../domain/blob-segments.js';
import type { BlobKind } from '../domain/inclusion-walk.js';
import { evidenceCodeOf } from '../domain/submission-codes.js';
import { column, unnestRows } from '../platform/unnest-rows.js';
import type { Query } from './projection.js';
import type { Attempt } from './record-attempt.js';

/** A submission that only blocks prove. Times are Unix microseconds. */
export interface Reconstructed {
  readonly lineageKey: number;
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly namespaceKey: number | null;
  readonly blobCount: number;
  readonly sizeBytes: bigint | null;
  /** Time of the newest block that it carried. */
  readonly timeAt: bigint;
  /** When it was seen that blocks point to it. */
  readonly observedAt: bigint;
  readonly fromPosition: bigint;
  toPosition: bigint | null;
  nodeKey: number | null;
  lossPosition: bigint | null;
  readonly isStored: boolean;
}

/** What waits at a DA height: for looks at the lists (`passed`), for more blocks (`beyond`). */
export interface OpenState {
  readonly passed: boolean;
  readonly beyond: boolean;
}

/** Everything known of one DA height of a lineage: what blocks say was included there, and who explains it. */
export class Cell {
  readonly attempts: Attempt[] = [];
  readonly rebuilt: { HEADER?: Reconstructed; DATA?: Reconstructed } = {};
  /** When a block was last seen to point here, observer's clock, Unix microseconds. */
  changedAt = 0n;
  open: OpenState | undefined;
  storedOpen: (OpenState & { readonly changedAt: bigint }) | undefined;
  private readonly blobs = { HEADER: new Map<bigint, IncludedBlob>(), DATA: new Map<bigint, IncludedBlob>() };

  constructor(
    readonly lineageKey: number,
    readonly daHeight: bigint,
  ) {}

  /** False: another node, or this one, has shown it before. */
  addBlob(kind: BlobKind, blob: IncludedBlob): boolean {
    if (this.blobs[kind].has(blob.height)) return false;
    this.blobs[kind].set(blob.height, blob);
    return true;
  }

  /** Successes count before failed attempts that carried blobs all the same; else by node and sequence. */
  addAttempt(attempt: Attempt): void {
    const at = this.attempts.findIndex((other) => compareAttempts(attempt, other) < 0);
    this.attempts.splice(at === -1 ? this.attempts.length : at, 0, attempt);
  }

  removeAttempt(attempt: Attempt): void {
    this.attempts.splice(this.attempts.indexOf(attempt), 1);
  }

  sortedBlobs(): IncludedBlobs {
    return { HEADER: sorted(this.blobs.HEADER), DATA: sorted(this.blobs.DATA) };
  }
}

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
      `SELECT ${ATTEMPT_COLUMNS}, (extract(epoch FROM s.time_at) * 1000000)::bigint AS time_us,
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

/** Columns of `submission s` that `toAttempt` reads. */
export const ATTEMPT_COLUMNS = `s.node_key, s.sequence, s.lineage_key, s.status, s.kind, s.namespace_key, s.blob_count,
  s.size_bytes, s.da_height, s.evidence, s.evidence_from_position, s.from_position`;

export function toAttempt(row: Record<string, string | number | null>): Attempt {
  const integer = (name: string) => (row[name] === null ? null : BigInt(row[name] as string));
  return {
    nodeKey: row['node_key'] as number,
    sequence: integer('sequence') ?? 0n,
    lineageKey: row['lineage_key'] as number | null,
    status: row['status'] as number,
    kind: row['kind'] as number,
    namespaceKey: row['namespace_key'] as number | null,
    blobCount: row['blob_count'] as number | null,
    sizeBytes: integer('size_bytes'),
    daHeight: integer('da_height'),
    evidence: row['evidence'] as number,
    evidenceFrom: integer('evidence_from_position') ?? 0n,
    fromPosition: integer('from_position') ?? 0n,
    isStored: true,
  };
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
    timeAt: integer('time_us') ?? 0n,
    observedAt: integer('observed_us') ?? 0n,
    fromPosition: integer('from_position') ?? 0n,
    toPosition: null,
    nodeKey: row['loss_node_key'] as number | null,
    lossPosition: integer('loss_position'),
    isStored: true,
  };
}

function compareAttempts(a: Attempt, b: Attempt): number {
  if ((a.status === 0) !== (b.status === 0)) return a.status === 0 ? -1 : 1;
  if (a.nodeKey !== b.nodeKey) return a.nodeKey - b.nodeKey;
  return a.sequence < b.sequence ? -1 : 1;
}

function sorted(blobs: ReadonlyMap<bigint, IncludedBlob>): IncludedBlob[] {
  return [...blobs.values()].sort((a, b) => (a.height < b.height ? -1 : 1));
}
