import type { RecordedPrice } from '../domain/events.js';
import { toPrintable } from '../domain/printable-text.js';
import { formatTime, microsToNanos, type Micros } from '../domain/time.js';
import type { PriceVersion } from '../projections/prices/price-ledger.js';
import { isoOf, toJsonText } from './json.js';
import { printTable, type Column } from './table.js';

const SUBJECTS = { GAS_PRICE: 'gas price', GAS_SCHEDULE: 'gas schedule', FIAT_RATE: 'fiat rate' } as const;

const COLUMNS: readonly Column<PriceVersion>[] = [
  { title: 'WHAT', read: ({ subject }) => SUBJECTS[subject] },
  { title: 'FROM', read: ({ effectiveFrom: us }) => (us === null ? 'the beginning' : toTime(us)) },
  { title: 'VALUE', read: valueText },
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

/** A price in words: `0.002 utia per gas`. */
export function valueText(price: Pick<RecordedPrice, 'subject' | 'value'>): string {
  const { subject, value } = price as RecordedPrice;
  switch (subject) {
    case 'GAS_PRICE':
      return `${value.utia} utia per gas`;
    case 'FIAT_RATE':
      return `${value.perTia} ${value.unit} per TIA`;
    case 'GAS_SCHEDULE':
      return (
        `${value.gasPerShareByte} per byte of a share + ${value.gasPerBlob} per blob + ${value.fixedGas}` +
        (value.signer ? ', blobs name their signer' : '')
      );
    default:
      return subject satisfies never;
  }
}

/** Without fractions of a second if they are zero. */
function toTime(us: Micros): string {
  return formatTime(microsToNanos(us)).replace(/\.0+Z$/, 'Z');
}
