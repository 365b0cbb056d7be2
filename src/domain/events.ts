import type { AlertEvents } from './alerts/alert-ledger.js';
import type { PackedBlocks } from './blocks/block-facts.js';
import type { ServiceClaim } from './claims.js';
import type { CutMark } from './submissions/cut-row.js';
import type { Micros, Millis } from './time.js';

/**
 * When and how often a subject was looked at since its stream's previous event.
 * A quiet hour and an hour in which nobody looked differ only here.
 *
 * Times are those of the observer's clock, here as in all events: the database's when it began to observe, and steady from there.
 */
export interface Looks {
  readonly first: Millis;
  readonly last: Millis;
  readonly count: number;
  /** The longest time between two looks, the one before `first` included (0 when there was none). */
  readonly longestGapMs: Millis;
  /** The node's own clock (its `Date` header) at the look before the last and at the last; absent when it sent none. */
  readonly nodeClockBefore?: Millis;
  readonly nodeClock?: Millis;
  /** Of looks at a list of submissions: which lists they saw. Looks of older versions do not say. */
  readonly lists?: readonly SeenStretch[];
}

/** A time in which nothing of a list can have been missed: each of its looks proved that it continued the one before. */
export interface SeenStretch {
  /** The list's number behind its address, as `source` of rows and holes. */
  readonly list: number;
  /** The look that it begins with: one that an earlier stretch of the list ends with, where it continues that. */
  readonly since: Millis;
  readonly last: Millis;
}

/** What is looked at: the kinds of streams that have an observer, each with the bodies of its events. */
interface SubjectEvents {
  submissions: SubmissionEvents;
  blocks: BlockEvents;
  probes: ProbeEvents;
  claims: ClaimEvents;
}
export type Subject = keyof SubjectEvents;

/** All kinds of streams, `<owner>/<kind>`, each with the bodies of its events. */
export interface StreamEvents extends SubjectEvents {
  node: NodeEvents;
  chain: ChainEvents;
  operator: OperatorEvents;
  incidents: IncidentEvents;
}

/** The kinds themselves. */
export const STREAM_KINDS = Object.keys({
  node: true,
  submissions: true,
  blocks: true,
  probes: true,
  claims: true,
  chain: true,
  operator: true,
  incidents: true,
} satisfies Record<keyof StreamEvents, true>) as readonly (keyof StreamEvents)[];

/** What the list of submissions was when it was looked at. */
export type SourceState =
  'AVAILABLE' | 'DISABLED' | 'NOT_AGGREGATOR' | 'NOT_SUPPORTED' | 'INVALID' | 'UNREACHABLE';

/** Which of a node's two shapes answered: the specification's or the real node's. */
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
}

/** Bodies of the events on a stream `<node>/node`. */
export interface NodeEvents {
  NodeRegistered: NodeSettings;
  NodeSettingsChanged: NodeSettings;
  NodeRetired: Record<string, never>;
  /** What the node told of itself; written again when any of it changes. Null: it does not say. */
  NodeDescribed: {
    readonly chain: string | null;
    readonly servicePrefix: string | null;
    readonly shape: NodeShape | null;
    readonly aggregator: boolean | null;
    /** 58 hex digits, lower case. Equal when header and data share one namespace. */
    readonly headerNamespace: string | null;
    readonly dataNamespace: string | null;
    /**
     * The list of submissions that the node showed in two polls, one before it was asked and one after it had answered:
     * so the process of that list answered. Null: no list is proven to be of the process. Older versions do not say.
     */
    readonly seen?: SeenStretch | null;
  };
  /** Looks of the subjects in which nothing happened. */
  NodeWatched: { readonly looks: Partial<Record<Subject, Looks>> };
  /** The clock of the observing computer was set: by as much as it moved on otherwise than `elapsedMs`. */
  ClockStepped: {
    /** What it showed at two moments that lie `elapsedMs` apart. */
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
  /** A history of the chain that is proven to differ from the ones before it. `n` counts from 1. */
  ChainLineageOpened: {
    readonly n: number;
    readonly node: string;
    /** The first height in which it differs, and the header hash seen there. */
    readonly height: string;
    readonly hash: string | null;
  };
}

/** Bodies of the events on a stream `<node>/submissions`. */
export interface SubmissionEvents {
  /** Rows that entered the ring, oldest first, as sent. */
  SubmissionsObserved: {
    readonly looks: Looks;
    /** Rows that this window shares with what was known. */
    readonly overlap: number;
    /** Whether an anchor proved the overlap. */
    readonly anchored: boolean;
    /** Which ring behind the address showed them (0 first), how often it had been emptied, and its direction. */
    readonly source: number;
    readonly ring: number;
    readonly newestFirst: boolean;
    readonly ringSize: number;
    /** Sequence of the first of `rows`; they count up from there. */
    readonly firstSequence: number;
    /**
     * The JSON text of each row, exactly as sent. A row that is not JSON is here too: its text does not parse.
     * In the log they stand as JSON, not as strings; `event-log/logged-event.ts` turns one into the other.
     */
    readonly rows: readonly string[];
    /** Rows that were recorded before and that the node now shows otherwise. */
    readonly altered?: readonly { readonly before: string; readonly after: string }[];
    /** Rows that cannot be stored as sent (U+0000, lone surrogates): index in `rows` -> the original text, base64. */
    readonly originals?: Readonly<Record<string, string>>;
    /**
     * The node had written its share of the day. So of some rows only a part is kept, each with the length and digest
     * of the whole (see `cut-row.ts`). `bytes` were left out.
     */
    readonly cut?: { readonly rows: number; readonly bytes: number };
  };
  /** A full window shared nothing with what was known: rows fell out of the ring unseen. */
  SubmissionWindowLost: LossFact;
  /**
   * The ring was emptied (restart, change of leader), or was empty before and may have been emptied again unseen. Rows that
   * entered after the last look are gone with it.
   */
  SubmissionRingReset: LossFact & { readonly ring: number };
  /** Overlap without an anchor proves nothing: rows may be missing. */
  SubmissionOverlapAmbiguous: LossFact & { readonly overlap: number };
  /** First contact: what came before was never seen. */
  SubmissionHistoryMissing: LossFact;
  /** The address answered with a ring that had been held to be replaced: it leads to several. Older observers told each switch. */
  SubmissionRingSwitched: { readonly looks: Looks; readonly from: number; readonly to: number };
  SubmissionSourceChanged: {
    readonly looks?: Looks;
    readonly state: SourceState;
    readonly detail: string;
    /** The start of a body that could not be read, as evidence. */
    readonly evidence?: string;
    /** What that was, where it is not kept: the node had written its share of the day. */
    readonly evidenceCut?: CutMark;
  };
}

/** A hole in what was seen of a ring, with what is proven about it. */
export interface LossFact {
  readonly looks: Looks;
  readonly source: number;
  /** Sequence of the last recorded row before the hole (0: none). */
  readonly after: number;
  /** The look before the hole (null: there was none) and the look that found it. */
  readonly from: Millis | null;
  readonly to: Millis;
  readonly minLost: number;
  readonly maxLost: number | null;
  /** An estimate from the rate around the hole; null without one. */
  readonly likelyLost: number | null;
}

/** Bodies of the events on a stream `<node>/blocks`. Heights are decimal strings. */
export interface BlockEvents {
  BlocksObserved: {
    readonly looks?: Looks;
    readonly chain: string;
    readonly lineage: number;
    /** The node's head at that moment, where it is not `to`: during a backfill, and of heights that had been skipped. */
    readonly head?: string;
  } & PackedBlocks;
  /**
   * The node did not give a block, again and again, although it gave a later one. Later blocks are recorded; the height
   * is a debt, for which the node is asked again. Older observers gave it up.
   */
  BlockUnreadable: {
    readonly looks?: Looks;
    readonly chain: string;
    readonly lineage: number;
    readonly height: string;
    /** The last height that was skipped, where that is another one. */
    readonly to?: string;
    readonly detail: string;
    /** The start of the answer. */
    readonly evidence?: string;
    /** What that was, where it is not kept: the node had written its share of the day. */
    readonly evidenceCut?: CutMark;
  };
  /** DA heights that appeared in blocks which had none when they were recorded: [height, header DA height, data DA height]. */
  BlockInclusionObserved: {
    readonly looks?: Looks;
    readonly chain: string;
    readonly lineage: number;
    readonly heights: readonly (readonly [string, string | null, string | null])[];
  };
  /** A block does not continue the one before it. */
  BlockChainBroken: {
    readonly chain: string;
    readonly lineage: number;
    readonly height: string;
    readonly expected: string | null;
    readonly found: string | null;
  };
  /** Heights that the node no longer has, or never had. */
  BlocksPruned: {
    readonly chain: string;
    readonly lineage: number;
    readonly from: string;
    readonly to: string;
  };
  /** The node's own progress; each member null where it is not told. */
  NodeProgressObserved: {
    readonly looks?: Looks;
    readonly head: string | null;
    readonly headTimeNs: string | null;
    /** Its metadata `d`: the height up to which it says everything is included. */
    readonly daIncluded: string | null;
    readonly lastSubmittedHeader: string | null;
    readonly lastSubmittedData: string | null;
    readonly headerStoreHead: string | null;
    readonly oldest: string | null;
    /** First block that misses a DA height, as far as Hindsight has walked; null when unknown. */
    readonly firstPending: string | null;
    /** Node's clock minus observer's clock, from its `Date` header (resolution one second). */
    readonly clockOffsetMs: Millis | null;
    /** Counters that the node said it does not have; a member that is null for another reason is not among them. */
    readonly lacks?: readonly NodeCounter[];
  };
}

/** Counters of a node's metadata, by the names of what is recorded of them. */
export type NodeCounter = 'daIncluded' | 'lastSubmittedHeader' | 'lastSubmittedData';

/** Bodies of the events on a stream `<node>/probes`. */
export interface ProbeEvents {
  ProbeChanged: {
    readonly looks: Looks;
    readonly probe: ProbeName;
    readonly outcome: ProbeOutcome;
    readonly statusCode: number | null;
    readonly detail: string;
    readonly latencyMs: Millis | null;
    /** Only for `status`: the node's own `catching_up`. */
    readonly catchingUp?: boolean | null;
  };
  ProbesSummarised: {
    readonly looks: Looks;
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
 * Bodies of the events on a stream `<node>/claims`: what the node said, verbatim. Where it had written its share of
 * the day, `body` is `{ hindsight_cut: { bytes, sha256 } }`, of the whole.
 */
interface ClaimEvents {
  DaHealthClaimed: {
    readonly looks: Looks;
    readonly status: string | null;
    readonly body: unknown;
    /** The answer in base64, where it held bytes that are no UTF-8. */
    readonly original?: string;
  };
  DaStatsClaimed: { readonly looks: Looks; readonly body: unknown; readonly original?: string };
  /**
   * An answer of its services, as JSON, also that the node has no such thing (`code` is `not_found`). It is asked for
   * seldom, so it tells nothing of looks.
   */
  ServiceClaimed: { readonly kind: ServiceClaim; readonly body: unknown; readonly original?: string };
}

/** What a price of the book is of. */
export type PriceSubject = 'GAS_PRICE' | 'GAS_SCHEDULE' | 'FIAT_RATE';

/** An entry of the price book as it is recorded. Decimals and integers are text; a time is ISO 8601 in UTC. */
export type RecordedPrice = {
  /** From when it holds, until the next entry of its subject; null: from the beginning. */
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
 * Bodies of the events on a stream `<chain>/operator`: what people say, ask for, and are told. `by` is who: the name of
 * an API key, `loopback` without a key, or `command line`. A key of the settings is `settings` (`settings-1`, … where
 * there are several). Older events do not say.
 */
interface OperatorEvents extends AlertEvents {
  /** An entry corrects the one that held from the same moment. */
  PriceSet: { readonly entries: readonly RecordedPrice[]; readonly source: string; readonly by?: string };
  FeesImported: { readonly source: string; readonly fees: readonly ImportedFee[]; readonly by?: string };
  /** Somebody asked for a job; on the stream of its chain, or of the chain `*` where it concerns all. */
  JobRequested: {
    /** `recompute-statistics`, `rebuild`, or `retry` of a job that had failed. */
    readonly job: string;
    readonly arguments: Readonly<Record<string, string>>;
    readonly by: string;
  };
}

/** Bodies of the events on a stream `<node>/incidents`: what people say of them. `by` is as on `<chain>/operator`. */
interface IncidentEvents {
  /** Somebody has seen it, and sees to it. */
  IncidentAcknowledged: { readonly incident: string; readonly note: string; readonly by: string };
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

/** An event of the log. */
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
