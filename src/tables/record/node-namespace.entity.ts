import { Table, int4, int8 } from '../columns.js';

@Table(
  'node_namespace',
  'The namespaces of a node that statistics tell by name: the first 100 that it showed or told. `other` is among them once it has more.',
)
export class NodeNamespaceEntity {
  @int4('The namespace.', { key: true }) namespaceKey: number;
  @int4('The node.', { key: true }) nodeKey: number;
  @int8('Position of the event that showed it first.') fromPosition: bigint;
}
