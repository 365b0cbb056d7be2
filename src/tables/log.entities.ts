import type { Micros } from '../domain/time.js';
import { Table, bytea, int2, int8, json, text, timestamptz, bool, int4 } from './columns.js';

@Table(
  'event',
  'Everything that was ever observed, in the order in which it was recorded. Rows are never changed or deleted.',
)
export class EventEntity {
  @int8('Global order without gaps; whoever has seen position p never meets a smaller one later.', {
    key: true,
  })
  position: bigint;
  @text('<node>/<subject>, or <chain>/chain.') stream: string;
  @int8('Gapless sequence within the stream, from 1.') version: bigint;
  @text('Event type, in the past tense.') type: string;
  @int2("Version of the form of the type's body.") schema: number;
  @timestamptz("The observer's clock.") observedAt: Micros;
  @timestamptz("The database's clock, never smaller than that of the position before.") recordedAt: Micros;
  @json('What was seen, as sent.') body: unknown;
  @bytea("SHA-256 over the stream's previous hash and this event; see src/domain/hash-chain.ts.")
  hash: string;
}

@Table(
  'log_head',
  'The end of the log. Its row lock, held from numbering to commit, makes position order commit order.',
)
export class LogHeadEntity {
  @bool('There is one row.', { key: true, default: 'true' }) onlyRow: boolean;
  @int8('Position of the last event; 0 before the first.') position: bigint;
  @timestamptz('recorded_at of the last event.') recordedAt: Micros;
}

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

@Table('stream_head', 'The end of each stream, for optimistic appends, and what its observer knows there.')
export class StreamHeadEntity {
  @text('The stream.', { key: true }) stream: string;
  @int8("Version of the stream's last event.") version: bigint;
  @bytea("Hash of the stream's last event.") hash: string;
  @json.orNull("The observer's state after that event, written in the same transaction.") state: unknown;
}
