import { ownerOf, type Looks, type RecordedEvent } from '../../../domain/events.js';
import { declaredColumns, selectList } from '../../../platform/rows/row-columns.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { NodeEntity } from '../../../tables/record/node.entity.js';
import type { Query } from '../../projection.js';
import { HIGHEST_HEIGHT, readInteger, toClockOffset, toMicros } from '../../../domain/bounds.js';
import type { Micros } from '../../../domain/time.js';
import { type NamedBy, toChainId } from './chains.js';
import type { NodeEvent } from './decode.js';

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

const NAMESPACE = /^[0-9a-f]{58}$/;

/** A namespace that a node told, where it can be one. */
export function toNamespace(text: string | null): string | null {
  return text !== null && NAMESPACE.test(text) ? text : null;
}

/** What an event of its own stream says of a node. */
export function describeNode(node: NodeEntity, event: NodeEvent): void {
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
      node.url = event.body.url;
      node.statusUrl = event.body.statusUrl ?? null;
      if (event.body.chain) node.chainId = toChainId(event.body.chain);
      node.retired = false;
      node.toPosition = null;
      return;
    case 'NodeRetired':
      node.retired = true;
      node.toPosition = event.position;
      return;
    case 'NodeDescribed':
      if (event.body.chain) node.chainId = toChainId(event.body.chain);
      node.aggregator = event.body.aggregator;
      node.shape = event.body.shape;
      node.servicePrefix = event.body.servicePrefix;
      node.headerNamespace = toNamespace(event.body.headerNamespace) ?? node.headerNamespace;
      node.dataNamespace = toNamespace(event.body.dataNamespace) ?? node.dataNamespace;
      return;
    case 'NodeWatched': {
      const { submissions, blocks, claims } = event.body.looks;
      // A list that cannot be reached is looked at all the same.
      if (node.listState !== 'UNREACHABLE') seeNode(node, event, submissions);
      seeNode(node, event, blocks);
      seeNode(node, event, claims);
      return;
    }
    default:
      event satisfies never;
  }
}

/** Who names a node's chain by an event; undefined: it names none. */
export function namedBy(
  event: NodeEvent | Extract<RecordedEvent, { type: 'BlocksObserved' }>,
): NamedBy | undefined {
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
      return event.body.chain ? 'SETTINGS' : undefined;
    case 'NodeDescribed':
      return event.body.chain ? 'NODE' : undefined;
    case 'BlocksObserved':
      return 'BLOCKS';
    case 'NodeRetired':
    case 'NodeWatched':
      return undefined;
    default:
      return event satisfies never;
  }
}

/** Moves the time at which the node was last seen to the last of the looks that an event carries. */
export function seeNode(node: NodeEntity, event: RecordedEvent, looks: Looks | undefined): void {
  if (looks) seeNodeAt(node, event, toMicros(looks.last));
}

/** As `seeNode`. Nothing was seen later than it was recorded: a clock that says so was wrong. */
export function seeNodeAt(node: NodeEntity, { recordedAt }: RecordedEvent, at: Micros): void {
  node.lastSeenAt = laterOf(node.lastSeenAt, at < recordedAt ? at : recordedAt);
}

/** What the node told of its own progress. What it does not tell, or cannot be, stays as it was. */
export function noteProgress(
  node: NodeEntity,
  body: Extract<RecordedEvent, { type: 'NodeProgressObserved' }>['body'],
): void {
  const read = (text: string | null, before: bigint | null) => {
    const height = text === null ? null : readInteger(text);
    return height !== null && height >= 0n && height <= HIGHEST_HEIGHT ? height : before;
  };
  node.head = read(body.head, node.head);
  node.oldest = read(body.oldest, node.oldest);
  node.daIncluded = read(body.daIncluded, node.daIncluded);
  node.lastSubmittedHeader = read(body.lastSubmittedHeader, node.lastSubmittedHeader);
  node.lastSubmittedData = read(body.lastSubmittedData, node.lastSubmittedData);
  node.clockOffsetMs = toClockOffset(body.clockOffsetMs) ?? node.clockOffsetMs;
}

export function laterOf(a: Micros | null, b: Micros): Micros {
  return a === null || b > a ? b : a;
}
