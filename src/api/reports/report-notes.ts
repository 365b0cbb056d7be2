import { budgetPeriodName } from '../../domain/cost/budget-period.js';
import { Decimal } from '../../domain/cost/decimal.js';
import { comparisonText } from '../../domain/funds/fund-words.js';
import type { OpenBounds } from '../../domain/funds/reconciliation.js';
import { toPrintable } from '../../domain/printable-text.js';
import { nextBucket } from '../../domain/statistics/time-buckets.js';
import { priceText } from '../../domain/cost/price-text.js';
import { toTia } from './report-columns.js';
import type { ChainReport, ReportedReconciliation } from '../../statistics/read/cost/chain-report.reader.js';
import { toLocalText, toRangeText, toSizeWords } from '../../domain/statistics/period-text.js';

/** A sentence, or nothing if it does not apply. */
type Note = string | false | null | undefined | 0 | 0n;

/** Notes that belong to the figures of a report, in printable sentences that need no other knowledge. */
export function noteReport(report: ChainReport): string[] {
  const notes: Note[] = [
    noteUncounted(report),
    ...noteMoment(report),
    ...noteReach(report),
    ...noteFees(report),
    notePrices(report),
    noteFailures(report),
    ...report.reconciliations.map((each) => noteReconciliation(each, report.zone)),
    ...noteCoverage(report),
    noteForecast(report),
    ...report.budgets.map((budget) => noteBudget(budget, report.zone)),
  ];
  return notes.flatMap((note) => (note ? toPrintable(note) : []));
}

/** A sentence on what the report does not count yet; undefined if it counts everything. */
export function noteUncounted({
  chain,
  bucket,
  total: { rows, uncounted },
}: ChainReport): string | undefined {
  if (uncounted === 0) return undefined;
  const periods = countOf(rows, toSizeWords(bucket));
  return `Not counted yet: ${uncounted} of ${periods} of chain ${chain}. Their figures lack some of the record, so they are "at least" or unknown.`;
}

const MONTH_NAMES = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

function noteMoment({ question: { knownAtUs, pricesAsOfUs, yearStart }, zone }: ChainReport): Note[] {
  return [
    yearStart !== undefined &&
      `The fiscal year begins with ${MONTH_NAMES.format(Date.UTC(2000, yearStart - 1))} and is named for the year in which it ends.`,
    knownAtUs !== undefined &&
      `As known at ${toLocalText(knownAtUs, zone)}: submissions and prices that were recorded later are left out. Coverage is as known today.`,
    pricesAsOfUs !== undefined &&
      `The whole time is priced at the price book's prices of ${toLocalText(pricesAsOfUs, zone)}. Fees that were read from the DA layer and gas prices that nodes reported are unchanged.`,
  ];
}

/** Notes on the part of the time that is outside of the record. */
function noteReach({ range, extent, zone, bucket, question }: ChainReport): Note[] {
  if (extent === undefined) return ['Nothing is recorded for this chain yet.'];
  if (range === undefined) return ['Nothing is recorded in this time.'];
  const { fromUs, toUs } = range;
  const [first, last] = [extent.fromUs, extent.lastUs].map((us) => toLocalText(us, zone));
  if (toUs <= extent.fromUs || fromUs > extent.lastUs)
    return [`Nothing is recorded in this time: the record reaches from ${first} to ${last}.`];
  // The coverage column shows where the record begins or ends within a bucket.
  const endsUs = nextBucket(extent.lastUs, bucket, zone);
  return [
    fromUs < extent.fromUs &&
      `The record begins in the quarter hour of ${first}: nothing is known about the time before.`,
    toUs > endsUs &&
      endsUs <= question.nowUs &&
      `The record ends at ${last}: nothing is known about the time after.`,
    toUs > question.nowUs && 'The last period is not over.',
  ];
}

/** `1 gap`, `2 gaps`. */
function countOf(count: bigint | number, what: string): string {
  return `${count} ${what}${Number(count) === 1 ? '' : 's'}`;
}

const BASIS_NOTES = {
  importedShare: '"imported": the fee was read from the DA layer and imported.',
  recordedShare:
    '"recorded": computed from the sizes of the blobs and the gas price that the node itself reported.',
  pricedShare: '"price book": computed from the sizes of the blobs and the gas price in the price book.',
  unknownShare:
    '"unknown": there is no price for these submissions, so the fee lacks them and is "at least". `hindsight prices set` gives them one.',
} as const;

function noteFees({ total, groupBy, rows }: ChainReport): Note[] {
  if (!total.submissions) return [];
  const units = [...new Set(rows.flatMap(({ fiatUnit }) => fiatUnit ?? []))];
  const shares = Object.keys(BASIS_NOTES) as (keyof typeof BASIS_NOTES)[];
  const bases = shares.filter((share) => total[share] > 0).map((share) => BASIS_NOTES[share]);
  const isRange = total.feeMin !== null && total.feeMax?.compare(total.feeMin) !== 0;
  return [
    'Fees are in TIA (1 TIA = 1,000,000 utia). Submissions are those that reached the DA layer.',
    groupBy.includes('NODE') &&
      'Rows of nodes count what each node showed, and several nodes may show the same submission; the total counts each submission once.',
    isRange &&
      'A fee from … to …: the exact sizes of some blobs are not known; the fee lies between the two.',
    `Basis: the source of a fee. ${bases.join(' ')}`,
    total.fiatUnit !== null &&
      total.fiatMax === null &&
      `Fees in ${total.fiatUnit} use the rate at the time of each submission. Some fees or rates are not known, so the total is "at least".`,
    units.length > 1 &&
      `There are rates in ${units.join(' and ')} in this time, so there is no total in any of them.`,
    total.landed &&
      `The submissions include ${countOf(total.landed, 'attempt')} that the node reported as failed although the blobs are on the DA layer: they were paid for.`,
    total.unreadable &&
      `The size of ${countOf(total.unreadable, 'submission')} is not known, and not included in the data posted.`,
    total.unreferenced &&
      `Wasted: no block of the chain points to ${countOf(total.unreferenced, 'submission')} (paid for, and included in the fee).`,
  ];
}

/** Prices that one note names. */
const NAMED_PRICES = 10;

/** When prices begin, by the clocks of the report: a UTC day begins at another hour than the report's days. */
function notePrices({ prices, zone }: ChainReport): Note {
  const named = prices
    .slice(0, NAMED_PRICES)
    .map((price) => `${priceText(price)} from ${toLocalText(price.effectiveFrom ?? 0n, zone)}`);
  const more = prices.length - named.length;
  const others = more === 0 ? '' : `; ${more} more are in \`hindsight prices\``;
  return (
    named.length > 0 && `Prices that begin in this time (times of ${zone}): ${named.join('; ')}${others}.`
  );
}

function noteFailures({ total }: ChainReport): Note {
  const bound =
    total.failedFeeMax === null
      ? 'there is no upper bound of their cost'
      : `if all of them were charged, they cost at most ${toTia(total.failedFeeMax)} TIA`;
  return (
    total.failedAttempts && `The fee does not include failed attempts. Usually they cost nothing; ${bound}.`
  );
}

function noteReconciliation({ account, found }: ReportedReconciliation, zone: string): Note {
  if (found === undefined)
    return `Account ${account} is not compared with its submissions: fewer than two balances of this time have a DA height.`;
  if (typeof found === 'string') return `Account ${account} is not compared with its submissions. ${found}`;
  const { opening, closing, fees, difference, agrees } = found;
  const [from, to] = [opening, closing].map(({ observedAt }) => toLocalText(observedAt, zone));
  const { min, max } = difference;
  const isMore = min !== null && min > 0n;
  const result = comparisonText({
    agrees,
    fees: boundsText(fees),
    isMore,
    difference: boundsText(isMore ? difference : { min: max && -max, max: min && -min }),
  });
  return `Account ${account}, ${from} to ${to}: ${result}`;
}

function boundsText({ min, max }: OpenBounds): string {
  const [least, most] = [min, max].map((utia) => (utia === null ? undefined : toTia(Decimal.of(utia))));
  if (most === undefined) return `at least ${least} TIA`;
  return `${least === undefined ? `at most ${most}` : least === most ? most : `${least} to ${most}`} TIA`;
}

function noteCoverage({ losses, rows, total }: ChainReport): Note[] {
  if (rows.length === 0) return [];
  const { holes, provenLost, likelyLost } = losses;
  const seen = rows.some(({ coverage }) => coverage < 1)
    ? ' Below 100%, attempts may be missing, except those that blocks prove: `coverageGaps` in GraphQL lists the nodes and the reasons.'
    : '';
  const estimate = likelyLost === null ? '' : `, ${likelyLost} by an estimate`;
  return [
    `Coverage is the share of time in which no attempt can have been missed.${seen}`,
    total.submissions !== null &&
      !total.isWhole &&
      'A part of the time was not monitored and has no records: the submissions in it are unknown, and the total is "at least".',
    holes > 0 &&
      `The record has ${countOf(holes, 'gap')} in this time: at least ${countOf(provenLost, 'attempt')} missing${estimate}. Submissions that blocks prove are still counted.`,
  ];
}

function noteForecast({ rows, groupBy }: ChainReport): Note {
  const { forecastLow: low, forecastExpected: expected, forecastHigh: high } = rows.at(-1) ?? {};
  if (groupBy.length > 0 || !low || !expected || !high) return undefined;
  return `Forecast from the last two weeks: the running month will cost ${toTia(expected)} TIA; in nine of ten cases ${toTia(low)} to ${toTia(high)} TIA.`;
}

function noteBudget(budget: ChainReport['budgets'][number], zone: string): string {
  const { rule, amount, unit, per, yearStart, fromUs, toUs, spent, expected } = budget;
  const days = toRangeText(fromUs, toUs, zone);
  const cost =
    spent === null ? 'its cost is unknown' : `it has cost at least ${String(spent)} ${unit} so far`;
  const forecast = expected === null ? '' : `, and is expected to cost ${String(expected)} ${unit}`;
  return `Budget ${rule}: ${amount} ${unit} for the ${budgetPeriodName(per, yearStart)} (${days}); ${cost}${forecast}.`;
}
