import { toClockTime, toMicros } from '../../../domain/bounds.js';
import type { Polls, RecordedEvent } from '../../../domain/events.js';
import { NOTHING_CARRIED } from '../../../domain/submissions/carried-blobs.js';
import { clip } from '../../../domain/submissions/cut-row.js';
import type { RecordedRow } from '../../../domain/submissions/recorded-row.js';
import {
  evidenceCodeOf,
  kindCodeOf,
  kindOf,
  statusCodeOf,
} from '../../../domain/submissions/submission-codes.js';
import { type Micros, type Nanos, nanosToMicros } from '../../../domain/time.js';
import { insertRows, type Written } from '../../../platform/rows/write-rows.js';
import { type NamespaceEntity, type NodeEntity, SubmissionEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import type { Row } from '../decisions/row.js';
import type { KeyBook } from './key-book.js';
import { laterOf } from './nodes.js';
import type { RunBook } from './runs.js';

/** A row may enter the ring a little after its own time, and a `Date` header has whole seconds only. */
const SLACK_MS = 5_000;

interface PlacedTime {
  readonly timeAt: Micros;
  /** The node's own time is implausible or cannot be checked, so `timeAt` is the observer's. */
  readonly isWild: boolean;
}

/**
 * The time under which a row counts: its own time if that lies, on the node's clock, between the last two polls; otherwise
 * the observer's time. The two clocks are never compared with each other.
 *
 * @param occurredNs the row's own time, on the node's clock; null if it has none
 * @param isFirst nothing of this ring was known before (first contact, reset, loss), so there is no lower bound
 */
export function placeTime(
  occurredNs: Nanos | null,
  observedUs: Micros,
  looks: Pick<Polls, 'nodeClock' | 'nodeClockBefore'>,
  isFirst: boolean,
): PlacedTime {
  const wild = { timeAt: observedUs, isWild: true };
  const { nodeClock, nodeClockBefore } = looks;
  const [before, clock] = [nodeClockBefore, nodeClock].map((ms = NaN) => toClockTime(ms));
  if (occurredNs === null || typeof clock !== 'number') return wild;
  const occurredUs = nanosToMicros(occurredNs);
  if (occurredUs > toMicros(clock + 1_000 + SLACK_MS)) return wild;
  const hasLowerBound = !isFirst && typeof before === 'number';
  if (hasLowerBound && occurredUs < toMicros(before - SLACK_MS)) return wild;
  return { timeAt: occurredUs, isWild: false };
}

export interface SubmissionRecord
  extends Row, Omit<Written<SubmissionEntity>, keyof Row | 'toPosition' | 'lossPosition'> {}

type ObservedEvent = Extract<RecordedEvent, { type: 'SubmissionsObserved' }>;

const OTHER = statusCodeOf('OTHER');
/** The most characters of a message or status in the tables; the log has the whole text. */
const LONGEST_MESSAGE = 4_000;
const LONGEST_STATUS = 200;

/**
 * The rows of one event as they are recorded; evidence is decided later. Adds them to the node's count.
 * @param place their chain and lineage, if already known
 */
export function toSubmissions(
  event: ObservedEvent,
  rows: readonly RecordedRow[],
  node: NodeEntity,
  { chainId, lineageKey }: Pick<SubmissionEntity, 'chainId' | 'lineageKey'>,
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
      chainId,
      countsForChain: true,
      ring,
      status,
      kind: kindCodeOf(kindOf(row.namespace, told)),
      evidence: evidenceCodeOf('OBSERVED'),
      evidenceFromPosition: event.position,
      fromPosition: event.position,
      isStored: false,
      wildTime: isWild,
      unreadable: row.unreadable.length > 0,
      namespaceKey,
      blobCount: row.blobCount,
      // The height in a failure's row does not show where it landed.
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
