import type { Micros } from '../../domain/time.js';
import { Table, bytea, int2, int8, json, text, timestamptz } from '../columns.js';

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
