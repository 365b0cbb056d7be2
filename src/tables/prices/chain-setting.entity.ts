import { Table, int8, text } from '../columns.js';

@Table('chain_setting', 'What the settings say of a chain, as last recorded.')
export class ChainSettingEntity {
  @text('The chain.', { key: true }) chain: string;
  @text('IANA name; its days are those of reports.') reportingTimeZone: string;
  @text.orNull('Name of its DA layer, where the settings say it.') daLayer: string | null;
  @int8('Position of the event that said so.') fromPosition: bigint;
}
