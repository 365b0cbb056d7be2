import type { RecordedEvent } from '../../../domain/events.js';
import { clip } from '../../../domain/submissions/cut-row.js';
import { NOTHING_CARRIED } from '../../../domain/submissions/carried-blobs.js';
import { placeTime } from '../../../domain/submissions/place-time.js';
import type { RecordedRow } from '../../../domain/submissions/row-digest.js';
import { kindCodeOf, kindOf, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import { nanosToMicros } from '../../../domain/time.js';
import { insertRows, type Written } from '../../../platform/rows/write-rows.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import type { NodeEntity } from '../../../tables/record/node.entity.js';
import type { Row } from '../decisions/row.js';
import type { KeyBook } from './key-book.js';
import type { RunBook } from './runs.js';
import type { NamespaceEntity } from '../../../tables/record/namespace.entity.js';
import { laterOf } from './nodes.js';
import type { Query } from '../../projection.js';

/** A row of `submission` that a node's list showed. */
export interface SubmissionRecord
  extends Row, Omit<Written<SubmissionEntity>, keyof Row | 'toPosition' | 'lossPosition'> {}

type Observed = Extract<RecordedEvent, { type: 'SubmissionsObserved' }>;

const OTHER = statusCodeOf('OTHER');
/** Characters of a message or of a status that are shown; more stand in the log. */
const LONGEST_MESSAGE = 4_000;
const LONGEST_STATUS = 200;

/**
 * The rows of one event as they stand when it is recorded; evidence is decided later. Counts them on the node.
 *
 * @param lineageKey theirs, where it is known by now
 */
export function toSubmissions(
  event: Observed,
  rows: readonly RecordedRow[],
  node: NodeEntity,
  lineageKey: number | null,
  {
    runs,
    namespaceKeys,
  }: { readonly runs: RunBook; readonly namespaceKeys: KeyBook<NamespaceEntity, 'namespaceKey'> },
): SubmissionRecord[] {
  const { looks, overlap, firstSequence, ring } = event.body;
  const told = { header: node.headerNamespace, data: node.dataNamespace };
  const submissions = rows.map((row, index): SubmissionRecord => {
    const { timeAt, isWild } = placeTime(row.occurredAt, event.observedAt, looks, overlap === 0);
    const status = statusCodeOf(row.status);
    const namespaceKey = row.namespace === null ? null : namespaceKeys.keyOf({ namespace: row.namespace });
    return {
      nodeKey: node.nodeKey,
      sequence: BigInt(firstSequence + index),
      lineageKey,
      toldLineageKey: lineageKey,
      headerAfter: null,
      dataAfter: null,
      shownAt: null,
      possible: null,
      chainId: node.chainId,
      countsForChain: true,
      ring,
      status,
      kind: kindCodeOf(kindOf(row.namespace, told)),
      evidence: 0,
      evidenceFromPosition: event.position,
      fromPosition: event.position,
      isStored: false,
      wildTime: isWild,
      unreadable: row.unreadable.length > 0,
      namespaceKey,
      blobCount: row.blobCount,
      // Of a failure it says nothing of where it landed.
      daHeight: status === 0 ? row.daHeight : null,
      sizeBytes: row.sizeBytes,
      occurredAt: row.occurredAt === null ? null : nanosToMicros(row.occurredAt),
      observedAt: event.observedAt,
      timeAt,
      digest: row.digest,
      firstAttemptAt: runs.take(node.nodeKey, namespaceKey, status === 0, timeAt),
      ...NOTHING_CARRIED,
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

export function insertSubmissions(rows: readonly SubmissionRecord[], query: Query): Promise<void> {
  return insertRows(query, SubmissionEntity, rows);
}
