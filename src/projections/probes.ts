import { toCount } from '../domain/bounds.js';
import { eventsOn } from '../domain/event-shape.js';
import { ownerOf } from '../domain/events.js';
import { RowVersions } from '../platform/rows/row-versions.js';
import { ProbeStateEntity } from '../tables/health/probe-state.entity.js';
import { foldMinutes, type Summarised } from './probe-minutes.js';
import type { HandledEvent, Projection, Query } from './projection.js';

const HANDLES = eventsOn('probes');

/** What the probes of each node give, and how fast: by change, and per minute. */
export class ProbesProjection implements Projection {
  readonly name = 'probes';
  readonly version = 1;
  readonly tables = ['probe_minute', 'probe_state'];
  readonly handles = HANDLES;

  async apply(events: readonly HandledEvent<typeof HANDLES>[], query: Query): Promise<void> {
    const states = new RowVersions(ProbeStateEntity, ['node', 'probe']);
    const summaries: Summarised[] = [];
    for (const event of events) {
      switch (event.type) {
        case 'ProbeChanged': {
          const { probe, outcome, detail, latencyMs } = event.body;
          const node = ownerOf(event.stream);
          const statusCode = toCount(event.body.statusCode);
          const catchingUp = event.body.catchingUp ?? null;
          const found = { outcome, statusCode, detail, latencyMs, catchingUp };
          states.put({ node, probe, fromAt: event.observedAt, ...found }, event.position);
          break;
        }
        case 'ProbesSummarised':
          summaries.push(event);
          break;
        default:
          event satisfies never;
      }
    }
    await states.write(query);
    await foldMinutes(summaries, query);
  }
}
