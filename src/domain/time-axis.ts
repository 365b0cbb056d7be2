import type { LossFact, Looks, RecordedEvent } from './events.js';
import { type Micros, microsToMillis, type Millis, millisToMicros } from './time.js';

/**
 * Where the time of a node's events has got to, as JSON. A log may hold events whose observer's clock was set while it
 * ran. Conclusions that hang on lengths of time are drawn on this axis instead, on which time never goes back.
 */
export interface TimeAxis {
  /** Added to a time of the observer's clock; 0 until that steps. */
  readonly shiftMs: Millis;
  /** The latest moment that was placed, and when its event was recorded (the database's clock, which never goes back). */
  readonly newest: Millis;
  readonly recordedAt: Millis;
}

/** An event with its times on the axis, and the axis after it. */
interface Placed {
  readonly axis: TimeAxis | null;
  readonly event: RecordedEvent;
}

type Watched = Extract<RecordedEvent, { type: 'NodeWatched' }>;

/** Events of several subjects are up to this far out of order although no clock has stepped. */
const STEP_MS = 120_000;

/**
 * Places an event on its node's axis, in the order of the log.
 *
 * A time may lie far behind the newest one, or have run ahead of the time at which it was recorded. Then the clock was
 * set. As much time has passed as has between the commits of the two events, and the axis goes on from there. It may
 * have run ahead of the database's clock. Then it goes at half speed until that has caught up, so that nothing that
 * happens meanwhile is lost.
 *
 * @param axis null before the node's first event
 */
export function placeOnAxis(axis: TimeAxis | null, event: RecordedEvent): Placed {
  const observed = microsToMillis(event.observedAt);
  const recorded = microsToMillis(event.recordedAt);
  // Looks that waited to be written down may be old: they prove no step.
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

/** A clock that runs ahead of the database's from the start goes by that one. */
function firstMoment(observed: Millis, recorded: Millis): Millis {
  return observed > recorded + STEP_MS ? recorded : observed;
}

/** Where on the axis an event belongs that was observed and recorded then. */
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

/** Looks in which nothing happened; those that were made before a step and would lie in the future are left out. */
function shiftWatched(axis: TimeAxis, event: Watched): Watched {
  const limit =
    Math.max(axis.newest + elapsedTo(axis, microsToMillis(event.recordedAt)), axis.recordedAt) + STEP_MS;
  const looks = Object.entries(event.body.looks)
    .filter(([, { last }]) => last + axis.shiftMs <= limit)
    .map(([subject, made]) => [subject, shiftLooks(made, axis.shiftMs)]);
  return {
    ...event,
    observedAt: shiftMicros(event, axis.shiftMs),
    body: { looks: Object.fromEntries(looks) },
  };
}

/** @param lastKnown of an event that shows a step: the newest moment before it. Of its looks only the last is known. */
function shiftEvent(event: RecordedEvent, shiftMs: Millis, lastKnown: Millis | null): RecordedEvent {
  const body = event.body as { looks?: Looks } & Partial<LossFact>;
  const { looks, from } = body;
  const made = looks && shiftLooks(looks, shiftMs);
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

function shiftLooks(looks: Looks, shiftMs: Millis): Looks {
  const last = looks.last + shiftMs;
  const lists = looks.lists?.map((seen) => ({
    ...seen,
    since: seen.since + shiftMs,
    last: seen.last + shiftMs,
  }));
  return { ...looks, first: Math.min(looks.first + shiftMs, last), last, ...(lists && { lists }) };
}

function lastOf(looks: Looks): Looks {
  const newest = looks.lists?.toSorted((a, b) => a.last - b.last).slice(-1);
  const lists = newest?.map((seen) => ({ ...seen, since: seen.last }));
  const only = { ...looks, first: looks.last, count: Math.min(looks.count, 1), longestGapMs: 0 };
  return lists ? { ...only, lists } : only;
}
