import { isSubmission, type TrueCost, type TrueCosts } from './truth-cost.js';
import { amountText, ONE, toAmount } from './truth-money.js';
import type { TrueRow } from './truth-rows.js';

/** A figure: text is an exact number, a list is a distribution. */
export type Figure = string | number | null | readonly number[];
export type Figures = Readonly<Record<string, Figure>>;

/** Every figure of submissions, by plain loops over the rows of a bucket. */
export function submissionFigures(rows: readonly TrueRow[], costs: TrueCosts): Figures {
  const seen = rows.filter(({ nodeKey }) => nodeKey !== null);
  const successes = seen.filter(({ status }) => status === 'SUCCESS');
  const submissions = rows.filter(isSubmission);
  const measured = submissions.filter(({ blobs, bytes }) => blobs !== null && bytes !== null);
  const shares = submissions.map((row) => costs.of(row).shares);
  const known = shares.filter((each) => each !== null);
  const isKnown = known.length === submissions.length;
  const measuredBlobs = sum(measured.map(({ blobs }) => blobs));
  return {
    attempts: text(seen.length),
    successes: text(successes.length),
    failures: text(seen.length - successes.length),
    successRate: seen.length === 0 ? null : successes.length / seen.length,
    reconstructed: text(rows.filter(({ evidence }) => evidence === 'RECONSTRUCTED').length),
    undecided: text(rows.filter(({ evidence }) => evidence === 'UNDECIDED').length),
    landed: text(
      submissions.filter(({ status, nodeKey }) => nodeKey !== null && status !== 'SUCCESS').length,
    ),
    unreferenced: text(successes.filter(({ evidence }) => evidence === 'UNREFERENCED').length),
    unreadable: text(submissions.length - measured.length),
    blobCount: text(sum(submissions.map(({ blobs }) => blobs))),
    sizeBytes: text(sum(submissions.map(({ bytes }) => bytes))),
    averageBlobBytes:
      measuredBlobs === 0n ? null : Number(sum(measured.map(({ bytes }) => bytes))) / Number(measuredBlobs),
    sharesMin: known.length === 0 && !isKnown ? null : text(sum(known.map(({ min }) => min))),
    sharesMax: isKnown ? text(sum(known.map(({ max }) => max))) : null,
    reconstructedShares: text(
      sum(rows.filter(isExactlyReconstructed).map((row) => costs.of(row).shares?.min ?? null)),
    ),
    ...gasPriceFigures(seen),
    ...timeFigures(successes),
    blobBytes: blobSizes(submissions),
  };
}

function isExactlyReconstructed({ evidence, carried }: TrueRow): boolean {
  return evidence === 'RECONSTRUCTED' && carried !== null && carried.every(({ bytes }) => bytes !== null);
}

function gasPriceFigures(rows: readonly TrueRow[]): Figures {
  const told = rows.filter(({ gasPrice }) => gasPrice !== null);
  if (told.length === 0) {
    return { gasPriceMin: null, gasPriceMean: null, gasPriceMax: null, gasPriceLast: null };
  }
  const prices = told.map(({ gasPrice }) => toAmount(gasPrice ?? ''));
  const highest = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => (b > a ? b : a));
  const latest = highest(told.map(({ timeUs }) => timeUs));
  return {
    gasPriceMin: amountText(prices.reduce((a, b) => (b < a ? b : a))),
    gasPriceMean: Number(sum(prices)) / prices.length / Number(ONE),
    gasPriceMax: amountText(highest(prices)),
    gasPriceLast: amountText(highest(prices.filter((_, index) => told[index]?.timeUs === latest))),
  };
}

/**
 * The time from each block to the success that posted its header or its data; and from a batch's first attempt to its success.
 */
function timeFigures(successes: readonly TrueRow[]): Figures {
  const lagsNs: bigint[] = [];
  const timesUs: bigint[] = [];
  for (const { evidence, carried, timeUs, firstAttemptUs } of successes) {
    if (firstAttemptUs !== null) timesUs.push(atLeastZero(timeUs - firstAttemptUs));
    if (evidence !== 'CONFIRMED') continue;
    for (const { timeNs } of carried ?? []) lagsNs.push(atLeastZero(timeUs * 1000n - timeNs));
  }
  const inMs = (times: readonly bigint[], perMs: number): number[] =>
    times.map((time) => Number(time) / perMs).sort((a, b) => a - b);
  return {
    inclusionLagMs: inMs(lagsNs, 1e6),
    lagCount: text(lagsNs.length),
    lagSumNs: text(sum(lagsNs)),
    submissionTimeMs: inMs(timesUs, 1e3),
    submissionCount: text(timesUs.length),
    submissionSumUs: text(sum(timesUs)),
  };
}

function atLeastZero(time: bigint): bigint {
  return time < 0n ? 0n : time;
}

/** Exact sizes where a submission's blocks are known, or else its mean for each of its blobs. */
function blobSizes(submissions: readonly TrueRow[]): number[] {
  const sizes: number[] = [];
  for (const { blobs, bytes, carried } of submissions) {
    const mean = blobs && bytes !== null ? Number(bytes) / Number(blobs) : undefined;
    for (let blob = 0n; blob < (blobs ?? 0n); blob++) {
      const size = carried ? carried[Number(blob)]?.bytes : undefined;
      const value = size !== undefined && size !== null ? Number(size) : mean;
      if (value !== undefined) sizes.push(value);
    }
  }
  return sizes.sort((a, b) => a - b);
}

/** Every figure of cost. */
export function costFigures(rows: readonly TrueRow[], costs: TrueCosts): Figures {
  const submissions = rows.filter(isSubmission);
  const failed = rows.filter((row) => !isSubmission(row));
  const found = submissions.map((row) => ({ row, ...costs.of(row) }));
  const fees = found.flatMap(({ fee }) => fee ?? []);
  const gas = found.flatMap((each) => each.gas ?? []);
  const wasted = found.flatMap(({ row, fee }) => (row.evidence === 'UNREFERENCED' ? (fee ?? []) : []));
  const failedFees = failed.flatMap((row) => costs.of(row).fee ?? []);
  const share = (basis: string): number =>
    submissions.length === 0 ? 0 : fees.filter((fee) => fee.basis === basis).length / submissions.length;
  const all = submissions.length;
  const waste = submissions.filter(({ evidence }) => evidence === 'UNREFERENCED').length;
  return {
    submissions: text(all),
    ...limitsOf('gas', gas, all),
    ...limitsOf('fee', fees, all),
    ...fiatFigures(
      found.map(({ fiat }) => fiat),
      all,
    ),
    failedAttempts: text(failed.length),
    failedFeeMax: failedFees.length < failed.length ? null : text(sum(failedFees.map(({ max }) => max))),
    importedShare: share('IMPORTED'),
    recordedShare: share('RECORDED'),
    pricedShare: share('PRICED'),
    unknownShare: all === 0 ? 0 : (all - fees.length) / all,
    unreferenced: text(waste),
    wastedFeeMin: waste > 0 && wasted.length === 0 ? null : text(sum(wasted.map(({ min }) => min))),
    wastedFeeMax: waste > 0 && fees.length < all ? null : text(sum(wasted.map(({ max }) => max))),
    headerShare: shareOfKind('HEADER', found),
    dataShare: shareOfKind('DATA', found),
    landed: text(found.filter(({ row }) => row.evidence === 'CONFIRMED' && row.status !== 'SUCCESS').length),
    sizeBytes: text(sum(submissions.map(({ bytes }) => bytes))),
  };
}

/** Without monitoring and records, counts and costs are unknown, not 0. */
export function withoutCounts(figures: Figures): Figures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, typeof figure === 'string' ? null : figure]),
  );
}

/** Sums of rows: fees that no submission paid are absent from the sum, not 0. */
export function withoutFeesOfNone(figures: Figures): Figures {
  if (figures['submissions'] !== '0') return figures;
  const money = /^(gas|fee|fiat|wasted)/;
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, money.test(name) ? null : figure]),
  );
}

interface Limits {
  readonly min: bigint;
  readonly max: bigint;
}

/** The lower bound of known costs; an upper bound only if all are known. */
function limitsOf(name: string, known: readonly Limits[], all: number): Figures {
  const isAll = known.length === all;
  return {
    [`${name}Min`]: known.length === 0 && !isAll ? null : text(sum(known.map(({ min }) => min))),
    [`${name}Max`]: isAll ? text(sum(known.map(({ max }) => max))) : null,
  };
}

/** Only in one currency; costs in two currencies have no sum. */
function fiatFigures(known: readonly ((Limits & { unit: string }) | null)[], all: number): Figures {
  if (all === 0) return { fiatMin: '0', fiatMax: '0', fiatUnit: null };
  const told = known.filter((each) => each !== null);
  const units = [...new Set(told.map(({ unit }) => unit))];
  if (units.length !== 1) return { fiatMin: null, fiatMax: null, fiatUnit: null };
  return {
    fiatMin: amountText(sum(told.map(({ min }) => min))),
    fiatMax: told.length === all ? amountText(sum(told.map(({ max }) => max))) : null,
    fiatUnit: units[0] ?? null,
  };
}

/** The share of one kind in the upper bound of the fee, or else of the gas. */
function shareOfKind(kind: string, found: readonly (TrueCost & { readonly row: TrueRow })[]): number | null {
  for (const name of ['fee', 'gas'] as const) {
    const most = (rows: typeof found): bigint => sum(rows.map((each) => each[name]?.max ?? null));
    const ofKind = found.filter(({ row }) => row.kind === kind);
    if (most(found) > 0n) return Number(most(ofKind)) / Number(most(found));
  }
  return null;
}

function sum(values: readonly (bigint | null)[]): bigint {
  let total = 0n;
  for (const value of values) total += value ?? 0n;
  return total;
}

function text(value: number | bigint): string {
  return String(value);
}
