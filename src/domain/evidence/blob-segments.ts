import type { BlobKind } from './inclusion-walk.js';
import type { Nanos } from '../time.js';

/** A blob that a block says was included at a DA height. */
export interface IncludedBlob {
  /** Height of the block. */
  readonly height: bigint;
  /** Null under a scheme that we don't know. */
  readonly bytes: number | null;
  /** The block's time. */
  readonly timeNs: Nanos;
}

/** What blocks say was included at one DA height, each list by rising block height. */
export interface IncludedBlobs {
  readonly HEADER: readonly IncludedBlob[];
  readonly DATA: readonly IncludedBlob[];
}

/** An attempt that may have carried some of the blobs. */
export interface Carrier {
  readonly nodeKey: number;
  /** Null: the row does not tell whether it held headers or data. */
  readonly kind: BlobKind | null;
  readonly blobCount: number | null;
  readonly sizeBytes: bigint | null;
}

/**
 * How an attempt stands to the blobs. `EXACT`: a run of blocks has its count and its bytes. `PARTIAL`: it is large
 * enough to have carried what nothing else explains. `VAGUE`: too little could be read of it to tell. `NONE`: no.
 */
export type Fit = 'EXACT' | 'PARTIAL' | 'VAGUE' | 'NONE';

/** Blobs of a kind that no attempt explains. */
export interface Leftover {
  readonly blobs: readonly IncludedBlob[];
  readonly count: number;
  /** Null under a scheme that we don't know. */
  readonly bytes: bigint | null;
}

export interface Placement {
  /** In the order of the carriers given. */
  readonly fits: readonly Fit[];
  /** The blobs of each carrier that fits exactly, and their kind. */
  readonly carried: readonly ({
    readonly kind: BlobKind;
    readonly from: number;
    readonly to: number;
  } | null)[];
  readonly leftover: { readonly [K in BlobKind]: Leftover | null };
}

/**
 * Finds out which attempts carried which blobs. A batch holds consecutive blocks (for data: those with transactions),
 * so each attempt is a run of the list with its number of blobs and exactly its bytes. Two nodes may show the same
 * attempt; they then share a run, but two attempts of one node never do.
 *
 * @param carriers in the order in which they count: of equal ones the first gets the lower blocks
 */
export function placeCarriers(blobs: IncludedBlobs, carriers: readonly Carrier[]): Placement {
  const lists = { HEADER: new BlobList(blobs.HEADER), DATA: new BlobList(blobs.DATA) };
  const fits: Fit[] = carriers.map(() => 'NONE');
  const carried: Placement['carried'][number][] = carriers.map(() => null);
  const place = (isShared: boolean) =>
    carriers.forEach((carrier, index) => {
      if (fits[index] === 'EXACT' || isVague(carrier)) return;
      for (const kind of kindsOf(carrier)) {
        const from = lists[kind].find(carrier, isShared);
        if (from === undefined) continue;
        const to = from + (carrier.blobCount ?? 0);
        lists[kind].cover(from, to, carrier.nodeKey);
        fits[index] = 'EXACT';
        carried[index] = { kind, from, to };
        return;
      }
    });
  place(false);
  place(true);
  carriers.forEach((carrier, index) => {
    if (fits[index] === 'EXACT') return;
    for (const kind of kindsOf(carrier)) {
      if (isVague(carrier)) {
        fits[index] = 'VAGUE';
        lists[kind].coverRest(carrier);
      } else if (lists[kind].mayHold(carrier)) {
        fits[index] = 'PARTIAL';
        lists[kind].coverRest(carrier);
      }
    }
  });
  return { fits, carried, leftover: { HEADER: lists.HEADER.leftover(), DATA: lists.DATA.leftover() } };
}

function kindsOf({ kind }: Carrier): readonly BlobKind[] {
  return kind === null ? ['HEADER', 'DATA'] : [kind];
}

function isVague({ blobCount }: Carrier): boolean {
  return blobCount === null;
}

class BlobList {
  /** Sum of the bytes of the blobs before an index; null when one of them is not known. */
  private readonly sums: readonly number[] | null;
  private readonly owners: (Set<number> | undefined)[];

  constructor(private readonly blobs: readonly IncludedBlob[]) {
    this.sums = sumsOf(blobs);
    this.owners = blobs.map(() => undefined);
  }

  /** The first run of the carrier's count and bytes that nobody holds, or (shared) that only other nodes' rows hold. */
  find(carrier: Carrier, isShared: boolean): number | undefined {
    const count = carrier.blobCount ?? 0;
    if (count === 0) return undefined;
    let free = 0;
    for (let end = 0; end < this.blobs.length; end++) {
      const owners = this.owners[end];
      free = owners === undefined || (isShared && !owners.has(carrier.nodeKey)) ? free + 1 : 0;
      const from = end + 1 - count;
      if (free >= count && this.hasBytes(from, end + 1, carrier.sizeBytes)) return from;
    }
    return undefined;
  }

  cover(from: number, to: number, nodeKey: number): void {
    for (let index = from; index < to; index++) (this.owners[index] ??= new Set()).add(nodeKey);
  }

  /** Whether the carrier is large enough for all that is left. */
  mayHold({ blobCount, sizeBytes }: Carrier): boolean {
    const left = this.leftover();
    if (!left || (blobCount ?? 0) < left.count) return false;
    return left.bytes === null || sizeBytes === null || sizeBytes >= left.bytes;
  }

  coverRest({ nodeKey }: Carrier): void {
    this.owners.forEach((owners, index) => {
      if (!owners) this.cover(index, index + 1, nodeKey);
    });
  }

  leftover(): Leftover | null {
    const blobs = this.blobs.filter((_, index) => !this.owners[index]);
    if (blobs.length === 0) return null;
    const bytes = sumsOf(blobs)?.at(-1);
    return { blobs, count: blobs.length, bytes: bytes === undefined ? null : BigInt(bytes) };
  }

  private hasBytes(from: number, to: number, bytes: bigint | null): boolean {
    if (bytes === null || !this.sums) return true;
    return BigInt((this.sums[to] ?? 0) - (this.sums[from] ?? 0)) === bytes;
  }
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
