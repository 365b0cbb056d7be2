import { toPrintable } from '../domain/printable-text.js';
import { nextBucket } from '../domain/statistics/time-buckets.js';
import { valueText } from './price-table.js';
import { toTia } from './report-columns.js';
import type { ChainReport } from './report-data.js';
import { toLocalText } from './report-period.js';

/** Notes that belong to the figures of a report, in printable sentences that need no other knowledge. */
export function noteReport(report: ChainReport): string[] {
  return [
    ...noteUncounted(report),
    ...noteMoment(report),
    ...noteReach(report),
    ...noteFees(report),
    ...notePrices(report),
    ...noteFailures(report),
    ...noteCoverage(report),
    ...noteForecast(report),
  ].map((note) => toPrintable(note));
}

/** A sentence on what the report does not count yet; empty if it counts everything. */
export function noteUncounted({ chain, bucket, total: { rows, uncounted } }: ChainReport): string[] {
  if (uncounted === 0) return [];
  const periods = countOf(rows, bucket.toLowerCase().replace('_', ' '));
  return [
    `Not counted yet: ${uncounted} of ${periods} of chain ${chain}. Their figures lack some of the record, so they are "at least" or unknown.`,
  ];
}

function noteMoment({ question: { knownAtUs, pricesAsOfUs }, zone }: ChainReport): string[] {
  return [
    ...(knownAtUs === undefined
      ? []
      : [
          `As it was known at ${toLocalText(knownAtUs, zone)}: submissions and prices that were recorded later are left out. Coverage is that of today.`,
        ]),
    ...(pricesAsOfUs === undefined
      ? []
      : [
          `All of the time is priced as the price book says for ${toLocalText(pricesAsOfUs, zone)}. Fees that were read from the DA layer, and gas prices that nodes reported, stay what they are.`,
        ]),
  ];
}

/** Notes on the part of the time that is outside of the record. */
function noteReach({ range, extent, zone, bucket, question }: ChainReport): string[] {
  if (extent === undefined) return ['Nothing is recorded of this chain yet.'];
  if (range === undefined) return ['Nothing is recorded in this time.'];
  const { fromUs, toUs } = range;
  const [first, last] = [extent.fromUs, extent.lastUs].map((us) => toLocalText(us, zone));
  if (toUs <= extent.fromUs || fromUs > extent.lastUs) {
    return [`Nothing is recorded in this time: the record reaches from ${first} to ${last}.`];
  }
  // The coverage column shows where the record begins or ends within a bucket.
  const endsUs = nextBucket(extent.lastUs, bucket, zone);
  return [
    ...(fromUs < extent.fromUs
      ? [`Nothing is known of the time before the quarter hour of ${first}, where the record begins.`]
      : []),
    ...(toUs > endsUs && endsUs <= question.nowUs
      ? [`Nothing is known of the time after ${last}, where the record ends.`]
      : []),
    ...(toUs > question.nowUs ? ['The last period is not over.'] : []),
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
    '"unknown": there is no price for these submissions, so they are missing in the fee, which is then "at least". `hindsight prices set` gives them one.',
} as const;

function noteFees({ total, groupBy, rows }: ChainReport): string[] {
  if (!total.submissions) return [];
  const units = [...new Set(rows.flatMap(({ fiatUnit }) => fiatUnit ?? []))];
  const shares = Object.keys(BASIS_NOTES) as (keyof typeof BASIS_NOTES)[];
  const isRange = total.feeMin !== null && total.feeMax?.compare(total.feeMin) !== 0;
  return [
    'Fees are in TIA (1 TIA = 1,000,000 utia). Submissions are those that reached the DA layer.',
    ...(groupBy.includes('NODE')
      ? [
          'Rows of nodes hold what each node showed, and several may show the same; the total counts each submission once.',
        ]
      : []),
    ...(isRange
      ? [
          'A fee from … to …: the exact sizes of some blobs are not known; what was paid lies between the two.',
        ]
      : []),
    `Basis, where a fee is from. ${shares
      .filter((share) => total[share] > 0)
      .map((share) => BASIS_NOTES[share])
      .join(' ')}`,
    ...(total.fiatUnit !== null && total.fiatMax === null
      ? [
          `Fees in ${total.fiatUnit} are at the rates of their times. For a part of them the fee or the rate is not known, so the total is "at least".`,
        ]
      : []),
    ...(units.length > 1
      ? [`Rates of ${units.join(' and ')} held in this time, so that there is no total in any of them.`]
      : []),
    ...(total.landed
      ? [
          `The submissions include ${countOf(total.landed, 'attempt')} that the node reported as failed although the blobs are on the DA layer: paid for all the same.`,
        ]
      : []),
    ...(total.unreadable
      ? [
          `The size of ${countOf(total.unreadable, 'submission')} is not known, and missing in the data posted.`,
        ]
      : []),
    ...(total.unreferenced
      ? [
          `Wasted: no block of the chain points to ${countOf(total.unreferenced, 'submission')}, paid for and in the fee.`,
        ]
      : []),
  ];
}

/** Prices that one note names. */
const NAMED_PRICES = 10;

/** When prices begin, by the clocks of the report: a UTC day begins at another hour than the report's days. */
function notePrices({ prices, zone }: ChainReport): string[] {
  if (prices.length === 0) return [];
  const named = prices
    .slice(0, NAMED_PRICES)
    .map((price) => `${valueText(price)} from ${toLocalText(price.effectiveFrom ?? 0n, zone)}`);
  const more = prices.length - named.length;
  const others = more === 0 ? '' : `; ${more} more are in \`hindsight prices\``;
  return [`Prices that begin in this time, by the clocks of ${zone}: ${named.join('; ')}${others}.`];
}

function noteFailures({ total }: ChainReport): string[] {
  if (!total.failedAttempts) return [];
  const most = toTia(total.failedFeeMax);
  const bound =
    most === null
      ? 'nothing bounds what they may have cost'
      : `if every one of them was charged, they cost ${most} TIA at most`;
  return [`Failed attempts are not in the fee. Mostly they cost nothing; ${bound}.`];
}

function noteCoverage({ losses, rows, total }: ChainReport): string[] {
  if (rows.length === 0) return [];
  const seen = rows.some(({ coverage }) => coverage < 1)
    ? ' Below 100% there may have been more than what is shown, apart from what blocks prove: `coverageGaps` in GraphQL names the nodes and the reasons.'
    : '';
  return [
    `Coverage is the share of the time in which no attempt can have been missed.${seen}`,
    ...(total.submissions !== null && !total.isWhole
      ? [
          'A part of the time was not monitored, and nothing is recorded of it: what was posted then is unknown, and the total is "at least".',
        ]
      : []),
    ...(losses.holes > 0
      ? [
          `The record has ${countOf(losses.holes, 'gap')} in this time: at least ${countOf(losses.provenLost, 'attempt')} missing${losses.likelyLost === null ? '' : `, ${losses.likelyLost} by an estimate`}. Those that blocks prove are in the submissions all the same.`,
        ]
      : []),
  ];
}

function noteForecast({ rows, groupBy }: ChainReport): string[] {
  const last = rows.at(-1);
  const expected = toTia(last?.forecastExpected ?? null);
  if (groupBy.length > 0 || expected === null) return [];
  return [
    `By the last two weeks, the running month will have cost ${expected} TIA when it ends; in nine of ten cases ${toTia(last?.forecastLow ?? null)} to ${toTia(last?.forecastHigh ?? null)} TIA.`,
  ];
}
