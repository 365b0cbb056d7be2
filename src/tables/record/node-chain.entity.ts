import { Table, bool, int4, int8, text } from '../columns.js';

@Table('node_chain', 'Chains that a node named: what its rows without a lineage belong to.')
export class NodeChainEntity {
  @int4('The node.', { key: true }) nodeKey: number;
  @int8('The event from which on; 0 of the first one, which rows from before it belong to as well.', {
    key: true,
  })
  fromPosition: bigint;
  @text('The chain.') chainId: string;
  @bool('Whether the node itself said so; else the settings did, which counts until it says one.')
  told: boolean;
}
