import type { Micros } from '../../domain/time.js';
import { Table, int2, int4, int8, numeric, text, timestamptz } from '../columns.js';

@Table(
  'block_statistic',
  "Sums of blocks by the bucket of the block's time, per node and (node_key 0) each block of a lineage once.",
)
export class BlockStatisticEntity {
  @int2('As in statistic.', { key: true }) grain: number;
  @timestamptz('When the bucket begins.', { key: true }) bucketAt: Micros;
  @int4('0: the chain, each block of a lineage once.', { key: true }) nodeKey: number;
  @int4('The history of the chain.', { key: true }) lineageKey: number;
  @text('The chain, also where the node did not tell.', { key: true }) chain: string;
  @int8('Blocks.') produced: bigint;
  @int8('Of the blocks produced in the bucket, those whose header and data are included by now.')
  included: bigint;
  @int8('Transactions in them.') transactions: bigint;
  @int8('Transactions of those that are included.') includedTransactions: bigint;
  @numeric('Bytes of their transactions.') txBytes: string;
  @numeric('Bytes of the transactions of those that are included.') includedTxBytes: string;
  @int8.orNull('Highest height produced in the bucket.') lastHeight: bigint | null;
  @int8.orNull(
    'Highest block whose header a submission of this bucket carried (bucket of the submission, not of the block).',
  )
  headerFrontier: bigint | null;
  @int8.orNull('The same for data.') dataFrontier: bigint | null;
  @int8.orNull('Lowest height produced in the bucket.') firstHeight: bigint | null;
}
