import type { LossFact, Polls, RecordedEvent } from './events.js';
import { type Micros, microsToMillis, type Millis, millisToMicros } from './time.js';

/**
 * Position on a node's time axis, as JSON. A log may hold events whose observer's clock was set while it ran. Conclusions
 * that depend on durations are drawn on this axis instead, on which time never goes back.
 */
export interface TimeAxis {
  /** Offset added to times of the observer's clock; 0 until that clock steps. */
  readonly shiftMs: Millis;
  /** The latest moment placed, and when its event was recorded (by the database's clock, which never goes back). */
  readonly newest: Millis;
  readonly recordedAt: Millis;
}

/** An event with its times on the axis, and the axis after it. */
interface AxisEvent {
  readonly axis: TimeAxis | null;
  readonly event: RecordedEvent;
}

type NodeWatchedEvent = Extract<RecordedEvent, { type: 'NodeWatched' }>;

/** Events of several subjects can be this far out of order without a clock step. */
const STEP_MS = 120_000;

/**
 * Places an event on its node's axis, in the order of the log.
 *
 * A time far behind the newest one, or far ahead of the time at which it was recorded, shows that the clock was set. The
 * axis then advances by the time between the commits of the two events and continues from there. If that puts the axis
 * ahead of the database's clock, it runs at half speed until that clock has caught up, so that nothing that happens
 * meanwhile is lost.
 *
 * @param axis null before the node's first event
 */
export function placeOnAxis(axis: TimeAxis | null, event: RecordedEvent): AxisEvent {
  const observed = microsToMillis(event.observedAt);
  const recorded = microsToMillis(event.recordedAt);
  // Polls may be written long after they were made, so their old times prove no step.
  if (event.type === 'NodeWatched') return { axis, event: axis === null ? event : shiftWatched(axis, event) };
  const at = axis === null ? firstMoment(observed, recorded) : momentOf(axis, observed, recorded);
  const shiftMs = at - observed;
  const isStep = axis !== null && isStepped(axis, observed + axis.shiftMs, recorded);
  const next =
    axis !== null && at < axis.newest
      ? axis
      : { shiftMs, newest: at, recordedAt: Math.max(recorded, axis?.recordedAt ?? recorded) };
  if (shiftMs === 0 && !isStep) return { axis: next, event };
  return { axis: next, event: shiftEvent(event, shiftMs, isStep ? axis.newest : null) };
}

/** A clock that is ahead of the database's from the start is replaced by the database's. */
function firstMoment(observed: Millis, recorded: Millis): Millis {
  return observed > recorded + STEP_MS ? recorded : observed;
}

/** Position on the axis of an event with these times. */
function momentOf(axis: TimeAxis, observed: Millis, recorded: Millis): Millis {
  const wanted = observed + axis.shiftMs;
  if (isStepped(axis, wanted, recorded)) return axis.newest + elapsedTo(axis, recorded);
  const limit = Math.max(recorded, axis.recordedAt) + STEP_MS;
  if (wanted <= axis.newest || wanted <= limit) return wanted;
  return Math.max(limit, axis.newest + Math.floor((wanted - axis.newest) / 2));
}

function isStepped(axis: TimeAxis, wanted: Millis, recorded: Millis): boolean {
  if (wanted < axis.newest - STEP_MS) return true;
  const isAhead = wanted > Math.max(recorded, axis.recordedAt) + STEP_MS;
  return isAhead && wanted - axis.newest > elapsedTo(axis, recorded) + STEP_MS;
}

function elapsedTo(axis: TimeAxis, recorded: Millis): Millis {
  return Math.max(0, recorded - axis.recordedAt);
}

/** Shifts polls in which nothing happened; drops those from before a step that would lie in the future. */
function shiftWatched(axis: TimeAxis, event: NodeWatchedEvent): NodeWatchedEvent {
  const limit =
    Math.max(axis.newest + elapsedTo(axis, microsToMillis(event.recordedAt)), axis.recordedAt) + STEP_MS;
  const looks = Object.entries(event.body.looks)
    .filter(([, { last }]) => last + axis.shiftMs <= limit)
    .map(([subject, made]) => [subject, shiftPolls(made, axis.shiftMs)]);
  return {
    ...event,
    observedAt: shiftMicros(event, axis.shiftMs),
    body: { looks: Object.fromEntries(looks) },
  };
}

/** @param lastKnown for an event that shows a step: the newest moment before it. Only the last of its polls is then kept. */
function shiftEvent(event: RecordedEvent, shiftMs: Millis, lastKnown: Millis | null): RecordedEvent {
  const body = event.body as { looks?: Polls } & Partial<LossFact>;
  const { looks, from } = body;
  const made = looks && shiftPolls(looks, shiftMs);
  const placed = made && (lastKnown === null ? made : lastOf(made));
  const isLoss = 'minLost' in body && typeof from === 'number';
  return {
    ...event,
    observedAt: shiftMicros(event, shiftMs),
    body: {
      ...event.body,
      ...(placed && { looks: placed }),
      ...(isLoss && { from: lastKnown ?? from + shiftMs }),
    },
  } as RecordedEvent;
}

function shiftMicros({ observedAt }: RecordedEvent, shiftMs: Millis): Micros {
  return observedAt + millisToMicros(shiftMs);
}

function shiftPolls(looks: Polls, shiftMs: Millis): Polls {
  const last = looks.last + shiftMs;
  const lists = looks.lists?.map((seen) => ({
    ...seen,
    since: seen.since + shiftMs,
    last: seen.last + shiftMs,
  }));
  return { ...looks, first: Math.min(looks.first + shiftMs, last), last, ...(lists && { lists }) };
}

function lastOf(looks: Polls): Polls {
  const newest = looks.lists?.toSorted((a, b) => a.last - b.last).slice(-1);
  const lists = newest?.map((seen) => ({ ...seen, since: seen.last }));
  const only = { ...looks, first: looks.last, count: Math.min(looks.count, 1), longestGapMs: 0 };
  return lists ? { ...only, lists } : only;
}
