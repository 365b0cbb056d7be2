import { Table, bool, int4, int8, int8multirange } from '../columns.js';

@Table(
  'inclusion_walk',
  "How far a node's blocks are included, header and data, without one that is recorded and is not.",
)
export class InclusionWalkEntity {
  @int4('The node whose blocks are walked.', { key: true }) nodeKey: number;
  @int4('The history of the chain.', { key: true }) lineageKey: number;
  @int8('The lowest recorded height.') firstHeight: bigint;
  @int8('The highest recorded height.') lastHeight: bigint;
  @bool('That block is the first of its chain.') fromStart: boolean;
  @int8('The last height of the walk; first_height - 1 where none is included.') frontier: bigint;
  @int8.orNull('DA height of the first header in it.') headerFrom: bigint | null;
  @int8.orNull('Highest DA height of a header in it.') headerTo: bigint | null;
  @int8.orNull('DA height of the first data in it; blocks without transactions have none.')
  dataFrom: bigint | null;
  @int8.orNull('Highest DA height of data in it.') dataTo: bigint | null;
  @int8multirange('Heights that the node did not give, or dropped before they were included.')
  gaps: string;
  @int8multirange('DA heights for which a header that was stepped over may be missing.') headerHoles: string;
  @int8multirange('The same for data.') dataHoles: string;
  @int8.orNull('How many blocks of the history are recorded of the node.') recorded: bigint | null;
  @int8multirange.orNull('Of each range of header_holes the heights of the blocks that were stepped over.')
  headerHoleHeights: string | null;
  @int8multirange.orNull('The same for data_holes.') dataHoleHeights: string | null;
}
