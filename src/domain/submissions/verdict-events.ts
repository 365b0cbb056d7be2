import type { Looks, LossFact, NewEvent } from '../events.js';
import type { Millis } from '../time.js';
import { copyText, type KnownRing } from './known-ring.js';
import type { Verdict, WindowLoss, WindowReading } from './window-verdict.js';

/** What one answer may add to the log. */
interface RowLimits {
  /** Rows that are always recorded: at least as many as a window keeps, so that the next answer finds its place. */
  readonly most: number;
  /** More are, if they all fit into this, though they be cut. */
  readonly characters: number;
}

/**
 * The verdict of an answer with more rows than are to be written down. The newest are recorded, the others are a loss
 * of known size, and the list begins anew behind it.
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

/** What a verdict was reached on. */
interface VerdictContext {
  /** The look that gave the answer. */
  readonly at: Millis;
  /** Up to when what the answer does not prove was proven; null: nothing was. */
  readonly provenTo: Millis | null;
  /** Whether the list was held to be replaced: so the address leads to several. */
  readonly isReturn: boolean;
  /** Since when looks failed before this one; null while they did not. */
  readonly failingSince: Millis | null;
  readonly known: KnownRing;
  /** How fast rows came lately; null when not known. */
  readonly rowsPerSecond: number | null;
  /** The answer's rows in the order sent, the forms in which they were compared, and as base64 by index those whose bytes were no UTF-8. */
  readonly rows: readonly string[];
  readonly forms: readonly string[];
  readonly originals: Readonly<Record<string, string>>;
  readonly looks: Looks;
}

/**
 * The events that record a verdict, in order; none when it says nothing new.
 * Holes come before the rows behind them. Each carries the looks: see `carryLooksOnce`.
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
  { at, list, known, looks }: { at: Millis; list: number; known: KnownRing; looks: Looks },
): NewEvent {
  const bounds = { minLost: 0, maxLost: null, likelyLost: null };
  const body = { looks, source: list, after: known.sequence, ...gap, ...bounds, ring: known.resets };
  return { type: 'SubmissionRingReset', observedAt: at, body };
}

/** The look before was at another node: its clock bounds nothing here. */
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
 * Rows that should have come at the rate before the hole, less those that were seen. A node whose list was emptied wrote none
 * while it did not answer.
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
    rows: asSent(verdict, rows),
  };
  return { type: 'SubmissionsObserved', observedAt, body };
}

/**
 * Fresh rows are the newest of the answer: the first ones where it lists the newest first, turned round, else the last.
 * As copies: an event may wait to be appended, and must not hold the whole answer for so long.
 */
function asSent({ fresh, newestFirst }: WindowReading, sent: readonly string[]): readonly string[] {
  if (fresh.length === 0) return [];
  return (newestFirst ? sent.slice(0, fresh.length).reverse() : sent.slice(-fresh.length)).map(copyText);
}

function sentAs(form: string, { rows, forms }: VerdictContext): string {
  return rows[forms.indexOf(form)] ?? form;
}

/** Of the fresh rows. */
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

/** Of the events of one answer the first carries its looks, so that they are counted once. */
export function carryLooksOnce(events: readonly NewEvent[]): NewEvent[] {
  return events.map((event, index) => (index === 0 ? event : withoutLooks(event)));
}

/** An event behind the first has no looks of its own, but still the node's clock at them. */
function withoutLooks(event: NewEvent): NewEvent {
  const { body } = event;
  if (!('looks' in body) || !body.looks || !('last' in body.looks)) return event;
  const lists = body.looks.lists && { lists: [] };
  const looks = { ...body.looks, first: body.looks.last, count: 0, longestGapMs: 0, ...lists };
  return { ...event, body: { ...body, looks } } as NewEvent;
}
