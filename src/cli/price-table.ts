import type { RecordedPrice } from '../domain/events.js';
import { toPrintable } from '../domain/printable-text.js';
import { formatTime, microsToNanos } from '../domain/time.js';
import type { PriceVersion } from '../projections/prices/price-ledger.js';
import { alignColumns } from './align-columns.js';

const SUBJECTS = { GAS_PRICE: 'gas price', GAS_SCHEDULE: 'gas schedule', FIAT_RATE: 'fiat rate' } as const;

/** Price books as a table for people, one for each chain. */
export function printPrices(versions: readonly PriceVersion[]): string {
  const chains = [...new Set(versions.map(({ chain }) => chain))];
  return chains
    .map((chain) => {
      const rows = versions
        .filter((version) => version.chain === chain)
        .map((version) => [
          SUBJECTS[version.subject],
          version.effectiveFrom === null ? 'the beginning' : toTime(version.effectiveFrom),
          valueText(version),
          toTime(version.recordedAt - (version.recordedAt % 1_000_000n)),
          version.source,
        ]);
      const table = alignColumns([['WHAT', 'FROM', 'VALUE', 'RECORDED', 'SOURCE'], ...rows]);
      return `Prices of ${toPrintable(chain)}\n${table.map((line) => `  ${line}\n`).join('')}`;
    })
    .join('\n');
}

function valueText(price: Pick<RecordedPrice, 'subject' | 'value'>): string {
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
  }
}

/** To the second, where it is one. */
function toTime(us: bigint): string {
  return formatTime(microsToNanos(us)).replace(/\.0+Z$/, 'Z');
}
