import { countWhile, entryOf } from '../collections.js';
import type { Bounds } from '../cost/pay-for-blobs.js';

/** A balance in utia, and the DA height whose state has it. */
export interface BalanceAtHeight {
  readonly daHeight: bigint;
  readonly amount: bigint;
}

/** Two balances, one after the other, of which the later one is higher: there was a top-up between them. */
export interface Rise {
  /** DA height of the earlier balance. */
  readonly afterHeight: bigint;
  /** DA height of the later balance. */
  readonly toHeight: bigint;
  /** utia; above 0. */
  readonly change: bigint;
}

/** A submission that landed, and the fee of its transaction. */
export interface LandedFee {
  readonly chain: string;
  readonly daHeight: bigint;
  /** utia; null if unknown. */
  readonly fee: Bounds | null;
  /** Whether this account is known to have paid. If not, another account may have. */
  readonly isOurs: boolean;
}

/** utia; null: no bound is known. */
export interface OpenBounds {
  readonly min: bigint | null;
  readonly max: bigint | null;
}

interface ChainFees extends OpenBounds {
  readonly chain: string;
  /** Landed submissions, also those of which it is not known whether this account paid. */
  readonly submissions: bigint;
}

/** The comparison of an account's balances with the fees of its submissions. */
export interface Reconciled {
  readonly fees: OpenBounds;
  /** The cost of failed attempts at most, if all were charged; null if no bound is known. */
  readonly failedMax: bigint | null;
  /** Sorted by chain. */
  readonly chains: readonly ChainFees[];
  /** Money that came in between balances that rose, less other spending between them. */
  readonly topUps: OpenBounds;
  /** The fall of the balance, where it did not rise, less the fees of that time. */
  readonly difference: OpenBounds;
  /** Whether the difference can be 0; null if bounds are missing to say so. */
  readonly agrees: boolean | null;
}

class FeeSum {
  submissions = 0n;
  /** Submissions that this account is known to have paid. */
  ours = 0n;
  min = 0n;
  /** Null as soon as one fee is unknown. */
  max: bigint | null = 0n;

  add({ fee, isOurs }: LandedFee): void {
    this.submissions += 1n;
    if (isOurs) this.ours += 1n;
    if (isOurs) this.min += fee?.min ?? 0n;
    this.max = fee === null || this.max === null ? null : this.max + fee.max;
  }
}

/**
 * Compares the balances of an account at two DA heights with the fees of the submissions between them. A transaction in block H
 * is paid in the state of H. Where a balance rose, the top-up hides what was spent: the fees of that time tell the top-up, and
 * only the rest of the time is compared.
 */
export class Reconciliation {
  private readonly byChain = new Map<string, FeeSum>();
  private readonly inRises = new FeeSum();
  private readonly elsewhere = new FeeSum();
  private readonly failed = new FeeSum();

  /** @param rises between the two balances, ascending */
  constructor(
    readonly opening: BalanceAtHeight,
    readonly closing: BalanceAtHeight,
    private readonly rises: readonly Rise[],
  ) {}

  /** Adds a submission; one outside the two heights is ignored. */
  add(paid: LandedFee): void {
    const { chain, daHeight } = paid;
    if (daHeight <= this.opening.daHeight || daHeight > this.closing.daHeight) return;
    entryOf(this.byChain, chain, () => new FeeSum()).add(paid);
    (this.isInRise(daHeight) ? this.inRises : this.elsewhere).add(paid);
  }

  /**
   * Adds an attempt that failed. Usually it cost nothing, but its transaction may have been charged, at a DA height that nobody
   * names.
   */
  addFailed(fee: Bounds | null): void {
    this.failed.add({ chain: '', daHeight: 0n, fee, isOurs: false });
  }

  /** @param isComplete whether no submission can be missing; if not, fees have no upper bound */
  finish(isComplete: boolean): Reconciled {
    const boundsOf = ({ min, max }: FeeSum) => ({ min, max: isComplete ? max : null });
    const risen = this.rises.reduce((sum, { change }) => sum + change, 0n);
    const fallen = this.opening.amount - this.closing.amount + risen;
    const [inRises, elsewhere, failed] = [this.inRises, this.elsewhere, this.failed].map(boundsOf) as [
      Sum,
      Sum,
      Sum,
    ];
    const paid = addUp(elsewhere, failed);
    const difference = { min: paid.max === null ? null : fallen - paid.max, max: fallen - paid.min };
    // Fees that may all be another account's fit whatever happened.
    const isProof = this.elsewhere.ours > 0n || this.elsewhere.submissions === 0n;
    return {
      fees: addUp(inRises, elsewhere),
      chains: [...this.byChain]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([chain, sum]) => ({ chain, submissions: sum.submissions, ...boundsOf(sum) })),
      topUps:
        this.rises.length === 0
          ? { min: 0n, max: 0n }
          : addUp(addUp({ min: risen, max: risen }, inRises), failed),
      failedMax: failed.max,
      difference,
      agrees: canBeZero(difference) && (isProof || null),
    };
  }

  private isInRise(daHeight: bigint): boolean {
    const rise = this.rises[countWhile(this.rises, ({ toHeight }) => toHeight < daHeight)];
    return rise !== undefined && daHeight > rise.afterHeight;
  }
}

type Sum = OpenBounds & { readonly min: bigint };

function addUp(a: Sum, b: Sum): Sum {
  return { min: a.min + b.min, max: a.max === null || b.max === null ? null : a.max + b.max };
}

function canBeZero({ min, max }: OpenBounds): boolean | null {
  if ((min !== null && min > 0n) || (max !== null && max < 0n)) return false;
  return min === null || max === null ? null : true;
}
