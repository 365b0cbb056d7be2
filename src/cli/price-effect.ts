import { toPrintable } from '../domain/printable-text.js';
import type { PriceEffect } from '../statistics/prices/price-effect.js';
import type { CostTotal } from '../statistics/read/cost/cost-figures.js';
import { toTia } from '../api/reports/report-columns.js';
import { toPeriodText } from '../domain/statistics/period-text.js';
import { toFiatText, toSpan } from '../api/reports/report-figures.js';
import { printTable, type Column } from '../platform/table.js';

/** Buckets that are listed one by one. */
const LISTED = 10;

type PeriodCost = Pick<CostTotal, 'submissions' | 'feeMin' | 'feeMax' | 'fiatMin' | 'fiatMax' | 'fiatUnit'>;

interface EffectLine {
  readonly period: string;
  readonly before: PeriodCost;
  readonly after: PeriodCost;
}

const COLUMNS: readonly Column<EffectLine>[] = [
  { title: 'PERIOD', read: ({ period }) => period },
  { title: 'SUBMISSIONS', read: ({ before }) => String(before.submissions), isNumber: true },
  { title: 'FEE SO FAR', read: ({ before }) => toMoney(before) },
  { title: 'FEE THEN', read: ({ after }) => toMoney(after) },
];

/** Number of hours or days that prices change, in words: `2 days, 2026-01-01 to 2026-01-02 (Europe/Berlin)`. */
function countChanges({ bucket, zone, changes }: PriceEffect): string {
  if (changes === undefined) return 'more than can be counted in time';
  const unit = bucket.toLowerCase();
  const [first = '', last = ''] = [changes[0], changes.at(-1)].map((change) =>
    change === undefined ? '' : toPeriodText(change.before.timeUs, bucket, zone),
  );
  return changes.length === 1
    ? `1 ${unit}, ${first} (${zone})`
    : `${changes.length} ${unit}s, ${first} to ${last} (${zone})`;
}

/** Prints the effect of new prices: the first buckets that change, and the fees of the whole time before and after. */
export function printEffect(effect: PriceEffect, chain: string): string {
  const { bucket, zone, before, after, changes } = effect;
  const head = `This changes reported figures of ${toPrintable(chain)}: ${countChanges(effect)}.\n`;
  if (after === undefined || changes === undefined)
    return `${head}  fee so far in the time of these prices: ${toMoney(before)}\n`;
  const lines = changes.slice(0, LISTED).map((change): EffectLine => {
    const period = toPeriodText(change.before.timeUs, bucket, zone);
    return { period, ...change };
  });
  const more = changes.length - lines.length;
  const total: EffectLine = { period: 'all of that time', before, after };
  return (
    head +
    printTable(COLUMNS, lines, { indent: '  ', total: COLUMNS.map(({ read }) => read(total)) }) +
    (more > 0 ? `  ${more} more ${bucket.toLowerCase()}${more === 1 ? ' is' : 's are'} not listed.\n` : '')
  );
}

function toMoney({ feeMin, feeMax, fiatMin, fiatMax, fiatUnit }: PeriodCost): string {
  const fee = toSpan(feeMin, feeMax, toTia);
  const fiat = fiatUnit === null ? '' : `, ${toSpan(fiatMin, fiatMax, toFiatText)} ${fiatUnit}`;
  return `${fee}${feeMin === null ? '' : ' TIA'}${fiat}`;
}
