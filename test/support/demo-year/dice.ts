import { seededInteger } from '../../../src/devnode/seeded-random.js';

/** Returns the same numbers for the same seed. */
export class Dice {
  private thrown = 0;

  constructor(private readonly seed: string) {}

  /** A whole number in `[0, end)`; `end` is at most 2^32. */
  below(end: number): number {
    this.thrown += 1;
    return seededInteger(end, this.seed, this.thrown);
  }

  /** A whole number in `[from, to)`. */
  between(from: number, to: number): number {
    return from + this.below(to - from);
  }

  /** True in this share of calls. */
  chance(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000;
  }
}
