import { Table, int8, text, int4, numeric, jsonb, timestamptz } from './columns.js';
import type { PriceSubject, RecordedPrice } from '../domain/events.js';
import type { Micros } from '../domain/time.js';

@Table('chain_setting', 'What the settings say of a chain, as last recorded.')
export class ChainSettingEntity {
  @text('The chain.', { key: true }) chain: string;
  @text('IANA name; its days are those of reports.') reportingTimeZone: string;
  @text.orNull('Name of its DA layer, where the settings say it.') daLayer: string | null;
  @int8('Position of the event that said so.') fromPosition: bigint;
}

@Table('imported_fee_past', 'What a fee was before it was corrected.')
export class ImportedFeePastEntity {
  @text('As in imported_fee.', { key: true }) chain: string;
  @int8('As in imported_fee.', { key: true }) daHeight: bigint;
  @text('As in imported_fee.', { key: true }) namespace: string;
  @int4('As in imported_fee.', { key: true }) ordinal: number;
  @numeric('utia; what was known until to_position.') feeUtia: string;
  @int8('The event that corrected it.', { key: true }) toPosition: bigint;
}

@Table('imported_fee', 'Fees that somebody read from the DA layer.')
export class ImportedFeeEntity {
  @text('The chain that paid.', { key: true }) chain: string;
  @int8('Height of the DA layer at which it was paid.', { key: true }) daHeight: bigint;
  @text('58 hex digits, lower case; empty where the file names none.', { key: true }) namespace: string;
  @int4('Counts from 1 among the fees of the same DA height and namespace.', { key: true }) ordinal: number;
  @numeric('The fee in utia.') feeUtia: string;
  @text.orNull('The transaction that paid it, where it is known.') txHash: string | null;
  @text('Where it was read.') source: string;
  @int8('Position of the event that brought it.') fromPosition: bigint;
}

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
