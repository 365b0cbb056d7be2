/**
 * Finds out what poisons a page of the work that an event left. A page that failed is tried again with half as much,
 * until a single row or cell fails. From there on each page is twice as large as the one before.
 */
export class PageCutter {
  private size: number;
  private poison: unknown;

  /** @param largest rows or cells of a page at most */
  constructor(private readonly largest: number) {
    this.size = largest;
  }

  /** Rows or cells that the next page takes at most. */
  get limit(): number {
    return this.size;
  }

  /** The error of the next row or cell, which failed alone and is to be left out; undefined: there is none. */
  get error(): unknown {
    return this.poison;
  }

  noteSuccess(): void {
    this.poison = undefined;
    this.size = Math.min(2 * this.size, this.largest);
  }

  noteFailure(error: unknown): void {
    if (this.size === 1) this.poison = error;
    else this.size = Math.max(1, Math.floor(this.size / 2));
  }
}
