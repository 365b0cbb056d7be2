import type { Nanos, Micros } from '../domain/time.js';
import {
  Table,
  int4,
  int8,
  timestamptz,
  bytea,
  int2,
  jsonb,
  text,
  bool,
  int8multirange,
  numeric,
} from './columns.js';
import type { LossKind } from '../domain/submissions/loss-explanation.js';
import type { SourceState } from '../domain/events.js';

@Table(
  'block_span',
  'Of each 4,096 heights of a node and lineage: when and from where on its blocks lie at most.',
)
export class BlockSpanEntity {
  @int4('The node that showed them.', { key: true }) nodeKey: number;
  @int4('The history of the chain that they are of.', { key: true }) lineageKey: number;
  @int8('Their height divided by 4,096.', { key: true }) span: bigint;
  @int8('None of them has an earlier time_ns.') firstTimeNs: Nanos;
  @int8('None of them has a later time_ns.') lastTimeNs: Nanos;
  @int8('None of them has a lower from_position.') firstPosition: bigint;
  @int8.orNull('None of them was included, header and data, before this position; null where none is.')
  firstIncludedPosition: bigint | null;
  @int8.orNull('None of them was included behind this position; null where none is.')
  lastIncludedPosition: bigint | null;
}

/** The number of the transaction, once a row has used it; a trigger assigns it to the transaction's first row. */
export const CHANGE_NUMBER = "(NULLIF(current_setting('hindsight.change'::text, true), ''::text))::bigint";

@Table(
  'record_change',
  'When each change number of the record was given out: one row for a transaction that wrote a submission, block or loss; of more than five weeks ago the last one of each hour.',
)
export class RecordChangeEntity {
  @int8('The number. Later transactions have larger ones, also those after a rebuild.', { key: true })
  change: bigint;
  @timestamptz(
    "The database's clock, and never before the number before; of what a rebuild wrote, the time of its swap.",
  )
  at: Micros;
}

@Table('block', 'Each block header that a node showed.')
export class BlockEntity {
  @int4('The node that showed it.', { key: true }) nodeKey: number;
  @int4('The history of the chain that it is of.', { key: true }) lineageKey: number;
  @int8('Height in the chain.', { key: true }) height: bigint;
  @int8('Unix nanoseconds, by the proposer.') timeNs: Nanos;
  @int8.orNull('DA height that includes the header; null while none does.') headerDaHeight: bigint | null;
  @int8.orNull("DA height that includes the data; repeats the header's in a block without transactions.")
  dataDaHeight: bigint | null;
  @int8("Sum of the transactions' bytes.") txBytes: bigint;
  @int8('Position of the event that showed it.') fromPosition: bigint;
  @int4('What its header has in common with most of its chain.') proposerKey: number;
  @int4('Transactions in it.') txCount: number;
  @int4.orNull("Bytes of its header blob on the DA layer; null under a scheme we don't know.")
  headerBlobBytes: number | null;
  @int4.orNull("Bytes of its data blob, 0 without transactions; null under a scheme we don't know.")
  dataBlobBytes: number | null;
  @int2(
    'Two bits a check, from the lowest: link, hash, signature, proposer, data. 0 NOT_CHECKED, 1 PASSED, 2 FAILED.',
  )
  checks: number;
  @bytea.orNull("Header hash, computed; null under a scheme we don't know.") hash: string | null;
  @bytea.orNull('As sent; null where it is the hash of the block before, by the same node.')
  lastHeaderHash: string | null;
  @bytea.orNull('As sent; null where it is that of a block without transactions.') dataHash: string | null;
  @bytea.orNull('As sent; null where the node left it out.') appHash: string | null;
  @int8.orNull(
    "First 8 bytes of the hash by which the node's own index knows it; null where that is not known.",
  )
  signedMark: bigint | null;
  @int8('Number of the transaction that wrote the row last, see record_change.', { default: CHANGE_NUMBER })
  change: bigint;
  @int8.orNull(
    "The later event that brought the header's DA height; null when it came with the block or is still missing.",
  )
  headerIncludedPosition: bigint | null;
  @int8.orNull("The same for the data's.") dataIncludedPosition: bigint | null;
}

@Table(
  'bracket',
  "Part of a node's list between two successes of a kind that tell their DA heights, where rows stand that tell none, or that have holes.",
)
export class BracketEntity {
  @int4('The node whose list it is.', { key: true }) nodeKey: number;
  @int2('0 HEADER, 1 DATA.', { key: true }) kind: number;
  @int8('Sequence of the success before it; 0 for none.', { key: true }) afterSequence: bigint;
  @int8.orNull('DA height of the success before it; null for none.') daFrom: bigint | null;
  @int8.orNull('DA height of the success behind it; null where there is none yet.') daTo: bigint | null;
  @int8('The event that recorded the first such row, or hole.') fromPosition: bigint;
  @int8.orNull('The event that recorded the success behind it.') closedPosition: bigint | null;
  @int8.orNull('The first hole in it (loss_position); null for none.') lossPosition: bigint | null;
  @int8.orNull(
    "The second hole, or the event by which the node said that it does not submit: what blocks show there may be another list's.",
  )
  otherLossPosition: bigint | null;
}

/** The next release drops these columns; see the recipe for other rules in CONTRIBUTING.md. */
const OLD = 'Of release 0.1.0; nothing uses it.';

@Table(
  'decision_turn',
  'What is left to be decided of chains, in the order of the log; empty but after an event that touches very much.',
)
export class DecisionTurnEntity {
  @int8('Those of a chain are worked off in this order.', { key: true }) turnKey: bigint;
  @text('The chain.') chain: string;
  @int8('The event that left it: all is decided as of it.') position: bigint;
  @timestamptz("The time of the event, observer's clock.") at: Micros;
  @int8('The lowest DA height that is left.') nextNumber: bigint;
  @int8('DA heights that are done.') done: bigint;
  @jsonb.orNull(
    'What decisions go by that tables do not keep: see src/projections/record/decisions/step.ts. Integers of 64 bits are texts, maps are lists of pairs.',
  )
  step: unknown;
  @bytea.orNull("Of earlier releases, in Node's format; nothing uses it.", { default: "'\\x'::bytea" })
  state: string | null;
  @int4.orNull(OLD) nodeKey: number | null;
  @text.orNull(OLD) what: string | null;
  @text.orNull(OLD) leaves: string | null;
}

@Table('frontier', 'How far what blocks point to is decided.')
export class FrontierEntity {
  @int4('The history of the chain.', { key: true }) lineageKey: number;
  @int2('0 HEADER, 1 DATA.', { key: true }) kind: number;
  @int8('DA heights below are decided.') below: bigint;
  @jsonb(
    "What walks have passed and lists have yet to be looked at for: each a time (Unix microseconds, observer's clock), the first DA height, and the first one behind.",
  )
  stairs: readonly (readonly [string, string, string])[];
}

@Table(
  'inclusion_walk',
  "How far a node's blocks are included, header and data, without one that is recorded and is not.",
)
export class InclusionWalkEntity {
  @int4('The node whose blocks are walked.', { key: true }) nodeKey: number;
  @int4('The history of the chain.', { key: true }) lineageKey: number;
  @int8('The lowest recorded height.') firstHeight: bigint;
  @int8('The highest recorded height.') lastHeight: bigint;
  @bool('That block is the first of its chain.') fromStart: boolean;
  @int8('The last height of the walk; first_height - 1 where none is included.') frontier: bigint;
  @int8.orNull('DA height of the first header in it.') headerFrom: bigint | null;
  @int8.orNull('Highest DA height of a header in it.') headerTo: bigint | null;
  @int8.orNull('DA height of the first data in it; blocks without transactions have none.')
  dataFrom: bigint | null;
  @int8.orNull('Highest DA height of data in it.') dataTo: bigint | null;
  @int8multirange('Heights that the node did not give, or dropped before they were included.')
  gaps: string;
  @int8multirange('DA heights for which a header that was stepped over may be missing.') headerHoles: string;
  @int8multirange('The same for data.') dataHoles: string;
  @int8.orNull('How many blocks of the history are recorded of the node.') recorded: bigint | null;
  @int8multirange.orNull('Of each range of header_holes the heights of the blocks that were stepped over.')
  headerHoleHeights: string | null;
  @int8multirange.orNull('The same for data_holes.') dataHoleHeights: string | null;
}

@Table('lineage', 'One history of a chain. A proven difference opens the next one.')
export class LineageEntity {
  @int4('Its number.', { key: true }) lineageKey: number;
  @text('The chain.') chainId: string;
  @int4('Counts from 1 within the chain.') n: number;
  @int8('Position of the event that opened it.') fromPosition: bigint;
}

@Table('loss', 'Rows that were in a ring, or may have been, and were never seen.')
export class LossEntity {
  @int8('Position of the event that stated it: its identity.', { key: true }) lossPosition: bigint;
  @int4('The node whose ring it was.') nodeKey: number;
  @text('OVERFLOW, RESET, AMBIGUOUS or BEFORE_START.') kind: LossKind;
  @int8('The last recorded row before the hole; 0 for none.') afterSequence: bigint;
  @int8(
    'Proven. Blocks that are shown later may raise it, or lower it where they prove that another list posts.',
  )
  minLost: bigint;
  @int8.orNull('Proven, else null. A minimum above it is a contradiction, which the explanation states.')
  maxLost: bigint | null;
  @int8.orNull('Estimate from the rate around it.') likelyLost: bigint | null;
  @int8('RECONSTRUCTED groups that only this loss can hold, with a newest block of its time.', {
    default: '0',
  })
  shownLost: bigint;
  @timestamptz.orNull('The last look before the hole; null for BEFORE_START.') fromAt: Micros | null;
  @timestamptz('The look that found it.') toAt: Micros;
  @int8('Position of the event from which on this version was known.', { key: true }) fromPosition: bigint;
  @int8.orNull('Position from which on it was no longer; null: it still is.') toPosition: bigint | null;
  @int8('What the event that stated it proves by itself.', { default: '0' }) provenMin: bigint;
  @int8.orNull('The same of the most; null where it proves none.') provenMax: bigint | null;
  @int8('Number of the transaction that wrote the row last, see record_change.', { default: CHANGE_NUMBER })
  change: bigint;
  @int8(
    'UNDECIDED groups of headers of its time that only this loss, or rows of the list next to it, can be.',
    {
      default: '0',
    },
  )
  undecidedHeaders: bigint;
  @int8('The same of data.', { default: '0' }) undecidedData: bigint;
  @int8(
    'RECONSTRUCTED groups at the DA heights of this loss that were included before it began, or hold blocks from long after it ended: another list posted them.',
    { default: '0' },
  )
  postedElsewhere: bigint;
}

@Table(
  'namespace',
  'DA namespaces, 58 hex digits, lower case; `other` stands in statistics for those of a node beyond its first 100.',
)
export class NamespaceEntity {
  @int4('Its number.', { key: true }) namespaceKey: number;
  @text('58 hex digits, lower case; or other.') namespace: string;
}

@Table('node_chain', 'Chains that a node named: what its rows without a lineage belong to.')
export class NodeChainEntity {
  @int4('The node.', { key: true }) nodeKey: number;
  @int8('The event from which on; 0 of the first one, which rows from before it belong to as well.', {
    key: true,
  })
  fromPosition: bigint;
  @text('The chain.') chainId: string;
  @bool('Whether the node itself said so; else the settings did, which counts until it says one.')
  told: boolean;
}

@Table('node_list', 'The lists of submissions that a node has shown, and the chain of each.')
export class NodeListEntity {
  @int4('The node.', { key: true }) nodeKey: number;
  @int8('The event that first showed the list.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event from which on rows under its number are of a new list; null: they are of this one.')
  toPosition: bigint | null;
  @int8('Its number behind the address of the node.') list: bigint;
  @text.orNull('The chain of its rows; null while nothing has named one.') chainId: string | null;
  @bool('Whether its process has named the chain; else the chain is presumed.') told: boolean;
  @timestamptz("The poll that first showed it, observer's clock.") fromAt: Micros;
  @timestamptz("The poll since which the node had shown only lists without a chain, observer's clock.")
  waitsAt: Micros;
  @timestamptz.orNull("The last poll before that, observer's clock; null where there was none.")
  seenAt: Micros | null;
  @bool(
    'Whether nothing denied, before its chain was named, that it is of the chain of the list that was named before it.',
  )
  mayJoin: boolean;
  @bool('Its number behind the address stands for another list, or for none that is remembered.')
  closed: boolean;
  @int8('Sequence of the last row of the node before the list; 0 for none.', { default: '0' })
  afterSequence: bigint;
}

@Table(
  'node_namespace',
  'The namespaces of a node that statistics tell by name: the first 100 that it showed or told. `other` is among them once it has more.',
)
export class NodeNamespaceEntity {
  @int4('The namespace.', { key: true }) namespaceKey: number;
  @int4('The node.', { key: true }) nodeKey: number;
  @int8('Position of the event that showed it first.') fromPosition: bigint;
}

@Table('node', 'Each monitored node and its present state.')
export class NodeEntity {
  @int4('Short key, counted in the order of first appearance in the log.', { key: true }) nodeKey: number;
  @text('The id from the settings.') id: string;
  @text('Base address of its RPC server.') url: string;
  @text.orNull('Address of its status query, where configured.') statusUrl: string | null;
  @text.orNull('Null until it has said its chain (or the settings did).') chainId: string | null;
  @bool.orNull('Whether it submits to the DA layer; null while unknown.') aggregator: boolean | null;
  @text.orNull('SPEC or EV_NODE: which form its answers take.') shape: string | null;
  @text.orNull('Prefix of its StoreService, such as evnode.v1.') servicePrefix: string | null;
  @text.orNull('58 hex digits.') headerNamespace: string | null;
  @text.orNull('58 hex digits; equal to header_namespace when both share one.') dataNamespace: string | null;
  @int4.orNull('The lineage that its latest block belongs to.') lineageKey: number | null;
  @int8.orNull('Its newest height.') head: bigint | null;
  @int8.orNull('The oldest height it still has.') oldest: bigint | null;
  @int8.orNull(
    'The height up to which every recorded block is included, header and data; null while none is.',
  )
  inclusionFrontier: bigint | null;
  @int8.orNull('Its own metadata d.') daIncluded: bigint | null;
  @int8.orNull('Its own metadata last-submitted-header-height.') lastSubmittedHeader: bigint | null;
  @int8.orNull('Its own metadata last-submitted-data-height.') lastSubmittedData: bigint | null;
  @int8.orNull("Its clock minus the observer's, to about a second.") clockOffsetMs: bigint | null;
  @int8('Rows recorded from its ring.', { default: '0' }) submissionCount: bigint;
  @int8('Blocks recorded from it.', { default: '0' }) blockCount: bigint;
  @timestamptz.orNull('Time of its newest successful submission (as in submission.time_at).')
  lastSuccessAt: Micros | null;
  @timestamptz.orNull("The last successful look at any of its subjects, observer's clock.")
  lastSeenAt: Micros | null;
  @bool('No longer in the settings.', { default: 'false' }) retired: boolean;
  @text.orNull(
    'What its list of submissions was when last looked at: a SourceState; null before the first look.',
  )
  listState: SourceState | null;
  @timestamptz.orNull("When the list was found to be so, observer's clock.") listStateAt: Micros | null;
  @timestamptz.orNull("The last look at its list whose rows are all recorded, observer's clock.")
  listSeenAt: Micros | null;
  @timestamptz.orNull("The last look at its list, whatever came of it, observer's clock.")
  listLookedAt: Micros | null;
  @int8('The last success of its list that holds headers and tells its DA height; 0 for none.', {
    default: '0',
  })
  headerAfter: bigint;
  @int8.orNull('That DA height.') headerDa: bigint | null;
  @int8('The same of data.', { default: '0' }) dataAfter: bigint;
  @int8.orNull('That DA height.') dataDa: bigint | null;
  @int8('The event that made it known.') fromPosition: bigint;
  @int8.orNull('The event that retired it.') toPosition: bigint | null;
  @text.orNull('The chain that its settings name; null: they name none.') settingsChainId: string | null;
  @bool('Whether its descriptions say which list they belong to; those of older observers do not.', {
    default: 'false',
  })
  namesLists: boolean;
}

@Table('proposer', 'What is equal in most headers of a chain, stored once.')
export class ProposerEntity {
  @int4('Its number.', { key: true }) proposerKey: number;
  @bytea('As in the header.') proposerAddress: string;
  @bytea('As in the header.') validatorHash: string;
  @int8('As in the header.') versionBlock: bigint;
  @int8('As in the header.') versionApp: bigint;
}

@Table(
  'submission_evidence_past',
  'What was decided of a submission before a later event decided otherwise. Not here: that it was UNCONFIRMED from its own event on, and nothing else has changed.',
)
export class SubmissionEvidencePastEntity {
  @int4('The node whose row it is.', { key: true }) nodeKey: number;
  @int8('The row.', { key: true }) sequence: bigint;
  @int2('The evidence, as in submission.') evidence: number;
  @int8('Position of the event from which on it was known.', { key: true }) fromPosition: bigint;
  @int8('Position of the event that replaced it.') toPosition: bigint;
  @int4.orNull('As in submission.') lineageKey: number | null;
  @text.orNull('As in submission.') chainId: string | null;
  @int2('As in submission.') kind: number;
  @int8.orNull('As in submission.') daHeight: bigint | null;
  @int8.orNull('As in submission.') blockFrom: bigint | null;
  @int8.orNull('As in submission.') blockTo: bigint | null;
  @int4.orNull('As in submission.') shares: number | null;
  @int4.orNull('As in submission.') signedShares: number | null;
  @bool('As in submission.', { default: 'true' }) countsForChain: boolean;
}

@Table('submission_run', 'Batches that have failed and not succeeded yet.')
export class SubmissionRunEntity {
  @int4('The node that tries it.', { key: true }) nodeKey: number;
  @int4('0 where the rows name no namespace.', { key: true }) namespaceKey: number;
  @timestamptz('time_at of the first failed attempt.') firstAttemptAt: Micros;
}

@Table(
  'submission_span',
  'Of each 4,096 places of a list of submissions: when and where its rows lie at most.',
)
export class SubmissionSpanEntity {
  @int4('The node whose list it is; 0: that of all.', { key: true }) nodeKey: number;
  @int8('The sequence of its rows divided by 4,096; in the list of all, their from_position.', { key: true })
  span: bigint;
  @timestamptz('No row of it has an earlier time_at.') firstTime: Micros;
  @timestamptz('No row of it has a later time_at.') lastTime: Micros;
  @int8('No row of it has a lower from_position.') firstPosition: bigint;
  @int8.orNull('No row of it has a lower da_height; null where none has one.') firstDaHeight: bigint | null;
  @int8.orNull('No row of it has a higher da_height; null where none has one.') lastDaHeight: bigint | null;
}

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
