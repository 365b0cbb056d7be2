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
