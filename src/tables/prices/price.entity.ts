import type { PriceSubject, RecordedPrice } from '../../domain/events.js';
import type { Micros } from '../../domain/time.js';
import { Table, int8, jsonb, text, timestamptz } from '../columns.js';

@Table(
  'price',
  'The price book: each entry holds from its moment until the next one of its chain and subject. Versions are kept.',
)
export class PriceEntity {
  @text('The chain that it is of.', { key: true }) chain: string;
  @text('What it prices.', { key: true }) subject: PriceSubject;
  @timestamptz('-infinity: from the beginning.', { key: true }) effectiveFrom: Micros;
  @jsonb(
    'GAS_PRICE {utia}, GAS_SCHEDULE {gasPerShareByte, gasPerBlob, fixedGas, signer}, FIAT_RATE {unit, perTia}; decimals in text.',
  )
  value: RecordedPrice['value'];
  @text('settings, or what the person who set it said of it.') source: string;
  @timestamptz('When it was recorded, by the clock of the database.') recordedAt: Micros;
  @int8('Position of the event that set it.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that replaced this version; null: it stands.') toPosition: bigint | null;
}
