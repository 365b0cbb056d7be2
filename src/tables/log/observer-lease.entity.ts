import type { Micros } from '../../domain/time.js';
import { Table, int4, text, timestamptz } from '../columns.js';

@Table(
  'observer_lease',
  'Which process observes a shard of the nodes. A hint against useless work: appends are safe without it.',
)
export class ObserverLeaseEntity {
  @text('As in the settings: 2/4 is the second of four.', { key: true }) shard: string;
  @text('The process that has it, as host/process/random.') holder: string;
  @timestamptz("Since when that process has it, the database's clock.") takenAt: Micros;
  @timestamptz("When it said last that it goes on, the database's clock.") renewedAt: Micros;
  @timestamptz("From then on another process may take it, the database's clock.") expiresAt: Micros;
  @int4(
    'Process id of the database session that renewed it last. When that is gone, another process need not wait.',
  )
  session: number;
}
