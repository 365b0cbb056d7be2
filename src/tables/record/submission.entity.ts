import type { Micros } from '../../domain/time.js';
import { Table, bool, int2, int4, int8, numeric, text, timestamptz } from '../columns.js';
import { CHANGE_NUMBER } from './record-change.entity.js';

@Table(
  'submission',
  "One attempt to post a batch, as a node's ring showed it; or, with node_key null, blobs that only the blocks prove.",
)
export class SubmissionEntity {
  @int4.orNull('Null for RECONSTRUCTED and UNDECIDED.', { key: true }) nodeKey: number | null;
  @int8.orNull(
    '1, 2, 3 ... per node, in the order of entering the ring; null for RECONSTRUCTED and UNDECIDED.',
    {
      key: true,
    },
  )
  sequence: bigint | null;
  @int4.orNull('Lineage (lineage_key) it belongs to; null while unknown.') lineageKey: number | null;
  @text.orNull(
    'The chain of its lineage; without one the chain that its node had named last when it was recorded, or else the first that it named. Null while that is none.',
  )
  chainId: string | null;
  @int4.orNull('How often, at least, the ring had been emptied before.') ring: number | null;
  @int2('Index into SUBMISSION_STATUSES of src/domain/submissions/submission-codes.ts.') status: number;
  @int2('0 HEADER, 1 DATA, 2 MIXED, 3 UNKNOWN.') kind: number;
  @int2('0 OBSERVED, 1 CONFIRMED, 2 UNCONFIRMED, 3 UNREFERENCED, 4 RECONSTRUCTED, 5 UNDECIDED.')
  evidence: number;
  @bool("The node's time for it cannot be true (or is missing): time_at is observed_at.") wildTime: boolean;
  @bool('A cell of the row could not be read.') unreadable: boolean;
  @int4.orNull('Null where the row names none.') namespaceKey: number | null;
  @int4.orNull('Blobs in the batch; null where unreadable.') blobCount: number | null;
  @int8.orNull(
    'Null where there is none. Of an attempt that failed and is CONFIRMED all the same: where the blocks show it.',
  )
  daHeight: bigint | null;
  @int8.orNull('Bytes of the batch; null where unreadable.') sizeBytes: bigint | null;
  @timestamptz.orNull("The node's clock; null for the zero time. All digits stand in the log.")
  occurredAt: Micros | null;
  @timestamptz("The observer's clock at the look that showed it.") observedAt: Micros;
  @timestamptz(
    'The time it counts under: occurred_at, or observed_at where that is null or wild; of RECONSTRUCTED and UNDECIDED that of the newest block carried.',
  )
  timeAt: Micros;
  @int8('The event that recorded it.') fromPosition: bigint;
  @int8.orNull(
    'The event that withdrew it (only RECONSTRUCTED and UNDECIDED rows, of which something else was decided later).',
  )
  toPosition: bigint | null;
  @int8(
    'The event that last changed its evidence, kind, lineage, chain, DA height, carried blobs or whether its chain counts it; what they were before stands in submission_evidence_past.',
  )
  evidenceFromPosition: bigint;
  @int8.orNull('Of a group: the only loss that can hold it; null where several can, or none.')
  lossPosition: bigint | null;
  @numeric.orNull('Null where the node does not know it.') gasPrice: string | null;
  @text.orNull('The status as sent, where it is OTHER.') statusText: string | null;
  @text.orNull('The node\'s message, or the first 4,000 characters of it and "… (cut)".')
  message: string | null;
  @int8.orNull(
    'First 64 bits of the SHA-256 of the row in canonical JSON: tells equal rows of two endpoints of one node. Null for RECONSTRUCTED and UNDECIDED.',
  )
  digest: bigint | null;
  @int8.orNull('Height of the first block it carried, where its evidence names them one by one.')
  blockFrom: bigint | null;
  @int8.orNull(
    'Height of the last one; between them it carried every block (for data: every one with transactions) of its DA height.',
  )
  blockTo: bigint | null;
  @timestamptz.orNull(
    'Of a success after failures: time_at of the first failed attempt of its batch. Null without one, or where rows in between may have been missed.',
  )
  firstAttemptAt: Micros | null;
  @int4.orNull(
    "Shares of its blobs on Celestia, without signer; null where its blobs' sizes are not known one by one.",
  )
  shares: number | null;
  @int4.orNull('The same for blobs that name their signer.') signedShares: number | null;
  @int8.orNull(
    'Bytes of the message where the column message holds only its start; null where it holds all that the log has.',
  )
  messageBytes: bigint | null;
  @int4.orNull(
    'The history that its node had shown last when it was recorded, or else the first that it showed.',
  )
  toldLineageKey: number | null;
  @int8.orNull(
    'Of a row that may have landed and tells no DA height: the last success that is known to hold headers and tells one, before it in its list; 0 for none.',
  )
  headerAfter: bigint | null;
  @int8.orNull('The same of data.') dataAfter: bigint | null;
  @timestamptz.orNull('Of a failure that landed: when blocks had shown it.') shownAt: Micros | null;
  @int4.orNull('Of UNDECIDED: how many attempts may be it.') possible: number | null;
  @bool(
    'Whether its chain counts it. False: another node had shown the same attempt before, as a row that is equal in every field.',
    { default: 'true' },
  )
  countsForChain: boolean;
  @int8('Number of the transaction that wrote the row last, see record_change.', { default: CHANGE_NUMBER })
  change: bigint;
}
