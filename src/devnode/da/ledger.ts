/** A movement on an account. The entries of a transaction add up to zero. */
export interface LedgerEntry {
  /** DA height of the block that has it; 0 is genesis. */
  readonly height: bigint;
  readonly account: string;
  /** Negative when it leaves the account. */
  readonly utia: bigint;
  readonly kind: 'genesis' | 'fee' | 'sent' | 'received';
  /** Upper-case hex; empty for genesis. */
  readonly txHash: string;
}

interface BalanceAt {
  readonly height: bigint;
  readonly utia: bigint;
}

/** The accounts of a DA network, with their balances at each height. */
export class Ledger {
  /** Balances of each account after each height at which it changed, the oldest first. */
  private readonly balances = new Map<string, BalanceAt[]>();

  /** Adds an entry; heights never go back. */
  add({ account, height, utia }: LedgerEntry): void {
    const changes = this.balances.get(account) ?? [];
    const last = changes.at(-1);
    if (last?.height === height) changes.pop();
    changes.push({ height, utia: (last?.utia ?? 0n) + utia });
    this.balances.set(account, changes);
  }

  /** Balance in utia after the block at `height`; 0 for an account that does not exist then. */
  balanceOf(account: string, height: bigint): bigint {
    return this.find(account, height)?.utia ?? 0n;
  }

  /** Whether the account has ever received anything, up to `height`. */
  isKnown(account: string, height: bigint): boolean {
    return this.find(account, height) !== undefined;
  }

  /** Forgets changes before `height`, but for the balances that they led to. */
  prune(height: bigint): void {
    for (const changes of this.balances.values()) {
      const first = changes.findLastIndex((change) => change.height <= height);
      if (first > 0) changes.splice(0, first);
    }
  }

  private find(account: string, height: bigint): BalanceAt | undefined {
    return this.balances.get(account)?.findLast((change) => change.height <= height);
  }
}
