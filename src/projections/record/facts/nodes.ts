import { ownerOf } from '../../../domain/events.js';
import { declaredColumns, selectList } from '../../../platform/rows/row-columns.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { NodeEntity } from '../../../tables/record/node.entity.js';
import type { Query } from '../../projection.js';

/** All nodes, held in memory: there are as many as the settings name. */
export class NodeBook {
  private readonly byId: Map<string, NodeEntity>;
  private readonly byKey: Map<number, NodeEntity>;
  private readonly dirty = new Set<NodeEntity>();

  private constructor(nodes: readonly NodeEntity[]) {
    this.byId = new Map(nodes.map((node) => [node.id, node]));
    this.byKey = new Map(nodes.map((node) => [node.nodeKey, node]));
  }

  static async load(query: Query): Promise<NodeBook> {
    const rows = await query<NodeEntity>(
      `SELECT ${selectList(NodeEntity, 'n')} FROM node n ORDER BY node_key`,
    );
    return new NodeBook(rows);
  }

  all(): IterableIterator<NodeEntity> {
    return this.byKey.values();
  }

  /** A node for reading. */
  get(key: number): NodeEntity {
    const node = this.byKey.get(key);
    if (!node) throw new Error(`There is no node ${key}`);
    return node;
  }

  /** A node that is about to change. */
  change(key: number): NodeEntity {
    const node = this.get(key);
    this.dirty.add(node);
    return node;
  }

  /** The node of a stream, which is about to change; made when the log names it for the first time. */
  ofStream(stream: string, position: bigint): NodeEntity {
    const id = ownerOf(stream);
    const known = this.byId.get(id);
    const node = known ?? newNode(this.byKey.size + 1, id, position);
    if (!known) {
      this.byId.set(id, node);
      this.byKey.set(node.nodeKey, node);
    }
    this.dirty.add(node);
    return node;
  }

  async write(query: Query): Promise<void> {
    await upsertRows(query, NodeEntity, [...this.dirty]);
    this.dirty.clear();
  }
}

/** Of which nothing else is known. */
function newNode(nodeKey: number, id: string, fromPosition: bigint): NodeEntity {
  const unknown = declaredColumns(NodeEntity).map(({ property }) => [property, null]);
  const known = { nodeKey, id, url: '', retired: false, fromPosition };
  const counted = { submissionCount: 0n, blockCount: 0n, headerAfter: 0n, dataAfter: 0n };
  return Object.assign(Object.fromEntries(unknown) as NodeEntity, known, counted);
}
