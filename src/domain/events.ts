import type { AlertEvents, DeliveryOutcome } from './alerts/alert-ledger.js';
import type { PackedBlocks } from './blocks/block-facts.js';
import type { ServiceClaim } from './claims.js';
import type { RequestedReport } from './statistics/due-report.js';
import type { CutMark } from './submissions/cut-row.js';
import type { Micros, Millis } from './time.js';

/**
 * When and how often a subject was polled since its stream's previous event. Only this shows the difference between a quiet
 * hour and an hour that was not monitored.
 *
 * Times are of the observer's clock, here as in all events: the database's when observation began, and steady from there.
 */
export interface Polls {
  readonly first: Millis;
  readonly last: Millis;
  readonly count: number;
  /** The longest time between two polls, including the one before `first` (0 when there was none). */
  readonly longestGapMs: Millis;
  /** The node's own clock (its `Date` header) at the second to last poll and at the last; absent when the node sent none. */
  readonly nodeClockBefore?: Millis;
  readonly nodeClock?: Millis;
  /** For polls of a list of submissions: the lists that were seen. Missing in events of older versions. */
  readonly lists?: readonly ProvenTime[];
}

/**
 * A time in which nothing of a list can have been missed: each poll proved that the list continued from the previous poll.
 */
export interface ProvenTime {
  /** The list's number behind its address, as `source` of rows and gaps. */
  readonly list: number;
  /** The poll that it begins with; the last poll of an earlier stretch of the list where it continues that stretch. */
  readonly since: Millis;
  readonly last: Millis;
}

/** Subjects that are polled: the kinds of streams that have an observer, each with the bodies of its events. */
interface SubjectEvents {
  submissions: SubmissionEvents;
  blocks: BlockEvents;
  probes: ProbeEvents;
  claims: ClaimEvents;
  daNode: DaNodeEvents;
  execution: ExecutionEvents;
}
export type Subject = keyof SubjectEvents;

/** All kinds of streams, `<owner>/<kind>`, each with the bodies of its events. */
export interface StreamEvents extends SubjectEvents {
  node: NodeEvents;
  chain: ChainEvents;
  operator: OperatorEvents;
  incidents: IncidentEvents;
  exclusion: ExclusionEvents;
}

export const STREAM_KINDS = Object.keys({
  node: true,
  submissions: true,
  blocks: true,
  probes: true,
  claims: true,
  daNode: true,
  execution: true,
  chain: true,
  operator: true,
  incidents: true,
  exclusion: true,
} satisfies Record<keyof StreamEvents, true>) as readonly (keyof StreamEvents)[];

/** State of the list of submissions at a poll. */
export type SourceState =
  'AVAILABLE' | 'DISABLED' | 'NOT_AGGREGATOR' | 'NOT_SUPPORTED' | 'INVALID' | 'UNREACHABLE';

/** The API that a node has, one of two: the specification's or the real node's. */
export type NodeShape = 'SPEC' | 'EV_NODE';

export type ProbeName = 'reachable' | 'live' | 'ready' | 'status';
export type ProbeOutcome = 'OK' | 'FAILED' | 'TIMEOUT' | 'REFUSED' | 'NOT_OFFERED' | 'INVALID';

export interface LatencySummary {
  readonly count: number;
  readonly minMs: Millis;
  readonly meanMs: Millis;
  readonly p50Ms: Millis;
  readonly p99Ms: Millis;
  readonly maxMs: Millis;
}

export interface NodeSettings {
  readonly url: string;
  readonly statusUrl?: string;
  readonly service?: string;
  readonly chain?: string;
  /** The systems behind the node that the settings name; their addresses are not recorded. Left out: none. */
  readonly systems?: readonly ('daNode' | 'execution')[];
}

/** Bodies of the events on a stream `<node>/node`. */
export interface NodeEvents {
  NodeRegistered: NodeSettings;
  NodeSettingsChanged: NodeSettings;
  NodeRetired: Record<string, never>;
  /** The node's description of itself; written again when any of it changes. Null: the node does not say. */
  NodeDescribed: {
    readonly chain: string | null;
    readonly servicePrefix: string | null;
    readonly shape: NodeShape | null;
    readonly aggregator: boolean | null;
    /** 58 hex digits, lower case. Equal when header and data share one namespace. */
    readonly headerNamespace: string | null;
    readonly dataNamespace: string | null;
    /**
     * The list of submissions that the node showed in two polls, one before and one after it answered this request. The
     * answer therefore comes from the process of that list. Null: no list is proven to be of the process. Missing in events
     * of older versions.
     */
    readonly seen?: ProvenTime | null;
  };
  /** Polls in which nothing happened, by subject. */
  NodeWatched: { readonly looks: Partial<Record<Subject, Polls>> };
  /** The clock of the observing computer was set: it moved by another amount than `elapsedMs`. */
  ClockStepped: {
    /** The clock at two moments that are `elapsedMs` apart. */
    readonly wallBefore: Millis;
    readonly wallAfter: Millis;
    readonly elapsedMs: Millis;
  };
}

/** Bodies of the events on a stream `<chain>/chain`. */
export interface ChainEvents {
  ChainSettingsChanged: {
    readonly reportingTimeZone: string;
    readonly thresholds: Readonly<Record<string, number>>;
    readonly da: Readonly<Record<string, string>>;
  };
  /** A history of the chain that is proven to differ from the earlier ones. `n` counts from 1. */
  ChainLineageOpened: {
    readonly n: number;
    readonly node: string;
    /** The first height at which it differs, and the header hash seen there. */
    readonly height: string;
    readonly hash: string | null;
  };
}

/** Bodies of the events on a stream `<node>/submissions`. */
export interface SubmissionEvents {
  /** Rows that entered the ring, oldest first, as sent. */
  SubmissionsObserved: {
    readonly looks: Polls;
    /** Rows that this window shares with the known rows. */
    readonly overlap: number;
    /** Whether an anchor proved the overlap. */
    readonly anchored: boolean;
    /** Number of the list that showed the rows, among the lists behind the address: 0 for the first. */
    readonly source: number;
    /** How often the address had been seen to empty its ring before this list began. */
    readonly ring: number;
    /** Whether the node sends its newest row first; `rows` are oldest first in either case. */
    readonly newestFirst: boolean;
    /** Rows that the ring holds, as far as known: 100 until the node shows more. */
    readonly ringSize: number;
    /** Sequence of the first of `rows`; the others count up from there. */
    readonly firstSequence: number;
    /**
     * The JSON text of each row, exactly as sent. A row that is not JSON is included: its text does not parse. The log
     * stores rows as JSON, not as strings; `event-log/logged-event.ts` converts between the two.
     */
    readonly rows: readonly string[];
    /** Rows that were recorded before and that the node now shows differently. */
    readonly altered?: readonly { readonly before: string; readonly after: string }[];
    /** Rows that cannot be stored as sent (U+0000, lone surrogates): index in `rows` -> the original text, base64. */
    readonly originals?: Readonly<Record<string, string>>;
    /**
     * The node had used up its bytes of the day. Some rows are kept only in part, each with the length and digest of the
     * whole (see `cut-row.ts`). `bytes` were left out.
     */
    readonly cut?: { readonly rows: number; readonly bytes: number };
  };
  /** A full window shared nothing with the known rows: rows fell out of the ring unseen. */
  SubmissionWindowLost: LossFact;
  /**
   * The ring was emptied (restart, change of leader), or was empty before and may have been emptied again unseen. Rows that
   * entered after the last poll are lost with it.
   */
  SubmissionRingReset: LossFact & { readonly ring: number };
  /** Overlap without an anchor proves nothing: rows may be missing. */
  SubmissionOverlapAmbiguous: LossFact & { readonly overlap: number };
  /** First contact: what came before was never seen. */
  SubmissionHistoryMissing: LossFact;
  /**
   * The address answered with a ring that had counted as replaced: it leads to several rings. Older observers recorded each
   * switch.
   */
  SubmissionRingSwitched: { readonly looks: Polls; readonly from: number; readonly to: number };
  SubmissionSourceChanged: Evidenced & { readonly looks?: Polls; readonly state: SourceState };
}

/** The answer behind an event: a line about it for people, and its start if it could not be read. */
export interface Evidenced {
  /** One line for people. */
  readonly detail: string;
  /** The start of a body that could not be read. */
  readonly evidence?: string;
  /** Length and digest of the evidence if it is not kept: the node had used up its bytes of the day. */
  readonly evidenceCut?: CutMark;
}

/** A gap in the rows seen of a ring, with what is proven about it. */
export interface LossFact {
  readonly looks: Polls;
  readonly source: number;
  /** Sequence of the last recorded row before the gap (0: none). */
  readonly after: number;
  /** The last poll before the gap (null: there was none) and the poll that found it. */
  readonly from: Millis | null;
  readonly to: Millis;
  readonly minLost: number;
  readonly maxLost: number | null;
  /** An estimate from the rate around the gap; null without one. */
  readonly likelyLost: number | null;
}

interface OnLineage {
  readonly chain: string;
  readonly lineage: number;
}

/** Bodies of the events on a stream `<node>/blocks`. Heights are decimal strings. */
export interface BlockEvents {
  BlocksObserved: OnLineage & {
    readonly looks?: Polls;
    /** The node's head at that moment if it is not `to`: during a backfill, and for heights that had been skipped. */
    readonly head?: string;
  } & PackedBlocks;
  /**
   * The node repeatedly failed to return a block although it returned a later one. Later blocks are recorded; the height is
   * a debt and is requested again. Older observers gave up on the height.
   */
  BlockUnreadable: OnLineage &
    Evidenced & {
      readonly looks?: Polls;
      readonly height: string;
      /** The last skipped height if several were skipped. */
      readonly to?: string;
    };
  /** DA heights that appeared in blocks which had none when they were recorded: [height, header DA height, data DA height]. */
  BlockInclusionObserved: OnLineage & {
    readonly looks?: Polls;
    readonly heights: readonly (readonly [string, string | null, string | null])[];
  };
  /** A block does not continue the one before it. */
  BlockChainBroken: OnLineage & {
    readonly height: string;
    readonly expected: string | null;
    readonly found: string | null;
  };
  /** Heights that the node no longer has, or never had. */
  BlocksPruned: OnLineage & { readonly from: string; readonly to: string };
  /** The node's own progress; a member is null if the node does not report it. */
  NodeProgressObserved: {
    readonly looks?: Polls;
    readonly head: string | null;
    readonly headTimeNs: string | null;
    /** Its metadata `d`: the height up to which it says everything is included. */
    readonly daIncluded: string | null;
    readonly lastSubmittedHeader: string | null;
    readonly lastSubmittedData: string | null;
    readonly headerStoreHead: string | null;
    readonly oldest: string | null;
    /** First block without a DA height, as far as Hindsight has walked; null when unknown. */
    readonly firstPending: string | null;
    /** Node's clock minus observer's clock, from its `Date` header (resolution one second). */
    readonly clockOffsetMs: Millis | null;
    /** Counters that the node says it does not have. A member that is null for another reason is not listed. */
    readonly lacks?: readonly NodeCounter[];
  };
}

/** Counters of a node's metadata, by the names of the recorded members. */
export type NodeCounter = 'daIncluded' | 'lastSubmittedHeader' | 'lastSubmittedData';

/** Bodies of the events on a stream `<node>/probes`. */
export interface ProbeEvents {
  ProbeChanged: {
    readonly looks: Polls;
    readonly probe: ProbeName;
    readonly outcome: ProbeOutcome;
    readonly statusCode: number | null;
    readonly detail: string;
    readonly latencyMs: Millis | null;
    /** Only for `status`: the node's own `catching_up`. */
    readonly catchingUp?: boolean | null;
  };
  ProbesSummarised: {
    readonly looks: Polls;
    readonly from: Millis;
    readonly to: Millis;
    readonly probes: Partial<
      Record<
        ProbeName,
        { readonly ok: number; readonly failed: number; readonly latency: LatencySummary | null }
      >
    >;
  };
}

/**
 * Bodies of the events on a stream `<node>/claims`: the node's statements, verbatim. If the node had used up its bytes of
 * the day, `body` is `{ hindsight_cut: { bytes, sha256 } }`, of the whole.
 */
interface ClaimEvents {
  DaHealthClaimed: {
    readonly looks: Polls;
    readonly status: string | null;
    readonly body: unknown;
    /** The answer in base64, if it contained bytes that are not UTF-8. */
    readonly original?: string;
  };
  DaStatsClaimed: { readonly looks: Polls; readonly body: unknown; readonly original?: string };
  /**
   * An answer of the node's services, as JSON, including the answer that the node has no such thing (`code` is
   * `not_found`). Services are polled rarely, so the event reports no polls.
   */
  ServiceClaimed: { readonly kind: ServiceClaim; readonly body: unknown; readonly original?: string };
}

/** The end of a poll of a system behind the node: of its DA node, or its execution layer. */
export type SystemOutcome =
  | 'OK'
  /** No connection, or no answer in time. */
  | 'UNREACHABLE'
  /** The token or key is wrong or expired: 401, or 403. */
  | 'REFUSED'
  /** The token is valid, but lacks the permission to read. */
  | 'NOT_PERMITTED'
  /** An answer that cannot be used. */
  | 'INVALID';

/** A system behind the node answers in another way than before. */
interface SystemChanged extends Evidenced {
  readonly looks: Polls;
  readonly outcome: SystemOutcome;
  /** HTTP status; null without an answer. */
  readonly statusCode: number | null;
}

/** The rights and the end of a token of the DA node, as the token itself says. */
export interface DaToken {
  /** For example `public`, `read`; sorted. */
  readonly permissions: readonly string[];
  /** ISO 8601 in UTC; null: never. */
  readonly expiresAt: string | null;
}

/** Bodies of the events on a stream `<node>/daNode`: the DA node that the rollup node posts through, and its accounts. */
export interface DaNodeEvents {
  DaNodeChanged: SystemChanged & {
    /** Null: Hindsight has no token, or cannot read it. */
    readonly token: DaToken | null;
  };
  /** The head of the DA node moved, or its work on it changed. */
  DaHeadObserved: {
    readonly looks: Polls;
    /** Null if the header has none. */
    readonly chain: string | null;
    readonly height: string;
    /** The header's own time, in nanoseconds. */
    readonly timeNs: string;
    /** The height up to which the DA node synchronises; null if it does not say. */
    readonly syncTo: string | null;
    /** Null if the DA node does not say. */
    readonly sampling: { readonly isRunning: boolean; readonly failed: number; readonly head: string } | null;
    /** The newest block of the consensus node; null or missing if the settings name none of this DA chain that answers. */
    readonly consensus?: { readonly height: string; readonly timeNs: string } | null;
  };
  /** The balance of an account that pays for submissions changed, or can or cannot be read now. */
  BalanceObserved: {
    /** Bech32 address. */
    readonly account: string;
    /** utia; null: the DA node could not say, `detail` says why. */
    readonly amount: string | null;
    /** The DA height whose state has this balance; null if unknown. */
    readonly height: string | null;
    readonly detail: string;
  };
}

/** Bodies of the events on a stream `<node>/execution`: the execution layer of the rollup node. */
export interface ExecutionEvents {
  ExecutionChanged: SystemChanged & {
    /** `web3_clientVersion`; null if it does not say. */
    readonly client: string | null;
    /** In decimal digits. It proves nothing: other chains may have the same. */
    readonly chainId: string | null;
  };
  /** The head of the execution layer moved, or the comparison with the rollup has another result. */
  ExecutionHeadObserved: {
    readonly looks: Polls;
    readonly height: string;
    readonly hash: string | null;
    readonly timeNs: string | null;
    /** The newest height that the rollup node has executed, by its own state; null if the node does not answer. */
    readonly rollupHeight: string | null;
    /**
     * A height that both have, with the state after its block: the execution layer's root, and the rollup's `app_hash` of the
     * next header. Both in lower-case hex without a prefix. Null: nothing could be compared.
     */
    readonly compared: {
      readonly height: string;
      readonly stateRoot: string;
      readonly appHash: string;
    } | null;
    /** The lowest height at which both differ, as far as it was found; null while none differs. */
    readonly firstDifference: string | null;
  };
}

export type PriceSubject = 'GAS_PRICE' | 'GAS_SCHEDULE' | 'FIAT_RATE';

/** An entry of the price book, as recorded. Decimals and integers are text; times are ISO 8601 in UTC. */
export type RecordedPrice = {
  /** Start of validity, which ends with the next entry of its subject; null: from the beginning. */
  readonly effectiveFrom: string | null;
} & (
  | { readonly subject: 'GAS_PRICE'; readonly value: { readonly utia: string } }
  | {
      readonly subject: 'GAS_SCHEDULE';
      readonly value: {
        readonly gasPerShareByte: string;
        readonly gasPerBlob: string;
        readonly fixedGas: string;
        /** Whether blobs name their signer, which takes 20 bytes of the first share. */
        readonly signer: boolean;
      };
    }
  | { readonly subject: 'FIAT_RATE'; readonly value: { readonly unit: string; readonly perTia: string } }
);

/** A fee that was read from the DA layer. */
export interface ImportedFee {
  readonly daHeight: string;
  /** 58 hex digits, lower case; null where the file names none. */
  readonly namespace: string | null;
  readonly tx: string | null;
  /** utia, an integer in text. */
  readonly fee: string;
}

/**
 * Bodies of the events on a stream `<chain>/operator`: settings and requests by people, and alerts and reports sent to them. `by` is
 * the name of an API key, `loopback` without a key, or `command line`. A key of the settings is `settings` (`settings-1`, …
 * if there are several). Missing in older events.
 */
interface OperatorEvents extends AlertEvents {
  /** An entry corrects the earlier one with the same start. */
  PriceSet: { readonly entries: readonly RecordedPrice[]; readonly source: string; readonly by?: string };
  FeesImported: { readonly source: string; readonly fees: readonly ImportedFee[]; readonly by?: string };
  /** A job was requested; on the stream of its chain, or of the chain `*` if it concerns all chains. */
  JobRequested: {
    /** `recompute-statistics`, `rebuild`, or `retry` of a job that had failed. */
    readonly job: string;
    readonly arguments: Readonly<Record<string, string>>;
    readonly by: string;
  };
  /** A report of a period is due, and to be sent by mail. */
  ReportRequested: RequestedReport;
  /** The mail is finished: it was accepted, refused for good, or is too old. */
  ReportDelivered: { readonly report: string; readonly outcome: DeliveryOutcome; readonly detail: string };
}

interface IncidentNote {
  readonly incident: string;
  readonly note: string;
  readonly by: string;
}

/** Bodies of the events on a stream `<node>/incidents`: acknowledgements and notes by people. `by` is as on `<chain>/operator`. */
interface IncidentEvents {
  /** Somebody has seen the incident and takes care of it. */
  IncidentAcknowledged: IncidentNote;
  /** Somebody wrote a note on the incident. */
  IncidentNoted: IncidentNote;
}

/**
 * Bodies of the events on a stream `<node>/exclusion`: orders of an operator. The last order counts, for all events of the node. `by` is
 * as on `<chain>/operator`.
 */
interface ExclusionEvents {
  /** The node was recorded by mistake: it is in no read model. */
  NodeExcluded: { readonly why: string; readonly by: string };
  NodeIncluded: { readonly by: string };
}

type JoinedOf<Bodies> = (Bodies extends unknown ? (bodies: Bodies) => void : never) extends (
  bodies: infer Joined,
) => void
  ? Joined
  : never;

/** The bodies of all events, by their type. */
export type EventBodies = JoinedOf<StreamEvents[keyof StreamEvents]>;
export type EventType = keyof EventBodies;

/** An event that has not been recorded yet. */
export type NewEvent = {
  [T in EventType]: { readonly type: T; readonly observedAt: Millis; readonly body: EventBodies[T] };
}[EventType];

export type RecordedEvent = {
  [T in EventType]: {
    readonly position: bigint;
    readonly stream: string;
    readonly version: bigint;
    readonly type: T;
    readonly schema: number;
    readonly observedAt: Micros;
    readonly recordedAt: Micros;
    readonly body: EventBodies[T];
  };
}[EventType];

/** The owner of a stream: the node's id, or the chain's of a `…/chain` stream. */
export function ownerOf(stream: string): string {
  return stream.slice(0, stream.lastIndexOf('/'));
}
