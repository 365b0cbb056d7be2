import { ownerOf } from '../../../domain/events.js';
import { insertRows } from '../../../platform/rows/write-rows.js';
import { NodeNamespaceEntity } from '../../../tables/record/node-namespace.entity.js';
import type { Query } from '../../projection.js';
import type { KeyBook } from './key-book.js';
import type { NodeBook } from './nodes.js';
import type { NamespaceEntity } from '../../../tables/record/namespace.entity.js';
import { OTHER_NAMESPACES } from '../readers/named-namespaces.reader.js';

/**
 * Namespaces of a node that statistics tell by name. A chain posts to two, or to one. Each has rows of its own in every
 * bucket, and a node can make up any number of them.
 */
export const NAMED_NAMESPACES = 100;

/** Something that is not in the tables yet. */
interface Added {
  readonly stream: string;
  readonly namespace: string;
  readonly position: bigint;
}

/** Which namespaces each node has shown, in the order of the log, as far as statistics tell them by name. */
export class NodeNamespaces {
  private added: Added[] = [];

  private constructor(private readonly byNode: Map<string, Set<string>>) {}

  static async load(query: Query): Promise<NodeNamespaces> {
    const rows = await query<{ node: string; namespaces: string[] }>(
      `SELECT n.id AS node, array_agg(k.namespace) AS namespaces
         FROM node_namespace o JOIN node n USING (node_key) JOIN namespace k USING (namespace_key) GROUP BY n.id`,
    );
    return new NodeNamespaces(new Map(rows.map(({ node, namespaces }) => [node, new Set(namespaces)])));
  }

  /**
   * Notes that a node shows a namespace.
   * @returns the name under which it is told from here on, where this is the first time that the node has it
   */
  note({ stream, position }: Pick<Added, 'stream' | 'position'>, namespace: string): string | undefined {
    const node = ownerOf(stream);
    const known = this.byNode.get(node) ?? new Set();
    if (known.has(namespace)) return undefined;
    const name = known.size < NAMED_NAMESPACES ? namespace : OTHER_NAMESPACES;
    if (known.has(name)) return undefined;
    this.byNode.set(node, known.add(name));
    this.added.push({ stream, position, namespace: name });
    return name;
  }

  /** @param before writes what events before this position show, and forgets the rest; all of it when left out */
  async write(
    {
      nodes,
      namespaceKeys,
    }: { readonly nodes: NodeBook; readonly namespaceKeys: KeyBook<NamespaceEntity, 'namespaceKey'> },
    before: bigint | undefined,
    query: Query,
  ): Promise<void> {
    const shown = this.added.filter(({ position }) => before === undefined || position < before);
    const rows = shown.map(({ stream, position, namespace }) => ({
      namespaceKey: namespaceKeys.keyOf({ namespace }),
      nodeKey: nodes.ofStream(stream, position).nodeKey,
      fromPosition: position,
    }));
    this.added = [];
    await insertRows(query, NodeNamespaceEntity, rows);
  }
}
