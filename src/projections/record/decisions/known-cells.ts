import { entryOf } from '../../../domain/collections.js';

/**
 * Cells of which every success is confirmed and every blob carried. The frontier changes nothing there when it passes, as long as
 * nothing more is told. Remembered from batch to batch; what is forgotten is only decided once more.
 */
export class SettledCells {
  private readonly chains = new Map<string, Set<bigint>>();
  private count = 0;

  /** @param most cells that are remembered at most; beyond that all are forgotten */
  constructor(private readonly most = 100_000) {}

  has(chain: string, daHeight: bigint): boolean {
    return this.chains.get(chain)?.has(daHeight) ?? false;
  }

  /** Notes how a cell was decided. */
  note(chain: string, daHeight: bigint, isSettled: boolean): void {
    if (!isSettled) {
      if (this.chains.get(chain)?.delete(daHeight)) this.count -= 1;
      return;
    }
    if (this.has(chain, daHeight)) return;
    if (this.count >= this.most) {
      this.chains.clear();
      this.count = 0;
    }
    this.count += 1;
    entryOf(this.chains, chain, () => new Set()).add(daHeight);
  }
}

/** The highest DA height of a chain, or a higher one: in what is new, above all that is stored, nothing is to be found. */
export class HighestDa {
  private readonly chains = new Map<string, bigint>();

  /** @param ofAll the highest of all chains */
  constructor(private readonly ofAll: bigint) {}

  of(chain: string): bigint {
    return this.chains.get(chain) ?? this.ofAll;
  }

  raise(chain: string | null, daHeight: bigint | null): void {
    if (chain === null || daHeight === null) return;
    if (daHeight > this.of(chain)) this.chains.set(chain, daHeight);
  }
}
