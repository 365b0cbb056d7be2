import { priceText } from '../domain/cost/price-text.js';
import { toPrintable } from '../domain/printable-text.js';
import { formatTime, microsToNanos, type Micros } from '../domain/time.js';
import type { PriceVersion } from '../projections/prices/price-ledger.js';
import { isoOf, toJsonText } from './json.js';
import { printTable, type Column } from '../platform/table.js';

const SUBJECTS = { GAS_PRICE: 'gas price', GAS_SCHEDULE: 'gas schedule', FIAT_RATE: 'fiat rate' } as const;

const COLUMNS: readonly Column<PriceVersion>[] = [
  { title: 'WHAT', read: ({ subject }) => SUBJECTS[subject] },
  { title: 'FROM', read: ({ effectiveFrom: us }) => (us === null ? 'the beginning' : toTime(us)) },
  { title: 'VALUE', read: priceText },
  { title: 'RECORDED', read: ({ recordedAt: us }) => toTime(us - (us % 1_000_000n)) },
  { title: 'SOURCE', read: ({ source }) => source },
];

/** Price books as JSON: the entries of all chains, in their order. */
export function pricesToJson(versions: readonly PriceVersion[]): string {
  const prices = versions.map(({ chain, subject, effectiveFrom, value, recordedAt, source }) => ({
    chain,
    subject,
    from: isoOf(effectiveFrom),
    value,
    recordedAt: isoOf(recordedAt),
    source,
  }));
  return toJsonText({ prices });
}

/** Price books as a table for people, one per chain. */
export function printPrices(versions: readonly PriceVersion[]): string {
  const chains = [...new Set(versions.map(({ chain }) => chain))];
  return chains
    .map((chain) => {
      const ofChain = versions.filter((version) => version.chain === chain);
      return `Prices of ${toPrintable(chain)}\n${printTable(COLUMNS, ofChain, { indent: '  ' })}`;
    })
    .join('\n');
}

/** Without fractions of a second if they are zero. */
function toTime(us: Micros): string {
  return formatTime(microsToNanos(us)).replace(/\.0+Z$/, 'Z');
}
