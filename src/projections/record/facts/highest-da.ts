/** An upper bound of each chain's DA heights in the tables: above it a query would find nothing. */
export class HighestDa {
  private readonly chains = new Map<string, bigint>();

  /** @param ofAll an upper bound for every chain */
  constructor(private ofAll: bigint) {}

  of(chain: string): bigint {
    const own = this.chains.get(chain) ?? this.ofAll;
    return own > this.ofAll ? own : this.ofAll;
  }

  /** @param chain of the row or block; null if it is not known, so that it may be of every chain */
  raise(chain: string | null, daHeight: bigint | null): void {
    if (daHeight === null) return;
    if (chain !== null) {
      if (daHeight > this.of(chain)) this.chains.set(chain, daHeight);
    } else if (daHeight > this.ofAll) this.ofAll = daHeight;
  }
}
