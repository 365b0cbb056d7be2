import { encodeAppend, planCommit, type Head } from '../../event-log/commit-plan.js';
import type { LogLine } from '../../event-log/log-lines.js';
import type { Micros } from '../../domain/time.js';
import type { MadeUpYear } from './made-up-year.js';

/** Delay from an observation to its record. */
const RECORDED_AFTER_MS = 30;

/** The year as the lines of an export of a log without other events: hash-chained, each event recorded when it was observed. */
export async function* toLogLines({ events, states }: MadeUpYear): AsyncGenerator<LogLine> {
  const ends = new Map(events.map(({ stream }, index) => [stream, index]));
  const heads = new Map<string, Head>();
  let position = 0n;
  let recordedAt: Micros = 0n;
  for (const [index, { stream, event }] of events.entries()) {
    const at = BigInt(Math.round(event.observedAt) + RECORDED_AFTER_MS) * 1000n;
    if (at > recordedAt) recordedAt = at;
    const append = { stream, expectedVersion: heads.get(stream)?.version ?? 0n, events: [event] };
    const [planned] = planCommit([encodeAppend(append)], heads, position, recordedAt).events;
    if (!planned) throw new Error('an event of the sample year was not appended');
    position = planned.position;
    const { bodyText, ...row } = planned;
    const isEnd = ends.get(stream) === index;
    yield {
      place: `event ${position} of the sample year`,
      row: { ...row, recordedAt, body: bodyText },
      state: isEnd ? JSON.stringify(states.get(stream) ?? null) : null,
    };
  }
}
