import { hash } from 'node:crypto';
import type { EventBodies, EventType, Evidenced, NewEvent } from './events.js';
import { bearsMark, clip, comparedForm, type CutMark } from './submissions/cut-row.js';

export interface CutEvents {
  readonly events: readonly NewEvent[];
  /** Bytes that the events take in the log, approximately. */
  readonly bytes: number;
}

/** Bytes of an event besides its texts. */
const BYTES_OF_EVENT = 300;
/** One-line texts are always cut to this length; bodies and rows may be longer while there is room. */
const LONGEST_LINE = 500;
const LONGEST_WHEN_CUT = 100;
/** Texts with these escapes are stored twice, unchanged and in base64. */
const STORED_TWICE = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Cuts texts that do not fit into `left` bytes. A cut text carries the length and the SHA-256 of the whole. Everything
 * short stays: states, heights, counts, times, and rows of usual length.
 */
export function cutToFit(events: readonly NewEvent[], left: number): CutEvents {
  const purse = new ByteBudget(left);
  const cut = events.map((event) => {
    purse.take(BYTES_OF_EVENT);
    return cutEvent(event, purse);
  });
  return { events: cut, bytes: purse.taken };
}

class ByteBudget {
  taken = 0;

  constructor(private readonly size: number) {}

  take(bytes: number): void {
    this.taken += bytes;
  }

  /** Takes the bytes if all of them fit; otherwise takes nothing and returns false. */
  fits(bytes: number): boolean {
    if (this.taken + bytes > this.size) return false;
    this.take(bytes);
    return true;
  }
}

function cutEvent(event: NewEvent, purse: ByteBudget): NewEvent {
  const cut = CUTS[event.type] as BodyCutter<unknown> | null;
  return cut === null ? event : ({ ...event, body: cut(event.body, purse) } as NewEvent);
}

type BodyCutter<Body> = (body: Body, purse: ByteBudget) => Body;

/** How to cut the texts of each event; null if an event has no texts that may be long. */
const CUTS: { readonly [T in EventType]: BodyCutter<EventBodies[T]> | null } = {
  NodeRegistered: null,
  NodeSettingsChanged: null,
  NodeRetired: null,
  NodeDescribed: null,
  NodeWatched: null,
  ClockStepped: null,
  ChainSettingsChanged: null,
  ChainLineageOpened: null,
  SubmissionsObserved: cutRows,
  SubmissionWindowLost: null,
  SubmissionRingReset: null,
  SubmissionOverlapAmbiguous: null,
  SubmissionHistoryMissing: null,
  SubmissionRingSwitched: null,
  SubmissionSourceChanged: cutEvidence,
  BlocksObserved: null,
  BlockUnreadable: cutEvidence,
  BlockInclusionObserved: null,
  BlockChainBroken: null,
  BlocksPruned: null,
  NodeProgressObserved: null,
  ProbeChanged: (body, purse) => ({ ...body, detail: cutLine(body.detail, purse) }),
  ProbesSummarised: null,
  DaHealthClaimed: (claim, purse) =>
    cutClaim({ ...claim, status: claim.status === null ? null : cutLine(claim.status, purse) }, purse),
  DaStatsClaimed: cutClaim,
  ServiceClaimed: cutClaim,
  DaNodeChanged: cutEvidence,
  DaHeadObserved: null,
  BalanceObserved: (body, purse) => ({ ...body, detail: cutLine(body.detail, purse) }),
  ExecutionChanged: cutEvidence,
  ExecutionHeadObserved: null,
  PriceSet: null,
  FeesImported: null,
  JobRequested: null,
  AlertRaised: null,
  AlertReminded: null,
  AlertAcknowledged: null,
  AlertResolved: null,
  AlertDelivered: null,
  AlertsSilenced: null,
  SilenceLifted: null,
  ReportRequested: null,
  ReportDelivered: null,
  IncidentAcknowledged: null,
  IncidentNoted: null,
  NodeExcluded: null,
  NodeIncluded: null,
};

type RowsBody = EventBodies['SubmissionsObserved'];

function cutRows(body: RowsBody, purse: ByteBudget): RowsBody {
  const originals: Record<string, string> = {};
  const count = { rows: 0, bytes: 0 };
  const rows = body.rows.map((text, index) => {
    const original = body.originals?.[index];
    const kept = cutText(text, original, purse);
    if (kept !== text) {
      count.rows += 1;
      count.bytes += Buffer.byteLength(text) - Buffer.byteLength(kept);
    } else if (original !== undefined) originals[index] = original;
    return kept;
  });
  const altered = body.altered?.map(({ before, after }) => ({
    before: cutText(before, undefined, purse),
    after: cutText(after, undefined, purse),
  }));
  const { originals: _, ...rest } = body;
  return {
    ...rest,
    ...(altered && { altered }),
    ...(Object.keys(originals).length > 0 && { originals }),
    ...(count.rows > 0 && { cut: count }),
    rows,
  };
}

/** A row in full where it fits, otherwise its shortened form. */
function cutText(text: string, original: string | undefined, purse: ByteBudget): string {
  const bytes = Buffer.byteLength(text);
  const twice = original?.length ?? (STORED_TWICE.test(text) ? bytes * 1.4 : 0);
  if (!bearsMark(text) && purse.fits(bytes + twice)) return text;
  const kept = comparedForm(text);
  purse.take(Buffer.byteLength(kept));
  return kept;
}

function cutEvidence<Body extends Evidenced>({ detail, evidence, ...rest }: Body, purse: ByteBudget): Body {
  const kept = { ...rest, detail: cutLine(detail, purse) };
  if (evidence === undefined) return kept as unknown as Body;
  const isWhole = purse.fits(Buffer.byteLength(evidence));
  return { ...kept, ...(isWhole ? { evidence } : { evidenceCut: markOf(evidence) }) } as unknown as Body;
}

interface ClaimBody {
  readonly body: unknown;
  readonly original?: string;
}

function cutClaim<Body extends ClaimBody>(claim: Body, purse: ByteBudget): Body {
  const { body, original, ...rest } = claim;
  const text = JSON.stringify(body);
  const isWhole = purse.fits(Buffer.byteLength(text) + (original?.length ?? 0));
  return isWhole ? claim : ({ ...rest, body: { hindsight_cut: markOf(text) } } as unknown as Body);
}

function cutLine(text: string, purse: ByteBudget): string {
  const line = clip(text, LONGEST_LINE);
  if (purse.fits(Buffer.byteLength(line))) return line;
  const kept = clip(line, LONGEST_WHEN_CUT);
  purse.take(Buffer.byteLength(kept));
  return kept;
}

function markOf(text: string): CutMark {
  return { bytes: Buffer.byteLength(text), sha256: hash('sha256', text) };
}
