import type { Nanos } from '../../domain/time.js';
import { Table, int4, int8 } from '../columns.js';

@Table(
  'block_span',
  'Of each 4,096 heights of a node and lineage: when and from where on its blocks lie at most.',
)
export class BlockSpanEntity {
  @int4('The node that showed them.', { key: true }) nodeKey: number;
  @int4('The history of the chain that they are of.', { key: true }) lineageKey: number;
  @int8('Their height divided by 4,096.', { key: true }) span: bigint;
  @int8('None of them has an earlier time_ns.') firstTimeNs: Nanos;
  @int8('None of them has a later time_ns.') lastTimeNs: Nanos;
  @int8('None of them has a lower from_position.') firstPosition: bigint;
  @int8.orNull('None of them was included, header and data, before this position; null where none is.')
  firstIncludedPosition: bigint | null;
  @int8.orNull('None of them was included behind this position; null where none is.')
  lastIncludedPosition: bigint | null;
}
