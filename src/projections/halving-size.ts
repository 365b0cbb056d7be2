/**
 * The size of a unit of work of which one item may fail because of its data. A failed unit is retried with half as many items,
 * until that item fails alone. After that each unit is twice as large as the one before, so a failing item costs a few tries.
 */
export class HalvingSize {
  private size: number;

  /** @param largest the most items in a unit */
  constructor(private readonly largest: number) {
    this.size = largest;
  }

  /** The most items that the next unit takes. */
  get limit(): number {
    return this.size;
  }

  noteSuccess(): void {
    this.size = Math.min(2 * this.size, this.largest);
  }

  /**
   * @param items the number of items in the failed unit
   * @returns whether a single item failed, which is the culprit
   */
  noteFailure(items: number): boolean {
    if (items <= 1) return true;
    this.size = Math.max(1, Math.floor(Math.min(items, this.size) / 2));
    return false;
  }
}
