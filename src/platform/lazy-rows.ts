/** Rows that are made when somebody takes them, and kept nowhere: what they are made from is often far smaller. */
export class LazyRows<T> implements Iterable<T> {
  private constructor(
    readonly length: number,
    /** The row at a place from 0 to `length` - 1, made anew each time. */
    readonly at: (index: number) => T,
  ) {}

  static none<T>(): LazyRows<T> {
    return new LazyRows<T>(0, (index) => {
      throw new RangeError(`there is no row ${index}`);
    });
  }

  static from<S, T>(sources: readonly S[], make: (source: S) => T): LazyRows<T> {
    return new LazyRows(sources.length, (index) => {
      const source = sources[index];
      if (source === undefined) throw new RangeError(`there is no row ${index}`);
      return make(source);
    });
  }

  map<R>(convert: (row: T) => R): LazyRows<R> {
    return new LazyRows(this.length, (index) => convert(this.at(index)));
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index);
  }
}
