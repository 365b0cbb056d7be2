import type { Micros } from '../time.js';

/** A balance of an account, as the DA node behind a rollup node reported it. */
export interface ReportedBalance {
  /** Id of the rollup node. */
  readonly node: string;
  readonly observedAt: Micros;
  /** utia; null: it could not be read. */
  readonly amount: bigint | null;
  /** The DA height whose state has this balance; null if unknown. */
  readonly daHeight: bigint | null;
}

/** The end of an account's line of balances. */
export interface BalanceLine {
  /** The last row, whether or not it could be read. */
  readonly last: ReportedBalance;
  /** The last balance that could be read; null before the first one. */
  readonly known: (ReportedBalance & { readonly amount: bigint }) | null;
}

/** After this time without a balance from the node that reported the last one, another node's is believed. */
const SILENT_US: Micros = 600_000_000n;

/**
 * Whether a balance is a new row of its account. Several nodes may watch one account: each DA height counts once. A balance of
 * another node that is not known to be of a later DA height may be the older one, and would look like a top-up.
 */
export function isNewBalance(line: BalanceLine | undefined, next: ReportedBalance): boolean {
  if (line === undefined) return true;
  const { last, known } = line;
  const isSameNode = last.node === next.node;
  if (next.amount === null) return isSameNode && last.amount !== null;
  if (known === null) return true;
  if (known.daHeight !== null && known.daHeight === next.daHeight) return false;
  const isLater = known.daHeight !== null && next.daHeight !== null && next.daHeight > known.daHeight;
  const isEarlier = known.daHeight !== null && next.daHeight !== null && next.daHeight < known.daHeight;
  if (isEarlier && !isSameNode) return false;
  return isLater || isSameNode || next.observedAt - last.observedAt > SILENT_US;
}

/** utia against the balance before; null where either is unknown. */
export function changeOf(line: BalanceLine | undefined, { amount }: ReportedBalance): bigint | null {
  const before = line?.known?.amount;
  return before === undefined || amount === null ? null : amount - before;
}

export function lineAfter(line: BalanceLine | undefined, next: ReportedBalance): BalanceLine {
  const { amount } = next;
  return { last: next, known: amount === null ? (line?.known ?? null) : { ...next, amount } };
}

/** A balance that does not change is recorded again within this time; one that is older is not the present one. */
export const RECORDED_WITHIN_US: Micros = 2n * 3_600_000_000n;

/**
 * The balance of an account by the last report of each of its nodes: the newest one that could be read. Where none could be
 * read lately, the newest report, without an amount. Undefined without reports.
 */
export function latestReport<R extends Pick<ReportedBalance, 'observedAt'> & { readonly amount: unknown }>(
  reports: readonly R[],
): R | undefined {
  const sorted = reports.toSorted((a, b) => Number(b.observedAt - a.observedAt));
  const [newest] = sorted;
  const known = sorted.find(({ amount }) => amount !== null);
  return newest && known && newest.observedAt - known.observedAt <= RECORDED_WITHIN_US ? known : newest;
}
