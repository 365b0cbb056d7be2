/** An upper bound of each chain's DA heights in the tables: above it a query would find nothing. */
export class HighestDa {
  private readonly chains = new Map<string, bigint>();

  /** @param ofAll the highest DA height of all chains */
  constructor(private ofAll: bigint) {}

  of(chain: string): bigint {
    const own = this.chains.get(chain) ?? this.ofAll;
    return own > this.ofAll ? own : this.ofAll;
  }

  /** @param chain null: any chain */
  raise(chain: string | null, daHeight: bigint | null): void {
    if (daHeight === null) return;
    if (chain === null) this.ofAll = daHeight > this.ofAll ? daHeight : this.ofAll;
    else if (daHeight > this.of(chain)) this.chains.set(chain, daHeight);
  }
}
