import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import {
  AT_THE_START,
  changedPositions,
  climb,
  type Frontier,
  hasPassed,
  settle,
  type Stair,
} from '../../../domain/evidence/frontier.js';
import type { BlobKind, InclusionWalk } from '../../../domain/evidence/inclusion-walk.js';
import type { Micros } from '../../../domain/time.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { FrontierEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import type { WalkChange } from './walks.js';

export type Frontiers = Readonly<Record<BlobKind, Frontier>>;

/** DA heights of a lineage at which blobs of a kind are decided from now on. */
export interface Passed extends Stair {
  readonly lineageKey: number;
  readonly kind: BlobKind;
}

const NONE: Frontiers = { HEADER: AT_THE_START, DATA: AT_THE_START };

export class FrontierBook {
  private readonly frontiers = new Map<number, Frontiers>();
  private readonly dirty = new Map<string, Omit<FrontierEntity, 'below' | 'stairs'>>();

  static async load(query: Query): Promise<FrontierBook> {
    const book = new FrontierBook();
    for (const { lineageKey, kind, below, stairs } of await readRows(query, FrontierEntity)) {
      book.put(lineageKey, BLOB_KINDS[kind] ?? 'HEADER', { below, stairs: stairs.map(toStair) });
    }
    return book;
  }

  of(lineageKey: number): Frontiers {
    return this.frontiers.get(lineageKey) ?? NONE;
  }

  /** Advances the frontiers after a walk has advanced. @param walks all walks of the lineage, in their present state. */
  climb(
    lineageKey: number,
    walks: readonly InclusionWalk[],
    { before: then, after: now }: WalkChange,
    at: Micros,
  ): void {
    for (const kind of BLOB_KINDS) {
      const before = this.of(lineageKey)[kind];
      const range = changedPositions(kind, then, now);
      // Where another walk has already passed, this walk shows nothing new.
      const isKnown = range && walks.some((walk) => walk !== now && hasPassed(walk, kind, range));
      const changed = isKnown ? null : range;
      const after = climb(before, { at, passed: passedBy(walks, kind), changed });
      if (after !== before) this.change(lineageKey, kind, after);
    }
  }

  /** Notes that the lists of the lineage's chain have been polled up to a time. @returns the DA heights that are decided now */
  settle(lineageKey: number, polledThrough: Micros): Passed[] {
    return BLOB_KINDS.flatMap((kind) => {
      const { frontier, passed } = settle(this.of(lineageKey)[kind], polledThrough);
      if (passed.length > 0) this.change(lineageKey, kind, frontier);
      return passed.map((stair) => ({ ...stair, lineageKey, kind }));
    });
  }

  async write(query: Query): Promise<void> {
    const rows = [...this.dirty.values()].map(({ lineageKey, kind }): FrontierEntity => {
      const { below, stairs } = this.of(lineageKey)[BLOB_KINDS[kind] ?? 'HEADER'];
      return { lineageKey, kind, below, stairs: stairs.map(fromStair) };
    });
    this.dirty.clear();
    await upsertRows(query, FrontierEntity, rows);
  }

  private change(lineageKey: number, kind: BlobKind, frontier: Frontier): void {
    this.put(lineageKey, kind, frontier);
    this.dirty.set(`${lineageKey}/${kind}`, { lineageKey, kind: BLOB_KINDS.indexOf(kind) });
  }

  private put(lineageKey: number, kind: BlobKind, frontier: Frontier): void {
    this.frontiers.set(lineageKey, { ...this.of(lineageKey), [kind]: frontier });
  }
}

/** The DA height below which all have been passed, except those that walks skipped. */
function passedBy(walks: readonly InclusionWalk[], kind: BlobKind): bigint | null {
  let highest: bigint | null = null;
  for (const { lines } of walks) {
    const { to } = lines[kind];
    if (to !== null && (highest === null || to > highest)) highest = to;
  }
  return highest;
}

function toStair([at, from, below]: FrontierEntity['stairs'][number]): Stair {
  return { at: BigInt(at), from: BigInt(from), below: BigInt(below) };
}

function fromStair({ at, from, below }: Stair): FrontierEntity['stairs'][number] {
  return [String(at), String(from), String(below)];
}
