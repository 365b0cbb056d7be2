import type { RecordedPrice } from '../events.js';

/** A price in words: `0.002 utia per gas`. */
export function priceText(price: Pick<RecordedPrice, 'subject' | 'value'>): string {
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
