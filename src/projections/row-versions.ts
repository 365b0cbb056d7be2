/** A version of a row, known from one position of the log to another (null: it stands). */
export interface RowVersion<Row> {
  readonly row: Row;
  readonly fromPosition: bigint;
  toPosition: bigint | null;
}

/**
 * The versions of rows that a batch of events makes, so that they can be written in two statements: versions that stood
 * before the batch are retired, new ones inserted. Versions that come and go within one event were never known.
 */
export class RowVersions<Row> {
  private readonly standing = new Map<string, RowVersion<Row>>();
  private readonly touched = new Set<string>();
  private readonly made: RowVersion<Row>[] = [];
  private readonly gone: { readonly row: Row; readonly position: bigint }[] = [];

  /** @param keyOf names what stays the same in all versions of a row */
  constructor(private readonly keyOf: (row: Row) => string) {}

  /** The row becomes this, whether it stood before or not. */
  put(row: Row, position: bigint): void {
    this.retire(row, position);
    this.standing.set(this.keyOf(row), { row, fromPosition: position, toPosition: null });
  }

  /** The row is no more. Only the members that the key is made of count. */
  retire(row: Row, position: bigint): void {
    const key = this.keyOf(row);
    const version = this.standing.get(key);
    if (version && version.fromPosition < position) this.made.push({ ...version, toPosition: position });
    if (!version && !this.touched.has(key)) this.gone.push({ row, position });
    this.touched.add(key);
    this.standing.delete(key);
  }

  /** Rows that may have stood before the batch, and the position at which they no longer did. */
  get retired(): readonly { readonly row: Row; readonly position: bigint }[] {
    return this.gone;
  }

  /** The versions that the batch made. */
  get inserted(): readonly RowVersion<Row>[] {
    return [...this.made, ...this.standing.values()];
  }
}
