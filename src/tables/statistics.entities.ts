import type { Micros } from '../domain/time.js';
import { Table, int2, int4, int8, numeric, text, timestamptz, bytea, jsonb } from './columns.js';

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

@Table(
  'roll_up_fault',
  'Nodes and chains whose figures cannot be computed, set aside with their marks so that others go on.',
)
export class RollUpFaultEntity {
  @int4('As in roll_up_mark.', { key: true }) nodeKey: number;
  @text('As in roll_up_mark.', { key: true }) chain: string;
  @text('What the roll-up said of it.') error: string;
  @timestamptz("When it was first set aside, the database's clock.", { default: 'clock_timestamp()' })
  since: Micros;
  @timestamptz("When it was last tried, the database's clock.", { default: 'clock_timestamp()' })
  triedAt: Micros;
}

@Table(
  'roll_up_mark',
  'Quarter hours of UTC that must be computed again. Append-only: an upsert would lose a mark or block the projection.',
)
export class RollUpMarkEntity {
  @int4("The node, or 0 for the chain's own figures.", { key: true }) nodeKey: number;
  @text('The chain where node_key is 0, else empty.', { key: true }) chain: string;
  @timestamptz('When the quarter hour begins.', { key: true }) quarterAt: Micros;
  @timestamptz('When it was written, so that marks that nobody works off are noticed.', {
    default: 'clock_timestamp()',
  })
  markedAt: Micros;
}

@Table(
  'statistic_state',
  'What the statistics remember of the read models they are computed from: which tables (a rebuild makes new ones).',
)
export class StatisticStateEntity {
  @text(
    'tables: the read models they are computed from. version: of the rules by which. zones: of the time zone data by which.',
    { key: true },
  )
  name: string;
  @text(
    'Of tables their oids; of version a number; of zones the release that days were made by, such as 2026b.',
  )
  value: string;
}

/** Money by unit: decimals, and the number of submissions, as text. */
export type StoredFiat = Readonly<
  Record<string, { readonly min: string; readonly max: string; readonly count: string }>
>;

@Table(
  'statistic',
  'Sums of submissions by bucket, owner, namespace, kind and status. A bucket is replaced whole, never added to.',
)
export class StatisticEntity {
  @int2("0 quarter hour of UTC, 1 hour of UTC, 2 day of the chain's reporting zone.", { key: true })
  grain: number;
  @timestamptz('Start of the bucket.', { key: true }) bucketAt: Micros;
  @int4("What this node showed; 0: the chain's own, each submission once, also those that no node showed.", {
    key: true,
  })
  nodeKey: number;
  @text('Chain of the submissions; empty while it is not known.', { key: true }) chain: string;
  @int4('0 where the rows name none.', { key: true }) namespaceKey: number;
  @int2('As in submission.', { key: true }) kind: number;
  @int2('As in submission.', { key: true }) status: number;
  @int8('Rows that a ring showed.') attempts: bigint;
  @int8('Successes that only blocks prove.') reconstructed: bigint;
  @int8('Groups of blobs that some failed attempt may have posted, and none certainly did.')
  undecided: bigint;
  @int8('Failed attempts whose blobs blocks show all the same; they count in volume and cost.')
  landed: bigint;
  @int8('Successes that no block points to: paid for nothing.') unreferenced: bigint;
  @int8('Submissions (successes, landed, reconstructed, undecided) whose blobs or bytes are not known.')
  unreadable: bigint;
  @int8('Blobs of submissions, where known.') blobCount: bigint;
  @numeric('Bytes of submissions, where known.') sizeBytes: string;
  @int8('Blobs of submissions of which both are known.') measuredBlobs: bigint;
  @numeric('Bytes of the same submissions.') measuredBytes: string;
  @numeric('Least shares of submissions; without signer.') sharesMin: string;
  @numeric('Most shares of submissions; without signer. Those of unknown size are not in it (gas_unknown).')
  sharesMax: string;
  @numeric('Shares of the reconstructed ones, where known.') reconstructedShares: string;
  @int8('Attempts with a recorded gas price; utia per gas.') gasPriceCount: bigint;
  @numeric.orNull('The lowest of them.') gasPriceMin: string | null;
  @numeric('Their sum.') gasPriceSum: string;
  @numeric.orNull('The highest of them.') gasPriceMax: string | null;
  @numeric.orNull('The latest of them.') gasPriceLast: string | null;
  @timestamptz.orNull('When that was.') gasPriceLastAt: Micros | null;
  @int8('Submissions in the cost: successes, reconstructed, landed, undecided.') costed: bigint;
  @int8('Those whose gas has no bound.') gasUnknown: bigint;
  @numeric('Least gas of those with bounds.') gasMin: string;
  @numeric('Most gas of those with bounds.') gasMax: string;
  @int8('Submissions whose fee was imported.') imported: bigint;
  @int8('Submissions priced by the gas price that the node reported.') recorded: bigint;
  @int8('Submissions priced by the price book.') priced: bigint;
  @int8('Submissions whose fee is not known. The four add up to costed.') feeUnknown: bigint;
  @numeric('utia; least fee of those that have one.') feeMin: string;
  @numeric('utia; most fee of those that have one.') feeMax: string;
  @numeric('utia; the part of fee_min that unreferenced ones took.') wastedFeeMin: string;
  @numeric('utia; the part of fee_max that unreferenced ones took.') wastedFeeMax: string;
  @int8('Failed attempts that did not land.') failed: bigint;
  @int8('Those for which no upper bound of a fee is known.') failedUnknown: bigint;
  @numeric('utia; what the others cost at most, if they were charged.') failedFeeMax: string;
  @jsonb(
    'By unit: {"EUR": {"min", "max", "count"}}, decimals in text; count: submissions whose fee and rate are known.',
  )
  fiat: StoredFiat;
  @bytea.orNull('Sketch of inclusion lags: block time to the success that carried it.') lagMs: string | null;
  @bytea.orNull("Sketch of times from a batch's first attempt to its success, of batches that failed before.")
  submissionMs: string | null;
  @bytea.orNull(
    'Sketch of blob sizes: exact where the blocks are known, else the mean of the batch for each of its blobs.',
  )
  blobBytes: string | null;
  @int8('Values in lag_ms.', { default: '0' }) lagCount: bigint;
  @numeric('Their sum in nanoseconds; a lag below zero counts as 0.', { default: '0' }) lagSumNs: string;
  /** No number of submissions: only batches that failed before have a value. `NodeEntity.submissionCount` counts rows. */
  @int8('Values in submission_ms.', { default: '0' }) submissionCount: bigint;
  @numeric('Their sum in microseconds.', { default: '0' }) submissionSumUs: string;
}
