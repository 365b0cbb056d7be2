/** An upper bound of each chain's DA heights in the tables: above it a query would find nothing. */
export class HighestDa {
  private readonly chains = new Map<string, bigint>();

  /** @param ofAll the highest DA height of all chains */
  constructor(private readonly ofAll: bigint) {}

  of(chain: string): bigint {
    return this.chains.get(chain) ?? this.ofAll;
  }

  raise(chain: string | null, daHeight: bigint | null): void {
    if (chain === null || daHeight === null) return;
    if (daHeight > this.of(chain)) this.chains.set(chain, daHeight);
  }
}
