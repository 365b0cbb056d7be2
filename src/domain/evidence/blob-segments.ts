import { HEADER_ENVELOPE_BYTES } from '../blocks/block-encoding.js';
import type { BlobKind } from './inclusion-walk.js';
import type { SubmissionKind } from '../submissions/submission-codes.js';
import type { Nanos } from '../time.js';

/** A blob that was included at a DA height, according to its block. */
export interface IncludedBlob {
  readonly height: bigint;
  /** Null under an unknown scheme. */
  readonly bytes: number | null;
  readonly timeNs: Nanos;
}

/** Blobs included at one DA height according to their blocks, each list by rising block height. */
export interface IncludedBlobs {
  readonly HEADER: readonly IncludedBlob[];
  readonly DATA: readonly IncludedBlob[];
}

/** An attempt that may have carried some of the blobs. */
export interface Carrier {
  readonly nodeKey: number;
  /** `MIXED`: headers or data, which share a namespace. `UNKNOWN`: its namespace may hold either. */
  readonly kind: SubmissionKind;
  readonly blobCount: number | null;
  readonly sizeBytes: bigint | null;
}

/** A row that reports its DA height, or a failure that may have landed there. */
export interface CellAttempt extends Carrier {
  readonly sequence: bigint;
}

/**
 * How well an attempt explains the blobs. `EXACT`: a run of blocks has its count and its bytes. `PARTIAL`: it is large
 * enough to have carried what nothing else explains. `VAGUE`: too little is known of it, so it may be any of these. `NONE`:
 * it explains nothing.
 */
export type Fit = 'EXACT' | 'PARTIAL' | 'VAGUE' | 'NONE';

/** Blobs of a kind that no attempt explains. */
export interface Leftover {
  readonly blobs: readonly IncludedBlob[];
  readonly count: number;
  /** Null under an unknown scheme. */
  readonly bytes: bigint | null;
}

export interface Placement {
  /** In the order of the given carriers. */
  readonly fits: readonly Fit[];
  /** The blobs of each carrier that fits exactly, and their kind. */
  readonly carried: readonly ({
    readonly kind: BlobKind;
    readonly from: number;
    readonly to: number;
    /** Bytes by which each of its blobs is smaller than in `IncludedBlob`: an older scheme. */
    readonly less: number;
  } | null)[];
  readonly leftover: { readonly [K in BlobKind]: Leftover | null };
}

/**
 * Finds out which attempts carried which blobs. A batch holds consecutive blocks (for data: those with transactions), so
 * each attempt is a run of the list with its number of blobs and exactly its bytes. Two nodes may show the same attempt.
 * They then share a run, or the leftover on a partial fit; two attempts of one node never do.
 *
 * @param carriers in order of precedence: of equal ones the first gets the lower blocks
 */
export function placeCarriers(blobs: IncludedBlobs, carriers: readonly Carrier[]): Placement {
  const lists = {
    HEADER: new BlobList(blobs.HEADER, [0, HEADER_ENVELOPE_BYTES]),
    DATA: new BlobList(blobs.DATA, [0]),
  };
  const fits: Fit[] = carriers.map(() => 'NONE');
  const carried: Placement['carried'][number][] = carriers.map(() => null);
  const isDone = (carrier: Carrier, index: number) => fits[index] === 'EXACT' || carrier.blobCount === 0;
  const place = (isShared: boolean, isSized: boolean, isAgain: boolean) =>
    carriers.forEach((carrier, index) => {
      if (isDone(carrier, index) || isVague(carrier) || (carrier.sizeBytes !== null) !== isSized) return;
      const kinds = kindsOf(carrier);
      const isOfOne = kinds.length === 1;
      if (isOfOne && isAgain) return;
      // A row that fits headers and data alike was one of them, or repeats another node's row: it is unknown which.
      const [kind, other] = isOfOne ? kinds : kinds.filter((each) => lists[each].find(carrier, true));
      const run = kind && other === undefined ? lists[kind].find(carrier, isShared) : undefined;
      if (!kind || !run) return;
      lists[kind].cover(run.from, run.to, carrier.nodeKey);
      fits[index] = 'EXACT';
      carried[index] = { kind, ...run };
    });
  // Rows without bytes take what rows with bytes leave. Late placements may leave only one kind to another row.
  [false, true, true].forEach((isShared, round) => {
    if (carriers.every(isDone)) return;
    place(isShared, true, round === 2);
    place(isShared, false, round === 2);
  });
  carriers.forEach((carrier, index) => {
    if (isDone(carrier, index)) return;
    const isEither = kindsOf(carrier).every((kind) => lists[kind].find(carrier, true));
    for (const kind of kindsOf(carrier)) {
      if (isVague(carrier) || carrier.kind === 'UNKNOWN' || isEither) {
        fits[index] = 'VAGUE';
        lists[kind].takeRest(carrier);
      } else if (lists[kind].mayHold(carrier)) {
        fits[index] = 'PARTIAL';
        lists[kind].takeRest(carrier);
      }
    }
  });
  return { fits, carried, leftover: { HEADER: lists.HEADER.leftover(), DATA: lists.DATA.leftover() } };
}

function kindsOf({ kind }: Carrier): readonly BlobKind[] {
  return kind === 'HEADER' || kind === 'DATA' ? [kind] : ['HEADER', 'DATA'];
}

function isVague({ blobCount }: Carrier): boolean {
  return blobCount === null;
}

interface BlobRun {
  readonly from: number;
  readonly to: number;
  readonly less: number;
}

class BlobList {
  /** Sum of the bytes of the blobs before an index; null if the size of any blob is unknown. */
  private readonly sums: readonly number[] | null;
  private readonly owners: (Set<number> | undefined)[];
  /** Attempts that may have carried the blobs without an owner. */
  private readonly takers: Carrier[] = [];

  /** @param schemes bytes by which blobs can be smaller than given, the same for a whole batch; the usual scheme first */
  constructor(
    private readonly blobs: readonly IncludedBlob[],
    private readonly schemes: readonly number[],
  ) {
    this.sums = sumsOf(blobs);
    this.owners = blobs.map(() => undefined);
  }

  /**
   * The first run with the carrier's count and bytes that has no owner, or (shared) only owners of other nodes. An older
   * scheme counts only if no run fits the usual one.
   */
  find(carrier: Carrier, isShared: boolean): BlobRun | undefined {
    for (const less of this.schemes) {
      const run = this.findOf(less, carrier, isShared);
      if (run) return run;
    }
    return undefined;
  }

  private findOf(less: number, carrier: Carrier, isShared: boolean): BlobRun | undefined {
    const count = carrier.blobCount ?? 0;
    if (count === 0) return undefined;
    const isRestFree = this.takers.every(({ nodeKey }) => nodeKey !== carrier.nodeKey);
    let free = 0;
    for (let to = 1; to <= this.blobs.length; to++) {
      const owners = this.owners[to - 1];
      const isFree = owners ? isShared && !owners.has(carrier.nodeKey) : isRestFree;
      free = isFree ? free + 1 : 0;
      const from = to - count;
      if (free >= count && this.hasBytes(from, to, less, carrier.sizeBytes)) return { from, to, less };
    }
    return undefined;
  }

  cover(from: number, to: number, nodeKey: number): void {
    for (let index = from; index < to; index++) (this.owners[index] ??= new Set()).add(nodeKey);
  }

  /** Whether the carrier is large enough for all blobs without an owner, and all takers may be the same attempt. */
  mayHold(carrier: Carrier): boolean {
    const { blobCount, sizeBytes } = carrier;
    const rest = this.rest();
    if (!rest || (blobCount ?? 0) < rest.count) return false;
    if (!this.takers.every((taker) => mayBeSame(carrier, taker))) return false;
    if (rest.bytes === null || sizeBytes === null) return true;
    return sizeBytes >= rest.bytes - BigInt(Math.max(...this.schemes) * rest.count);
  }

  takeRest(carrier: Carrier): void {
    this.takers.push(carrier);
  }

  leftover(): Leftover | null {
    return this.takers.length > 0 ? null : this.rest();
  }

  private rest(): Leftover | null {
    const blobs = this.blobs.filter((_, index) => !this.owners[index]);
    if (blobs.length === 0) return null;
    const bytes = sumsOf(blobs)?.at(-1);
    return { blobs, count: blobs.length, bytes: bytes === undefined ? null : BigInt(bytes) };
  }

  /** Whether a run has this many bytes under a scheme; true if a size is unknown. */
  private hasBytes(from: number, to: number, less: number, bytes: bigint | null): boolean {
    if (bytes === null || !this.sums) return true;
    return BigInt((this.sums[to] ?? 0) - (this.sums[from] ?? 0) - less * (to - from)) === bytes;
  }
}

/** Whether two carriers may be one attempt, shown by two nodes. */
function mayBeSame(one: Carrier, other: Carrier): boolean {
  const isEqual = <T>(a: T | null, b: T | null) => a === null || b === null || a === b;
  return (
    one.nodeKey !== other.nodeKey &&
    isEqual(one.blobCount, other.blobCount) &&
    isEqual(one.sizeBytes, other.sizeBytes)
  );
}

function sumsOf(blobs: readonly IncludedBlob[]): number[] | null {
  const sums = [0];
  let sum = 0;
  for (const { bytes } of blobs) {
    if (bytes === null) return null;
    sum += bytes;
    sums.push(sum);
  }
  return sums;
}
