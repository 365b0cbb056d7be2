import type { BillFragment } from './answers.gen.js';
import type { CostAnswer } from './use-cost.js';
import { isRunningAt, type Period } from './period.js';
import { count, share, toTia } from './words.js';

/** A budget of a chain for a period, from an alert rule. */
export interface Budget {
  readonly rule: string;
  readonly amountFloat: number;
  readonly unit: string;
}

const CHANGE = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });
/** A change from which on a factor reads better than per cent. */
const LARGE = 9;
const TIMES = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 2 });

/** The relative change between two figures in words: `+12.5%`, `none`, `unknown`. Null is unknown. */
export function changeOf(before: number | null | undefined, after: number | null | undefined): string {
  if (before === null || after === null || before === undefined || after === undefined) return 'unknown';
  if (before === after) return 'none';
  if (before === 0) return 'from 0';
  const change = after / before - 1;
  if (change >= LARGE) return `${TIMES.format(after / before)} times`;
  return `${change < 0 ? '−' : '+'}${CHANGE.format(Math.abs(change))}`;
}

type Fees = Pick<BillFragment, 'feeMinFloat' | 'feeMaxFloat'>;

/** The change of the fees; a lower bound of it where the newer fees have no upper bound. */
export function feeChangeOf(before: Fees | undefined, after: Fees): string {
  const isBound = after.feeMaxFloat === null && Boolean(after.feeMinFloat);
  const change = changeOf(before?.feeMaxFloat, isBound ? after.feeMinFloat : after.feeMaxFloat);
  return isBound && change !== 'unknown' ? `at least ${change}` : change;
}

type Spent = Pick<BillFragment, 'feeMinFloat' | 'feeMaxFloat' | 'fiatMinFloat' | 'fiatMaxFloat' | 'fiatUnit'>;

/** The used share of a budget, from 0 on; null where it is unknown. */
export function usedOf({ amountFloat, unit }: Budget, spent: Spent): readonly [number | null, number | null] {
  const bounds =
    unit === 'TIA'
      ? [spent.feeMinFloat, spent.feeMaxFloat].map(toTia)
      : [spent.fiatMinFloat, spent.fiatMaxFloat].map((fiat) => (spent.fiatUnit === unit ? fiat : null));
  const [least = null, most = null] = bounds.map((amount) => (amount === null ? null : amount / amountFloat));
  // Without an upper bound, a lower bound of 0 says nothing.
  return [most === null && least === 0 ? null : least, most];
}

/** The used share in words: `57.4%`, `57% to 60%`, `at least 57%`, `unknown`. */
export function usedInWords([least, most]: ReturnType<typeof usedOf>): string {
  const [from, to] = [least, most].map((part) => (part === null ? undefined : share(part)));
  if (from === undefined) return 'unknown';
  if (to === undefined) return `at least ${from}`;
  return from === to ? to : `${from} to ${to}`;
}

/** The fees of a period when it ends; or the reason why they are not forecast. */
export type Forecast =
  | { readonly utia: number; readonly bounds?: readonly [number, number]; readonly how: string }
  | { readonly none: string };

/** A time that is covered less may have cost more than what is known of it. */
const LEAST_COVERED = 0.9;
/** A shorter part of a period says little about the rest of it. */
const LEAST_PART = 0.1;

type Row = Pick<CostAnswer['rows'][number], 'time' | 'submissionsFloat'>;
type Total = Pick<
  CostAnswer['total'][number],
  | 'feeMinFloat'
  | 'feeMaxFloat'
  | 'unknownShare'
  | 'coverage'
  | 'counted'
  | 'forecastLowFloat'
  | 'forecastExpectedFloat'
  | 'forecastHighFloat'
>;

/**
 * The forecast of a period: for a month the recorded one, which also reports and alerts use; for the others the rate so far
 * times the length.
 * @param rows the period's buckets, ascending
 * @param nowMs the present of the page, in ms since 1970
 * @returns undefined for a period that is over, or has not begun
 */
export function forecastOf(
  period: Period,
  total: Total,
  rows: readonly Row[],
  nowMs: number,
): Forecast | undefined {
  if (!isRunningAt(period, nowMs)) return undefined;
  if (period.size === 'MONTH') return forecastOfMonth(total);
  const { coverage, unknownShare, counted, feeMinFloat, feeMaxFloat } = total;
  // The newest rows are counted within seconds: until then, the lower bound has the others.
  const spent = feeMaxFloat ?? (counted || unknownShare > 0 ? null : feeMinFloat);
  if (spent === null) return { none: 'the fees so far are not fully known' };
  if (coverage < LEAST_COVERED) return { none: `only ${share(coverage)} of the time so far is covered` };
  const first = rows.find(({ submissionsFloat }) => submissionsFloat !== null)?.time;
  const fromMs = Math.max(period.fromMs, first === undefined ? nowMs : Date.parse(first));
  const part = (nowMs - fromMs) / (period.toMs - period.fromMs);
  if (part < LEAST_PART)
    return { none: `only ${share(part)} of the ${period.size.toLowerCase()} is recorded` };
  const rate = spent / (nowMs - fromMs);
  return { utia: spent + rate * (period.toMs - nowMs), how: 'rate so far × length' };
}

function forecastOfMonth({ forecastLowFloat, forecastExpectedFloat, forecastHighFloat }: Total): Forecast {
  if (forecastExpectedFloat === null || forecastLowFloat === null || forecastHighFloat === null)
    return { none: 'fewer than 3 of the last 14 days are covered with known fees' };
  const bounds = [forecastLowFloat, forecastHighFloat] as const;
  return { utia: forecastExpectedFloat, bounds, how: 'in nine of ten months' };
}

/** The chain to show where the address names none: it has the newest known fees, and known fees in the most months. */
export function chainToOpen(
  months: readonly {
    readonly month: string | null;
    readonly chain: string | null;
    readonly feeMinFloat: number | null;
  }[],
  chains: readonly string[],
): string | undefined {
  const rankOf = (id: string): readonly [string, number] => {
    const known = months.filter(({ chain, feeMinFloat }) => chain === id && feeMinFloat);
    return [
      known
        .map(({ month }) => month ?? '')
        .toSorted()
        .at(-1) ?? '',
      known.length,
    ];
  };
  const ranked = chains.map((id) => ({ id, rank: rankOf(id) }));
  return ranked.toSorted(
    (a, b) => b.rank[0].localeCompare(a.rank[0]) || b.rank[1] - a.rank[1] || (a.id < b.id ? -1 : 1),
  )[0]?.id;
}

/** The basis of the fees, by shares of the submissions. */
export function basisOf(
  bill: Pick<BillFragment, 'importedShare' | 'recordedShare' | 'pricedShare' | 'unknownShare'>,
): string {
  const shares = [
    ['imported', bill.importedShare],
    ['price of the node', bill.recordedShare],
    ['price book', bill.pricedShare],
    ['unknown', bill.unknownShare],
  ] as const;
  const used = shares.filter(([, part]) => part > 0);
  const [only] = used;
  if (only === undefined) return 'no submission';
  return used.length === 1 ? only[0] : used.map(([name, part]) => `${name} ${share(part)}`).join(', ');
}

/** Bounds with all digits. */
export function inUtia({ feeMinFloat, feeMaxFloat }: Fees): string {
  return feeMaxFloat === null
    ? `${count(feeMinFloat)} utia or more`
    : `${count(feeMinFloat)} to ${count(feeMaxFloat)} utia`;
}
