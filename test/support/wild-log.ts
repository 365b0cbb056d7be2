import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { appendTo } from './record-log.js';
import { SmallLog } from './small-log.js';
import type { WildEvent } from './wild-events.js';

/** The node that shows anything. */
export const WILD = 'wild';

/**
 * A log of a well-behaved node and of a node that shows anything, with alternating events.
 *
 * @param wild the events of the second node
 */
export function logWith(wild: readonly WildEvent[]): RecordedEvent[] {
  const small = new SmallLog();
  small.register('good', 'good-1').describe('good', 'good-1');
  small.register(WILD, 'wild-1').describe(WILD, 'wild-1');
  small.lose('good', 'SubmissionHistoryMissing').rows('good', [{ da: 1 }]);
  small
    .blocks('good', 'good-1', [{ height: 1, headerDa: 1 }])
    .blocks(WILD, 'wild-1', [{ height: 1, headerDa: 1 }]);
  const prices = [
    { effectiveFrom: null, subject: 'GAS_PRICE' as const, value: { utia: '0.004' } },
    { effectiveFrom: null, subject: 'FIAT_RATE' as const, value: { unit: 'EUR', perTia: '4.1' } },
  ];
  for (const chain of ['good-1', 'wild-1']) {
    const body = { entries: prices, source: 'test' };
    appendTo(small.events, `${chain}/operator`, [{ type: 'PriceSet', observedAt: SmallLog.START, body }]);
  }
  let sequence = 0;
  wild.forEach((each, index) => {
    small.now += 1_000;
    appendTo(small.events, `${WILD}/${each.subject}`, [toEvent(each, sequence)]);
    if (each.type === 'SubmissionsObserved') sequence += (each.body as { rows: unknown[] }).rows.length;
    if (index % 3 === 0) small.rows('good', [{ da: index + 2, blobs: 2, bytes: 662 }, { status: 'Error' }]);
    if (index % 3 === 1)
      small.blocks('good', 'good-1', [{ height: index + 1 }, { height: index + 2, headerDa: index + 1 }]);
    if (index % 3 === 2) small.include('good', 'good-1', [{ height: index, headerDa: index }]).watch('good');
  });
  return small.events;
}

/** Adds the members that the observer writes itself, whatever the node said. */
function toEvent({ type, body }: WildEvent, sequence: number): NewEvent {
  const at = SmallLog.START;
  const own: Record<string, unknown> = {
    SubmissionsObserved: {
      overlap: 1,
      anchored: true,
      source: 0,
      ring: 0,
      newestFirst: true,
      ringSize: 100,
      firstSequence: sequence + 1,
    },
    SubmissionWindowLost: { source: 0, after: sequence, from: at, to: at },
    ProbesSummarised: { looks: { first: at, last: at, count: 1, longestGapMs: 0 }, from: at, to: at },
  };
  return {
    type,
    observedAt: at,
    body: { ...(own[type] as object | undefined), ...(body as object) },
  } as NewEvent;
}
