import { toPrintable } from '../../domain/printable-text.js';
import type { CostQuery } from '../data/answers.gen.js';
import { inWords, moment } from '../data/words.js';
import { Table } from './table.js';

type Price = CostQuery['priceBook'][number];

/** The price book of a chain with its history: the price from each moment on, its source, and prices that no longer apply. */
export function PriceBook({ prices, zone }: { readonly prices: readonly Price[]; readonly zone: string }) {
  const latestFirst = prices.toSorted(
    (a, b) => Date.parse(b.effectiveFrom ?? '1970') - Date.parse(a.effectiveFrom ?? '1970'),
  );
  return (
    <Table
      stacks
      caption="Price book, the latest prices first"
      none="No price is set, so fees are not known unless nodes report prices or fees are imported."
      columns={['From', 'Of', 'Price', 'Recorded', 'By', 'Stands', 'Source']}
      rows={latestFirst.map((price) => [
        price.effectiveFrom === null ? 'the beginning' : moment(price.effectiveFrom, zone),
        inWords(price.subject),
        priceOf(price),
        moment(price.recordedAt, zone),
        <bdi>{toPrintable(price.by ?? 'not recorded')}</bdi>,
        price.replacedAt === null ? 'yes' : `until ${moment(price.replacedAt, zone)}`,
        <bdi>{toPrintable(price.source)}</bdi>,
      ])}
    />
  );
}

function priceOf({ gasPrice, fiatPerTia, fiatUnit, gasPerShareByte, gasPerBlob, fixedGas }: Price): string {
  if (gasPrice !== null) return `${gasPrice} utia per gas`;
  if (fiatPerTia !== null) return `${fiatPerTia} ${fiatUnit ?? ''} per TIA`;
  return `gas: ${gasPerShareByte ?? 'unknown'} per byte of a share, ${gasPerBlob ?? 'unknown'} per blob, ${fixedGas ?? 'unknown'} per transaction`;
}
