import { entryOf } from '../../../domain/collections.js';
import type { IncludedBlobs } from '../../../domain/evidence/blob-segments.js';
import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf, kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnsFor, selectList, type UnnestedRows } from '../../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import type { Query } from '../../projection.js';
import type { ShownBlob } from '../facts/walks.js';
import type { StandingGroup } from './groups.js';
import { type Row, type Rows, SELECT_ROW } from './row.js';

/** The highest DA height of a chain, or a higher one: in what is new, above all that is stored, nothing is to be found. */
export class HighestDa {
  private readonly chains = new Map<string, bigint>();

  /** @param ofAll the highest of all chains */
  constructor(private readonly ofAll: bigint) {}

  of(chain: string): bigint {
    return this.chains.get(chain) ?? this.ofAll;
  }

  raise(chain: string | null, daHeight: bigint | null): void {
    if (chain === null || daHeight === null) return;
    if (daHeight > this.of(chain)) this.chains.set(chain, daHeight);
  }
}

type ShownBlobs = Readonly<Record<BlobKind, Map<bigint, ShownBlob>>>;
const newBlobs = (): ShownBlobs => ({ HEADER: new Map(), DATA: new Map() });

/** Everything known of one DA height of a chain. */
export class Cell {
  /** Successes that tell this DA height. */
  readonly successes = new Set<Row>();
  /** Failures that were found to have landed here; some may have been found to have landed elsewhere since. */
  readonly landed = new Set<Row>();
  readonly groups = new Map<string, StandingGroup>();
  /** By history. */
  readonly blobs = new Map<number, ShownBlobs>();

  constructor(
    readonly chain: string,
    readonly daHeight: bigint,
  ) {}

  addBlob(lineageKey: number, kind: BlobKind, blob: ShownBlob): void {
    const blobs = entryOf(this.blobs, lineageKey, newBlobs)[kind];
    const known = blobs.get(blob.height);
    if (!known || blob.position < known.position) blobs.set(blob.height, blob);
  }

  /** The blobs that a history shows here, by rising height. @param position of the last event that counts */
  blobsOf(lineageKey: number, position: bigint): IncludedBlobs {
    const shown = this.blobs.get(lineageKey);
    const of = (kind: BlobKind) => {
      const blobs = [...(shown?.[kind].values() ?? [])];
      return blobs.filter((blob) => blob.position <= position).sort((a, b) => (a.height < b.height ? -1 : 1));
    };
    return { HEADER: of('HEADER'), DATA: of('DATA') };
  }

  addRow(row: Row): void {
    if (row.status === 0) this.successes.add(row);
    else if (row.evidence === CONFIRMED) this.landed.add(row);
  }
}

export function groupName(lineageKey: number, kind: BlobKind): string {
  return `${lineageKey}/${kind}`;
}

type Listed = Pick<Row, 'nodeKey' | 'sequence'>;

/** Each list by itself: of lists that tell the same in turn, rows would take each other's blobs. */
export function byList(a: Listed, b: Listed): number {
  if (a.nodeKey !== b.nodeKey) return a.nodeKey - b.nodeKey;
  return a.sequence < b.sequence ? -1 : 1;
}

/** The books that cells are loaded with. */
interface CellParts {
  readonly chainOf: ReadonlyMap<number, string>;
  readonly lineagesOf: ReadonlyMap<string, readonly number[]>;
  readonly highest: HighestDa;
  readonly rows: Rows;
}

interface Wanted {
  readonly chain: string;
  readonly daHeight: bigint;
}

const KEY = columnsFor({ chain: 'text', lineageKey: 'int4', daHeight: 'int8' });
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const GROUP = [evidenceCodeOf('RECONSTRUCTED'), evidenceCodeOf('UNDECIDED')].join(', ');

/** The cells of a turn, as they stand before it. */
export class Cells {
  private readonly cells = new Map<string, Map<bigint, Cell>>();
  private readonly loaded = new Set<Cell>();

  get(chain: string, daHeight: bigint): Cell {
    const ofChain = entryOf(this.cells, chain, () => new Map<bigint, Cell>());
    return entryOf(ofChain, daHeight, () => new Cell(chain, daHeight));
  }

  *all(): IterableIterator<Cell> {
    for (const ofChain of this.cells.values()) yield* ofChain.values();
  }

  /**
   * Loads what the tables have of cells. Each is looked up by itself (`OFFSET 0` keeps it so).
   *
   * @param hasUnplaced chains that may have rows whose history is not known
   */
  async load(
    wanted: Iterable<Wanted>,
    parts: CellParts,
    hasUnplaced: (chain: string) => boolean,
    query: Query,
  ): Promise<void> {
    const cells = [...wanted].map(({ chain, daHeight }) => this.get(chain, daHeight));
    const fresh = cells.filter((cell) => !this.loaded.has(cell));
    for (const cell of fresh) this.loaded.add(cell);
    const { highest, lineagesOf } = parts;
    const stored = fresh.filter(({ chain, daHeight }) => daHeight <= highest.of(chain));
    const keys = stored.flatMap(({ chain, daHeight }) => {
      const lineages: (number | null)[] = [...(lineagesOf.get(chain) ?? [])];
      if (hasUnplaced(chain)) lineages.push(null);
      return lineages.map((lineageKey) => ({ chain, lineageKey, daHeight }));
    });
    if (keys.length === 0) return;
    const list = KEY.unnest(keys, 'w');
    await this.loadRows(list, parts, query);
    await this.loadBlobs(list, parts, query);
  }

  private async loadRows(wanted: UnnestedRows, { rows: held }: CellParts, query: Query): Promise<void> {
    const rows = await query<Row & StandingGroup>(
      `SELECT ${SELECT_ROW}, ${selectList(SubmissionEntity, 's', ['lossPosition', 'possible'])}
         FROM ${wanted.sql}
        CROSS JOIN LATERAL (
          (SELECT * FROM submission
            WHERE lineage_key = w.lineage_key AND da_height = w.da_height AND to_position IS NULL OFFSET 0)
          UNION ALL
          (SELECT * FROM submission
            WHERE w.lineage_key IS NULL AND lineage_key IS NULL AND da_height = w.da_height AND chain_id = w.chain
              AND status = 0 OFFSET 0)) s
        WHERE s.node_key IS NOT NULL OR s.evidence IN (${GROUP})`,
      wanted.parameters,
    );
    for (const row of rows) {
      const cell = this.get(row.chainId ?? '', row.daHeight ?? 0n);
      if (row.nodeKey !== null) cell.addRow(held.identify(row));
      else cell.groups.set(groupName(row.lineageKey ?? 0, BLOB_KINDS[row.kind] ?? 'HEADER'), row);
    }
  }

  private async loadBlobs(wanted: UnnestedRows, { chainOf }: CellParts, query: Query): Promise<void> {
    const select = (kind: BlobKind, name: string, condition: string) => `
      SELECT w.lineage_key AS "lineageKey", w.da_height AS "daHeight", '${kind}' AS kind, b.height,
             b.time_ns AS "timeNs", b.${name}_blob_bytes AS bytes,
             coalesce(b.${name}_included_position, b.from_position) AS position
        FROM w CROSS JOIN LATERAL (
          SELECT * FROM block
           WHERE lineage_key = w.lineage_key AND ${name}_da_height = w.da_height${condition} OFFSET 0) b`;
    const rows = await query<ShownBlob & { lineageKey: number; daHeight: bigint; kind: BlobKind }>(
      `WITH w AS (SELECT * FROM ${wanted.sql})
       ${select('HEADER', 'header', '')} UNION ALL ${select('DATA', 'data', ' AND tx_count > 0')}`,
      wanted.parameters,
    );
    for (const { lineageKey, daHeight, kind, ...blob } of rows) {
      this.get(chainOf.get(lineageKey) ?? '', daHeight).addBlob(lineageKey, kind, blob);
    }
  }
}

export const KIND_CODES: Readonly<Record<BlobKind, number>> = {
  HEADER: kindCodeOf('HEADER'),
  DATA: kindCodeOf('DATA'),
};
