import { eventsOn } from '../domain/event-shape.js';
import { ownerOf } from '../domain/events.js';
import { RowVersions, type Content } from '../platform/rows/row-versions.js';
import { ClaimEntity } from '../tables/health.entities.js';
import type { HandledEvent, Projection, Query } from './projection.js';

const HANDLES = eventsOn('claims');
type ClaimsEvent = HandledEvent<typeof HANDLES>;

/** Everything that each node claimed about itself, in versions. */
export class ClaimsProjection implements Projection {
  readonly name = 'claims';
  readonly version = 1;
  readonly tables = ['claim'];
  readonly handles = HANDLES;

  async apply(events: readonly ClaimsEvent[], query: Query): Promise<void> {
    const versions = new RowVersions(ClaimEntity, ['node', 'kind']);
    for (const event of events) versions.put(toClaim(event), event.position);
    await versions.write(query);
  }
}

function toClaim(event: ClaimsEvent): Content<ClaimEntity> {
  const { observedAt, body } = event;
  const claim = { node: ownerOf(event.stream), observedAt, body: body.body };
  switch (event.type) {
    case 'DaHealthClaimed':
      return { ...claim, kind: 'health', status: event.body.status };
    case 'DaStatsClaimed':
      return { ...claim, kind: 'stats', status: null };
    case 'ServiceClaimed':
      return { ...claim, kind: event.body.kind, status: null };
    default:
      return event satisfies never;
  }
}
