import { Table, int4, int8, numeric, text } from '../columns.js';

@Table('imported_fee_past', 'What a fee was before it was corrected.')
export class ImportedFeePastEntity {
  @text('As in imported_fee.', { key: true }) chain: string;
  @int8('As in imported_fee.', { key: true }) daHeight: bigint;
  @text('As in imported_fee.', { key: true }) namespace: string;
  @int4('As in imported_fee.', { key: true }) ordinal: number;
  @numeric('utia; what was known until to_position.') feeUtia: string;
  @int8('The event that corrected it.', { key: true }) toPosition: bigint;
}
