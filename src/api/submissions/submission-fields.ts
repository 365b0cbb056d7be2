import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
  type SubmissionEvidence,
  type SubmissionKind,
  type SubmissionStatus,
} from '../../domain/submissions/submission-codes.js';
import type { Micros } from '../../domain/time.js';
import { fieldOf } from '../graphql/fields.js';
import {
  bool,
  decimal,
  flatOf,
  id,
  inFiles,
  int,
  int64,
  key,
  selectFields,
  text,
  time,
  wordOf,
  type FieldValues,
} from '../graphql/flat-fields.js';
import type { Selected } from '../graphql/selected-fields.js';
import { changedAt } from '../graphql/updated-rows.js';
import { SubmissionEvidences, SubmissionKinds, SubmissionStatuses } from './submission-words.type.js';

const status = flatOf<SubmissionStatus>(
  fieldOf(() => SubmissionStatuses),
  'WORD',
);
const kind = flatOf<SubmissionKind>(
  fieldOf(() => SubmissionKinds),
  'WORD',
);
const evidence = flatOf<SubmissionEvidence>(
  fieldOf(() => SubmissionEvidences),
  'WORD',
);

/** Cost of a text of up to 4,000 characters; most have less than half. */
const LONG = 150;
const KIND = wordOf('s.kind', SUBMISSION_KINDS);

/** The flat fields of a submission, in the column order of its files. GraphQL and files are both built from them. */
export const SUBMISSION_FIELDS = {
  id: id(
    `reporting.submission_id(n.id, s.sequence, s.chain_id, l.n, ${KIND}, s.da_height)`,
    'Ours, stable, never used again.',
  ),
  chain: text.orNull(
    's.chain_id',
    'Its chain; null until the node has reported it. With `knownAt`, the chain that was known at that time.',
  ),
  nodeId: id.orNull('n.id', '`node.id`, for tools that want flat rows.', { column: 'node' }),
  sequence: int64.orNull(
    's.sequence',
    '1, 2, 3 … per node, in the order of entering its list; null for `RECONSTRUCTED` and `UNDECIDED`.',
  ),
  ring: int.orNull('s.ring', 'Lower bound of how often the list had been emptied before.'),
  status: status(wordOf('s.status', SUBMISSION_STATUSES), 'How it ended.'),
  // GraphQL reads the status as sent, from the log.
  keptStatusText: inFiles<string | null>('TEXT', 's.status_text', 'status_text'),
  message: text.orNull(
    's.message',
    "The node's message about a failure; null if there is none. A long message is cut to its first 4,000 characters (200 if the log has no more), ending in `… (cut)`.",
    { complexity: LONG },
  ),
  namespace: text.orNull(
    'ns.namespace',
    'The namespace it was posted to: 58 hex digits, lower case, no 0x. Null if the node names no namespace.',
    { kind: 'WORD' },
  ),
  kind: kind(KIND, 'The content of its batch.'),
  daHeight: int64.orNull(
    's.da_height',
    'Height of the DA layer at which it was posted; null if there is none.',
  ),
  blobCount: int.orNull('s.blob_count', 'Blobs of its batch; null if the node does not report it.'),
  sizeBytes: int64.orNull('s.size_bytes', 'Bytes of all blobs; null if the node does not know it.'),
  gasPrice: decimal.orNull(
    's.gas_price',
    'Gas price that the node reports, utia per unit of gas; null if it reports none.',
    { column: 'gas_price_utia' },
  ),
  occurredAt: time.orNull(
    's.occurred_at',
    "When it happened, by the node's clock; null for the zero time. For `RECONSTRUCTED` and `UNDECIDED`: the time of the newest block.",
  ),
  observedAt: time('s.observed_at', 'Time of the poll that showed it, by our clock; UTC.'),
  evidence: evidence(wordOf('s.evidence', SUBMISSION_EVIDENCES), "Evidence of the chain's blocks about it."),
  blockFrom: inFiles<bigint | null>('INT64', 's.block_from'),
  blockTo: inFiles<bigint | null>('INT64', 's.block_to'),
  updatedAt: inFiles<Micros | null>('TIME', changedAt('s')),
  withdrawn: inFiles<boolean>('BOOL', 's.to_position IS NOT NULL'),
  time: time(
    's.time_at',
    'The time under which it counts: `occurredAt`, or `observedAt` if `occurredAt` is null or implausible.',
  ),
  possibleAttempts: int.orNull(
    's.possible',
    'For `UNDECIDED`: how many attempts may have posted these blobs: failures, and successes in lists without a chain; otherwise null.',
  ),
  countsForChain: bool(
    's.counts_for_chain',
    'Whether its chain counts it. False if another node had already shown the same attempt, as a row that is equal in every field.',
  ),
  nodeKey: key<number | null>('s.node_key'),
  lineageKey: key<number | null>('s.lineage_key'),
  namespaceKey: key<number | null>('s.namespace_key'),
  kindCode: key<number>('s.kind'),
  timeAt: key<Micros>('s.time_at'),
  fromPosition: key<bigint>('s.from_position'),
  toPosition: key<bigint | null>('s.to_position'),
  change: key<bigint>('s.change'),
};

/** A row as {@link selectSubmissions} reads it. Columns that no selected field needs are missing. */
export type SubmissionValues = FieldValues<typeof SUBMISSION_FIELDS>;

const SENT = ['fromPosition', 'sequence'] as const;
const BATCH = ['nodeKey', 'sequence', 'namespaceKey'] as const;
/** For fields that are looked up for many rows at once, keyed by id. */
const NAMED = ['id', 'sequence', 'chain', 'kind', 'daHeight', 'nodeKey', 'lineageKey'] as const;

/** Columns that other fields are looked up by. */
export const SUBMISSION_NEEDS = {
  /** Its cursor in each order. */
  cursor: ['sequence', 'lineageKey', 'kindCode', 'daHeight', 'fromPosition', 'timeAt', 'change'],
  versionId: ['id'],
  node: ['nodeKey'],
  statusText: SENT,
  blobIds: SENT,
  occurredAtText: SENT,
  raw: SENT,
  rawText: SENT,
  blocks: [...NAMED, 'evidence', 'blockFrom', 'blockTo', 'blobCount'],
  cost: [...NAMED, 'timeAt'],
  cause: ['status', 'message'],
  attemptsBefore: BATCH,
  attemptsAfter: BATCH,
  previous: BATCH,
  next: BATCH,
  healthThen: ['nodeId', 'timeAt'],
  claimThen: ['nodeId', 'timeAt'],
  updatedAt: ['updatedAt'],
  withdrawn: ['toPosition'],
} as const satisfies Readonly<Record<string, readonly (keyof SubmissionValues)[]>>;

/** Joins for the names in `submission s`. */
export const SUBMISSION_NAMES = `
      LEFT JOIN node n ON n.node_key = s.node_key
      LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
      LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key`;

/**
 * The rows of a page; names are looked up only for them.
 * @param selected fields of a submission; `cursor`: its cursor
 */
export function selectSubmissions(page: string, orderBy: string, selected: Selected = 'ALL'): string {
  return `SELECT ${selectFields(SUBMISSION_FIELDS, SUBMISSION_NEEDS, selected)} FROM (${page}) s ${SUBMISSION_NAMES} ORDER BY ${orderBy}`;
}
