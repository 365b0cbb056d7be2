import { Table, int4, int8, numeric, text } from '../columns.js';

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
