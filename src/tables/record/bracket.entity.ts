import { int2, int4, int8, Table } from '../columns.js';

@Table(
  'bracket',
  "Part of a node's list between two successes of a kind that tell their DA heights, where rows stand that tell none, or that have holes.",
)
export class BracketEntity {
  @int4('The node whose list it is.', { key: true }) nodeKey: number;
  @int2('0 HEADER, 1 DATA.', { key: true }) kind: number;
  @int8('Sequence of the success before it; 0 for none.', { key: true }) afterSequence: bigint;
  @int8.orNull('DA height of the success before it; null for none.') daFrom: bigint | null;
  @int8.orNull('DA height of the success behind it; null where there is none yet.') daTo: bigint | null;
  @int8('The event that recorded the first such row, or hole.') fromPosition: bigint;
  @int8.orNull('The event that recorded the success behind it.') closedPosition: bigint | null;
  @int8.orNull('The first hole in it (loss_position); null for none.') lossPosition: bigint | null;
  @int8.orNull(
    "The second hole, or the event by which the node said that it does not submit: what blocks show there may be another list's.",
  )
  otherLossPosition: bigint | null;
}
