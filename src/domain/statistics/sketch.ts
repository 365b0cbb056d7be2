import { LAST_BIN, readSketch, writeSketch } from './sketch-code.js';

/** Ratio of a bin's end to its start. */
export const SKETCH_GAMMA = 1.018;

/**
 * Natural logarithm of SKETCH_GAMMA, to all digits. SQL that computes bins divides by exactly this number, written as it prints,
 * so both arrive at the same bin.
 */
export const SKETCH_LOG_GAMMA = Math.log(SKETCH_GAMMA);

/** Greatest relative error of a percentile: half a bin, to its middle. 0.892 %. */
export const SKETCH_ERROR = (SKETCH_GAMMA - 1) / (SKETCH_GAMMA + 1);

/**
 * Bin of a value: 0 below 1, else 1 + floor(ln(value) / ln(SKETCH_GAMMA)). Bin b > 0 thus has the values from SKETCH_GAMMA^(b-1),
 * inclusive, to SKETCH_GAMMA^b, exclusive; 1 is in bin 1.
 * @throws RangeError if the value is not a finite number
 */
export function binOf(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`A sketch takes finite numbers only, not ${value}`);
  return value < 1 ? 0 : 1 + Math.floor(Math.log(value) / SKETCH_LOG_GAMMA);
}

/** The value that represents a bin: at most SKETCH_ERROR away from each value in it. 0 for bin 0. */
export function valueOfBin(bin: number): number {
  return bin === 0 ? 0 : (2 * SKETCH_GAMMA ** bin) / (SKETCH_GAMMA + 1);
}

/**
 * A distribution of durations (ms) or sizes (bytes) that can be added up: counts by logarithmic bins.
 *
 * Count and greatest value are exact. A percentile is off by at most SKETCH_ERROR (0.892 %) of the value it stands
 * for, however many sketches were merged. Values below 1 count as 0, so whole numbers keep the error for 0, too.
 * Sketches of equal content have equal bytes, and merging them is commutative and associative.
 */
export class Sketch {
  private readonly bins = new Map<number, number>();
  private total = 0;
  private greatest: number | null = null;
  /** The bins in order; undefined after one is added. */
  private ordered: readonly (readonly [number, number])[] | undefined;

  private constructor() {}

  static empty(): Sketch {
    return new Sketch();
  }

  /** @throws Error that says what is wrong with the bytes if `encode` did not write them */
  static decode(bytes: Uint8Array): Sketch {
    return new Sketch().mergeEncoded(bytes);
  }

  get count(): number {
    return this.total;
  }

  /** The greatest value, exact (0 if it is below 0); null without values. */
  get max(): number | null {
    return this.greatest;
  }

  /** Adds a value, or several equal ones. */
  add(value: number, count = 1): this {
    return this.addBin(binOf(value), count, value);
  }

  /**
   * Adds values that were counted elsewhere.
   * @param bin as `binOf` returns it for each of them
   * @param max the greatest of these values, or of all values in a series of calls
   */
  addBin(bin: number, count: number, max: number): this {
    if (!Number.isSafeInteger(bin) || bin < 0 || bin > LAST_BIN) throw new RangeError(`Not a bin: ${bin}`);
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`Not a count: ${count}`);
    if (!Number.isFinite(max)) throw new RangeError(`A sketch takes finite numbers only, not ${max}`);
    if (count === 0) return this;
    this.ordered = undefined;
    this.bins.set(bin, (this.bins.get(bin) ?? 0) + count);
    this.total += count;
    this.greatest = Math.max(this.greatest ?? 0, max);
    return this;
  }

  /** Adds all values of another sketch, which remains unchanged. */
  merge(other: Sketch): this {
    const { greatest } = other;
    if (greatest === null) return this;
    for (const [bin, count] of other.bins) this.addBin(bin, count, greatest);
    return this;
  }

  /** Merges from bytes without creating a sketch first. Adds nothing if they are invalid. */
  mergeEncoded(bytes: Uint8Array): this {
    const { bins, max } = readSketch(bytes);
    for (const [bin, count] of bins) this.addBin(bin, count, max);
    return this;
  }

  copy(): Sketch {
    return new Sketch().merge(this);
  }

  /**
   * The value at nearest rank: the smallest one such that at least a share `p` of all values is at or below it. It is the middle
   * of its bin, but never above the greatest value. The last rank is the greatest value itself. Null without values.
   * @param p from 0 to 1
   */
  percentile(p: number): number | null {
    if (!(p >= 0 && p <= 1))
      throw new RangeError(`A percentile is asked for as a share from 0 to 1, not ${p}`);
    if (this.greatest === null) return null;
    const rank = nearestRank(p, this.total);
    if (rank >= this.total) return this.greatest;
    let seen = 0;
    for (const [bin, count] of this.sorted()) {
      seen += count;
      if (seen >= rank) return Math.min(valueOfBin(bin), this.greatest);
    }
    return this.greatest;
  }

  /** Encodes the sketch: about two bytes for each distinct value, see sketch-code.ts. */
  encode(): Buffer {
    return writeSketch({ bins: this.sorted(), max: this.greatest ?? 0 });
  }

  private sorted(): readonly (readonly [number, number])[] {
    this.ordered ??= [...this.bins].sort(([a], [b]) => a - b);
    return this.ordered;
  }
}

/** Rank, from 1, of a share among `count` values. Rounded first: 0.07 * 100 is 7, not a little more. */
export function nearestRank(p: number, count: number): number {
  return Math.max(1, Math.ceil(Number((p * count).toPrecision(15))));
}
