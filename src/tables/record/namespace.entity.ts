import { Table, int4, text } from '../columns.js';

@Table('namespace', 'DA namespaces, 58 hex digits, lower case.')
export class NamespaceEntity {
  @int4('Its number.', { key: true }) namespaceKey: number;
  @text('58 hex digits, lower case.') namespace: string;
}
