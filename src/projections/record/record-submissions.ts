import type { RecordedEvent } from '../../domain/events.js';
import { placeTime } from '../../domain/submissions/place-time.js';
import { kindCodeOf, kindOf, statusCodeOf } from '../../domain/submissions/submission-codes.js';
import type { SubmissionRow } from '../../domain/submissions/submission-row.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Attempt } from './record-attempt.js';
import { laterOf } from './record-node-changes.js';
import type { NodeRecord } from './record-nodes.js';
import type { Query } from '../projection.js';

/** A row of `submission`. Times are Unix microseconds. */
export interface SubmissionRecord extends Attempt {
  readonly ring: number | null;
  readonly wildTime: boolean;
  readonly unreadable: boolean;
  readonly occurredAt: bigint | null;
  readonly observedAt: bigint;
  readonly timeAt: bigint;
  readonly gasPrice: string | null;
  readonly statusText: string | null;
  readonly message: string | null;
}

type Observed = Extract<RecordedEvent, { type: 'SubmissionsObserved' }>;

const OTHER = statusCodeOf('OTHER');

const COLUMNS = [
  column('node_key', 'int4', (row: SubmissionRecord) => row.nodeKey),
  column('sequence', 'int8', (row: SubmissionRecord) => row.sequence),
  column('lineage_key', 'int4', (row: SubmissionRecord) => row.lineageKey),
  column('ring', 'int4', (row: SubmissionRecord) => row.ring),
  column('status', 'int2', (row: SubmissionRecord) => row.status),
  column('kind', 'int2', (row: SubmissionRecord) => row.kind),
  column('evidence', 'int2', (row: SubmissionRecord) => row.evidence),
  column('wild_time', 'bool', (row: SubmissionRecord) => row.wildTime),
  column('unreadable', 'bool', (row: SubmissionRecord) => row.unreadable),
  column('namespace_key', 'int4', (row: SubmissionRecord) => row.namespaceKey),
  column('blob_count', 'int4', (row: SubmissionRecord) => row.blobCount),
  column('da_height', 'int8', (row: SubmissionRecord) => row.daHeight),
  column('size_bytes', 'int8', (row: SubmissionRecord) => row.sizeBytes),
  column('occurred_at', 'timestamptz', (row: SubmissionRecord) => row.occurredAt),
  column('observed_at', 'timestamptz', (row: SubmissionRecord) => row.observedAt),
  column('time_at', 'timestamptz', (row: SubmissionRecord) => row.timeAt),
  column('from_position', 'int8', (row: SubmissionRecord) => row.fromPosition),
  column('evidence_from_position', 'int8', (row: SubmissionRecord) => row.evidenceFrom),
  column('gas_price', 'numeric', (row: SubmissionRecord) => row.gasPrice),
  column('status_text', 'text', (row: SubmissionRecord) => row.statusText),
  column('message', 'text', (row: SubmissionRecord) => row.message),
];

/** The rows of one event as they stand when it is recorded; evidence is decided later. Counts them on the node. */
export function toSubmissions(
  event: Observed,
  rows: readonly SubmissionRow[],
  node: NodeRecord,
  keyOfNamespace: (namespace: string) => number,
): SubmissionRecord[] {
  const { looks, overlap, firstSequence, ring } = event.body;
  const told = { header: node.headerNamespace, data: node.dataNamespace };
  const submissions = rows.map((row, index): SubmissionRecord => {
    const { timeAt, isWild } = placeTime(row.occurredAt, event.observedAt, looks, overlap === 0);
    const status = statusCodeOf(row.status);
    return {
      nodeKey: node.key,
      sequence: BigInt(firstSequence + index),
      lineageKey: node.lineageKey,
      ring,
      status,
      kind: kindCodeOf(kindOf(row.namespace, told)),
      evidence: 0,
      evidenceFrom: event.position,
      fromPosition: event.position,
      isStored: false,
      wildTime: isWild,
      unreadable: row.unreadable.length > 0,
      namespaceKey: row.namespace === null ? null : keyOfNamespace(row.namespace),
      blobCount: row.blobCount,
      daHeight: row.daHeight,
      sizeBytes: row.sizeBytes,
      occurredAt: row.occurredAt === null ? null : row.occurredAt / 1000n,
      observedAt: event.observedAt,
      timeAt,
      gasPrice: row.gasPrice,
      statusText: status === OTHER ? row.statusText : null,
      message: row.message,
    };
  });
  node.submissionCount += BigInt(submissions.length);
  for (const { status, timeAt } of submissions) {
    if (status === 0) node.lastSuccessAt = laterOf(node.lastSuccessAt, timeAt);
  }
  return submissions;
}

export async function insertSubmissions(rows: readonly SubmissionRecord[], query: Query): Promise<void> {
  if (rows.length === 0) return;
  const added = unnestRows(COLUMNS, rows);
  await query(`INSERT INTO submission (${added.names}) SELECT * FROM ${added.sql}`, added.parameters);
}
