import type { Polls, LossFact, NewEvent } from '../events.js';
import type { Millis } from '../time.js';
import { copyText, type KnownRing } from './known-ring.js';
import type { Verdict, WindowLoss, WindowReading } from './window-verdict.js';

/** Limits of what one answer may add to the log. */
interface RowLimits {
  /** Rows that are always recorded: at least as many as a window keeps, so that the next answer can be placed. */
  readonly most: number;
  /** More rows are recorded if all of them fit into this many characters, even if they are cut later. */
  readonly characters: number;
}

/**
 * Bounds a verdict with more rows than may be recorded. The newest rows are recorded, the others are a loss of known size,
 * and the list begins again after that loss.
 */
export function boundVerdict(known: KnownRing, verdict: Verdict, { most, characters }: RowLimits): Verdict {
  if (!('fresh' in verdict) || verdict.fresh.length <= most) return verdict;
  if (verdict.fresh.reduce((sum, { length }) => sum + length, 0) <= characters) return verdict;
  const lost = verdict.fresh.length - most;
  const loss = verdict.loss
    ? { ...verdict.loss, minLost: verdict.loss.minLost + lost }
    : { kind: 'OVERFLOW' as const, after: known.sequence, minLost: lost, maxLost: lost };
  const reading = {
    ...verdict,
    fresh: verdict.fresh.slice(-most),
    overlap: 0,
    anchored: false,
    source: known.sources,
    altered: [],
    loss,
  };
  const isNew = verdict.kind === 'FIRST_CONTACT' || verdict.kind === 'RESET';
  return isNew ? reading : { ...reading, kind: 'LOST' };
}

interface VerdictContext {
  /** Time of the poll that returned the answer. */
  readonly at: Millis;
  /** End of the proven time before this answer, from which on a gap counts; null: nothing was proven. */
  readonly provenTo: Millis | null;
  /** Whether the list had counted as replaced: the address then leads to several lists. */
  readonly isReturn: boolean;
  /** When polls began to fail before this one; null if they did not fail. */
  readonly failingSince: Millis | null;
  readonly known: KnownRing;
  /** Recent rate of rows; null when unknown. */
  readonly rowsPerSecond: number | null;
  /** The answer's rows in the order sent, their compared forms, and, by index, the base64 of rows that are not UTF-8. */
  readonly rows: readonly string[];
  readonly forms: readonly string[];
  readonly originals: Readonly<Record<string, string>>;
  readonly looks: Polls;
}

/**
 * The events that record a verdict, in order; none when it says nothing new. Gaps come before the rows after them. Each
 * event carries the polls: see `carryPollsOnce`.
 */
export function eventsOfVerdict(verdict: Verdict, given: VerdictContext): NewEvent[] {
  if (!('fresh' in verdict)) return [];
  const context = verdict.kind === 'SWITCHED' ? withoutClockBefore(given) : given;
  const { at: observedAt, looks } = context;
  const events: NewEvent[] = [];
  if (verdict.kind === 'SWITCHED' && context.isReturn) {
    const body = { looks, from: verdict.from, to: verdict.source };
    events.push({ type: 'SubmissionRingSwitched', observedAt, body });
  }
  if (verdict.loss) events.push(lossEvent(verdict, verdict.loss, context));
  if (verdict.fresh.length > 0 || verdict.altered.length > 0) events.push(rowsEvent(verdict, context));
  return events;
}

/**
 * The event for a time that is over, in which rows may have come and gone with a restart. The list was empty before and
 * after it.
 */
export function stateGap(
  gap: { readonly from: Millis; readonly to: Millis },
  { at, list, known, looks }: { at: Millis; list: number; known: KnownRing; looks: Polls },
): NewEvent {
  const bounds = { minLost: 0, maxLost: null, likelyLost: null };
  const body = { looks, source: list, after: known.sequence, ...gap, ...bounds, ring: known.resets };
  return { type: 'SubmissionRingReset', observedAt: at, body };
}

/** The previous poll reached another node: its clock bounds nothing here. */
function withoutClockBefore(context: VerdictContext): VerdictContext {
  const { nodeClockBefore: _, ...looks } = context.looks;
  return { ...context, looks };
}

function lossEvent(verdict: Verdict & WindowReading, loss: WindowLoss, context: VerdictContext): NewEvent {
  const { at: observedAt, provenTo, looks } = context;
  const fact: LossFact = {
    looks,
    source: verdict.source,
    after: loss.after,
    from: loss.kind === 'BEFORE_START' ? null : provenTo,
    to: observedAt,
    minLost: loss.minLost,
    maxLost: loss.maxLost,
    likelyLost: estimateLost(verdict, loss, context),
  };
  switch (loss.kind) {
    case 'BEFORE_START':
      return { type: 'SubmissionHistoryMissing', observedAt, body: fact };
    case 'RESET':
      return { type: 'SubmissionRingReset', observedAt, body: { ...fact, ring: verdict.ring } };
    case 'OVERFLOW':
      return { type: 'SubmissionWindowLost', observedAt, body: fact };
    case 'AMBIGUOUS':
      return { type: 'SubmissionOverlapAmbiguous', observedAt, body: { ...fact, overlap: verdict.overlap } };
    default:
      return loss.kind satisfies never;
  }
}

/**
 * Rows expected at the rate before the gap, minus the rows seen. A node whose list was emptied wrote nothing while it did
 * not answer.
 */
function estimateLost(
  verdict: WindowReading,
  loss: WindowLoss,
  { at, provenTo, failingSince, rowsPerSecond }: VerdictContext,
): number | null {
  if (loss.kind === 'BEFORE_START' || provenTo === null || rowsPerSecond === null) return null;
  const end = loss.kind === 'RESET' && failingSince !== null ? failingSince : at;
  const expected = Math.round((rowsPerSecond * Math.max(0, end - provenTo)) / 1000);
  return Math.max(0, expected - verdict.fresh.length);
}

function rowsEvent(verdict: WindowReading, context: VerdictContext): NewEvent {
  const { at: observedAt, known, looks, rows, originals } = context;
  const body = {
    looks,
    overlap: verdict.overlap,
    anchored: verdict.anchored,
    source: verdict.source,
    ring: verdict.ring,
    newestFirst: verdict.newestFirst,
    ringSize: verdict.ringSize,
    firstSequence: known.sequence + 1,
    ...(verdict.altered.length === 0
      ? {}
      : {
          altered: verdict.altered.map(({ known: before, fetched }) => ({
            before,
            after: sentAs(fetched, context),
          })),
        }),
    ...originalsOf(verdict, rows.length, originals),
    rows: freshAsSent(verdict, rows),
  };
  return { type: 'SubmissionsObserved', observedAt, body };
}

/**
 * Fresh rows are the newest of the answer: the first ones, reversed, if the answer lists the newest first, else the last
 * ones. They are copied, since an event may wait to be appended and must not keep the whole answer in memory.
 */
function freshAsSent({ fresh, newestFirst }: WindowReading, sent: readonly string[]): readonly string[] {
  if (fresh.length === 0) return [];
  return (newestFirst ? sent.slice(0, fresh.length).reverse() : sent.slice(-fresh.length)).map(copyText);
}

function sentAs(form: string, { rows, forms }: VerdictContext): string {
  return rows[forms.indexOf(form)] ?? form;
}

/** Originals of the fresh rows, by index among them. */
function originalsOf(
  { fresh, newestFirst }: WindowReading,
  sent: number,
  originals: Readonly<Record<string, string>>,
): { originals?: Record<string, string> } {
  const kept: Record<string, string> = {};
  for (const [index, bytes] of Object.entries(originals)) {
    const fromOldest = newestFirst ? sent - 1 - Number(index) : Number(index);
    const fromFirstFresh = fromOldest - (sent - fresh.length);
    if (fromFirstFresh >= 0) kept[fromFirstFresh] = bytes;
  }
  return Object.keys(kept).length > 0 ? { originals: kept } : {};
}

/** Leaves the polls of an answer on its first event only, so that they are counted once. */
export function carryPollsOnce(events: readonly NewEvent[]): NewEvent[] {
  return events.map((event, index) => (index === 0 ? event : withoutPolls(event)));
}

/** Later events have no polls of their own, but keep the node's clock. */
function withoutPolls(event: NewEvent): NewEvent {
  const { body } = event;
  if (!('looks' in body) || !body.looks || !('last' in body.looks)) return event;
  const lists = body.looks.lists && { lists: [] };
  const looks = { ...body.looks, first: body.looks.last, count: 0, longestGapMs: 0, ...lists };
  return { ...event, body: { ...body, looks } } as NewEvent;
}
