import { Table, int4, text } from '../columns.js';

@Table(
  'namespace',
  'DA namespaces, 58 hex digits, lower case; `other` stands in statistics for those of a node beyond its first 100.',
)
export class NamespaceEntity {
  @int4('Its number.', { key: true }) namespaceKey: number;
  @text('58 hex digits, lower case; or other.') namespace: string;
}
