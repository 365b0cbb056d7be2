import type { RecordedEvent } from '../../domain/events.js';
import { clip } from '../../domain/submissions/cut-row.js';
import { NOTHING_CARRIED } from '../../domain/submissions/carried-blobs.js';
import { placeTime } from '../../domain/submissions/place-time.js';
import { digestOfRow } from '../../domain/submissions/row-digest.js';
import { kindCodeOf, kindOf, statusCodeOf } from '../../domain/submissions/submission-codes.js';
import type { SubmissionRow } from '../../domain/submissions/submission-row.js';
import { column, unnestRows, type Column } from '../../platform/unnest-rows.js';
import type { Attempt } from './record-attempt.js';
import { CARRIED_COLUMNS } from './record-evidence-write.js';
import { laterOf } from './record-node-changes.js';
import type { NodeRecord } from './record-nodes.js';
import type { RunBook } from './record-runs.js';
import type { Query } from '../projection.js';

/** A row of `submission`. Times are Unix microseconds. */
export interface SubmissionRecord extends Attempt {
  readonly ring: number | null;
  readonly wildTime: boolean;
  readonly unreadable: boolean;
  readonly occurredAt: bigint | null;
  readonly observedAt: bigint;
  readonly digest: bigint;
  /** Of a success after failures: when its batch was first tried. */
  readonly firstAttemptAt: bigint | null;
  readonly gasPrice: string | null;
  readonly statusText: string | null;
  /** Its start, where it is long. */
  readonly message: string | null;
  /** Bytes of the whole, where it is long. */
  readonly messageBytes: bigint | null;
}

type Observed = Extract<RecordedEvent, { type: 'SubmissionsObserved' }>;

const OTHER = statusCodeOf('OTHER');
/** Characters of a message or of a status that are shown; more stand in the log. */
const LONGEST_MESSAGE = 4_000;
const LONGEST_STATUS = 200;

const COLUMNS: readonly Column<SubmissionRecord>[] = [
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
  column('message_bytes', 'int8', (row: SubmissionRecord) => row.messageBytes),
  column('digest', 'int8', (row: SubmissionRecord) => row.digest),
  column('first_attempt_at', 'timestamptz', (row: SubmissionRecord) => row.firstAttemptAt),
  ...CARRIED_COLUMNS,
];

/** What rows are read with. */
export interface SubmissionBooks {
  readonly runs: RunBook;
  readonly keyOfNamespace: (namespace: string) => number;
}

/** The rows of one event as they stand when it is recorded; evidence is decided later. Counts them on the node. */
export function toSubmissions(
  event: Observed,
  rows: readonly SubmissionRow[],
  node: NodeRecord,
  { runs, keyOfNamespace }: SubmissionBooks,
): SubmissionRecord[] {
  const { looks, overlap, firstSequence, ring } = event.body;
  const told = { header: node.headerNamespace, data: node.dataNamespace };
  const submissions = rows.map((row, index): SubmissionRecord => {
    const { timeAt, isWild } = placeTime(row.occurredAt, event.observedAt, looks, overlap === 0);
    const status = statusCodeOf(row.status);
    const namespaceKey = row.namespace === null ? null : keyOfNamespace(row.namespace);
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
      namespaceKey,
      blobCount: row.blobCount,
      daHeight: row.daHeight,
      sizeBytes: row.sizeBytes,
      occurredAt: row.occurredAt === null ? null : row.occurredAt / 1000n,
      observedAt: event.observedAt,
      timeAt,
      digest: digestOfRow(event.body.rows[index] ?? ''),
      firstAttemptAt: runs.take(node.key, namespaceKey, status === 0, timeAt),
      carried: NOTHING_CARRIED,
      gasPrice: row.gasPrice,
      statusText: status === OTHER && row.statusText !== null ? clip(row.statusText, LONGEST_STATUS) : null,
      ...shownMessage(row.message),
    };
  });
  node.submissionCount += BigInt(submissions.length);
  for (const { status, timeAt } of submissions) {
    if (status === 0) node.lastSuccessAt = laterOf(node.lastSuccessAt, timeAt);
  }
  return submissions;
}

function shownMessage(message: string | null): Pick<SubmissionRecord, 'message' | 'messageBytes'> {
  if (message === null || message.length <= LONGEST_MESSAGE) return { message, messageBytes: null };
  return { message: clip(message, LONGEST_MESSAGE), messageBytes: BigInt(Buffer.byteLength(message)) };
}

export async function insertSubmissions(rows: readonly SubmissionRecord[], query: Query): Promise<void> {
  if (rows.length === 0) return;
  const added = unnestRows(COLUMNS, rows);
  await query(`INSERT INTO submission (${added.names}) SELECT * FROM ${added.sql}`, added.parameters);
}
