import type { NewEvent } from '../../../src/domain/events.js';
import type { Micros } from '../../../src/domain/time.js';
import { encodeAppend, planCommit, type Head } from '../../../src/event-log/commit-plan.js';
import type { LogRow } from '../../../src/event-log/logged-event.js';
import type { YearEvent } from './year-event.js';

/** Delay from an observation to its record. */
const RECORDED_AFTER_MS = 30;

/** An event of a log, and the state of its stream after it. */
export interface YearLine {
  readonly row: LogRow;
  /** JSON. */
  readonly state: string;
}

/** The year as a log without other events: hash-chained, each event recorded when it was observed. */
export function* toLog(year: readonly YearEvent[]): Generator<YearLine> {
  const heads = new Map<string, Head>();
  const states = new Map<string, object>();
  let position = 0n;
  let recordedAt: Micros = 0n;
  for (const { stream, event } of year) {
    const at = BigInt(Math.round(event.observedAt) + RECORDED_AFTER_MS) * 1000n;
    if (at > recordedAt) recordedAt = at;
    const append = { stream, expectedVersion: heads.get(stream)?.version ?? 0n, events: [event] };
    const [planned] = planCommit([encodeAppend(append)], heads, position, recordedAt).events;
    if (!planned) throw new Error('an event of the sample year was not appended');
    position = planned.position;
    states.set(stream, { ...states.get(stream), ...changeOf(event) });
    const { bodyText, ...row } = planned;
    yield { row: { ...row, recordedAt, body: bodyText }, state: JSON.stringify(states.get(stream)) };
  }
}

/** The part of an observer's state that an event changes. Observers would treat nodes and chains without it as new. */
function changeOf({ type, body }: NewEvent): object {
  if (type === 'NodeRegistered') return { settings: body };
  if (type === 'NodeDescribed') return { described: body };
  if (type === 'NodeRetired') return { retired: true };
  if (type === 'ChainSettingsChanged') return { settings: body };
  return type === 'ChainLineageOpened' ? { lineages: [body] } : {};
}
