import type { MeasuredBlob } from './measured-block.js';

/** Blobs that go out in one submission. */
export interface Load extends MeasuredBlob {
  readonly blobs: number;
}

const NOTHING: Load = { blobs: 0, bytes: 0, shares: 0, signedShares: 0 };

/**
 * Fills submissions with blobs in their order: a blob that no longer fits opens the next submission. A blob larger than the
 * limit goes alone.
 */
export class BlobPacking {
  private readonly full: Load[] = [];
  private open: Load = NOTHING;

  constructor(private readonly maxBytes: number) {}

  add({ bytes, shares, signedShares }: MeasuredBlob): void {
    if (this.open.blobs > 0 && this.open.bytes + bytes > this.maxBytes) {
      this.full.push(this.open);
      this.open = NOTHING;
    }
    this.open = joined(this.open, { blobs: 1, bytes, shares, signedShares });
  }

  /** The added blobs as submissions; empties the packing. */
  take(): Load[] {
    const loads = this.open.blobs > 0 ? [...this.full, this.open] : [];
    this.full.length = 0;
    this.open = NOTHING;
    return loads;
  }

  /** The submissions of both, their last ones joined if they fit: never more submissions than taken one by one. */
  takeWith(other: BlobPacking): Load[] {
    const [mine, theirs] = [this.take(), other.take()];
    const [last, otherLast] = [mine.at(-1), theirs.at(-1)];
    if (!last || !otherLast || last.bytes + otherLast.bytes > this.maxBytes) return [...mine, ...theirs];
    return [...mine.slice(0, -1), ...theirs.slice(0, -1), joined(last, otherLast)];
  }
}

function joined(a: Load, b: Load): Load {
  return {
    blobs: a.blobs + b.blobs,
    bytes: a.bytes + b.bytes,
    shares: a.shares + b.shares,
    signedShares: a.signedShares + b.signedShares,
  };
}
