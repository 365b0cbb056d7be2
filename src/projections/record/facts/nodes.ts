import { entryOf } from '../../../domain/collections.js';
import { ownerOf, type Looks, type RecordedEvent } from '../../../domain/events.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { declaredColumns } from '../../../platform/rows/row-columns.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { NodeEntity } from '../../../tables/record/node.entity.js';
import type { Query } from '../../projection.js';
import { HIGHEST_HEIGHT, readInteger, toClockOffset, toMicros } from '../../../domain/bounds.js';
import type { Micros } from '../../../domain/time.js';
import { type NamedBy, toChainId } from './chains.js';
import type { NodeEvent } from './decode.js';

/** All nodes, held in memory: there are as many as the settings name. */
export class NodeBook {
  private readonly byId = new Map<string, NodeEntity>();
  private readonly byKey = new Map<number, NodeEntity>();
  private readonly chains = new Map<string, Set<NodeEntity>>();
  private readonly dirty = new Set<NodeEntity>();

  static async load(query: Query): Promise<NodeBook> {
    const book = new NodeBook();
    for (const row of await readRows(query, NodeEntity, 'ORDER BY node_key')) book.keep(row);
    return book;
  }

  all(): IterableIterator<NodeEntity> {
    return this.byKey.values();
  }

  /** Those that show a chain, or did so until they were retired. */
  ofChain(chainId: string): Iterable<NodeEntity> {
    return this.chains.get(chainId) ?? [];
  }

  /** The node of a stream, where the log has named it. */
  find(stream: string): NodeEntity | undefined {
    return this.byId.get(ownerOf(stream));
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
    const node = this.find(stream) ?? this.keep(newNode(this.byKey.size + 1, ownerOf(stream), position));
    this.dirty.add(node);
    return node;
  }

  /** It shows another chain than before. */
  move(node: NodeEntity, before: string | null): void {
    if (before !== null) this.chains.get(before)?.delete(node);
    if (node.chainId !== null) entryOf(this.chains, node.chainId, () => new Set()).add(node);
  }

  async write(query: Query): Promise<void> {
    await upsertRows(query, NodeEntity, [...this.dirty]);
    this.dirty.clear();
  }

  private keep(node: NodeEntity): NodeEntity {
    this.byId.set(node.id, node);
    this.byKey.set(node.nodeKey, node);
    this.move(node, null);
    return node;
  }
}

/** Of which nothing else is known. */
function newNode(nodeKey: number, id: string, fromPosition: bigint): NodeEntity {
  const unknown = declaredColumns(NodeEntity).map(({ property }) => [property, null]);
  const known = { nodeKey, id, url: '', retired: false, namesLists: false, fromPosition };
  const counted = { submissionCount: 0n, blockCount: 0n, headerAfter: 0n, dataAfter: 0n };
  return Object.assign(Object.fromEntries(unknown) as NodeEntity, known, counted);
}

const NAMESPACE = /^[0-9a-f]{58}$/;

/** A namespace that a node told, where it can be one. */
export function toNamespace(text: string | null): string | null {
  return text !== null && NAMESPACE.test(text) ? text : null;
}

/** What an event of its own stream says of a node. @returns who names its chain by it; undefined: it names none */
export function describeNode(node: NodeEntity, event: NodeEvent): NamedBy | undefined {
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
      node.url = event.body.url;
      node.statusUrl = event.body.statusUrl ?? null;
      node.retired = false;
      node.toPosition = null;
      return nameBySettings(node, event.body.chain ? toChainId(event.body.chain) : null);
    case 'NodeRetired':
      node.retired = true;
      node.toPosition = event.position;
      return undefined;
    case 'NodeDescribed': {
      node.aggregator = event.body.aggregator;
      node.shape = event.body.shape;
      node.servicePrefix = event.body.servicePrefix;
      node.namesLists = event.body.seen !== undefined;
      const { chain, headerNamespace, dataNamespace } = event.body;
      // Those of another chain are none of its.
      const isOther = chain && node.chainId !== null && node.chainId !== toChainId(chain);
      node.headerNamespace = toNamespace(headerNamespace) ?? (isOther ? null : node.headerNamespace);
      node.dataNamespace = toNamespace(dataNamespace) ?? (isOther ? null : node.dataNamespace);
      return nameChain(node, chain, 'NODE');
    }
    case 'NodeWatched': {
      const { submissions, blocks, claims } = event.body.looks;
      // A list that cannot be reached is looked at all the same.
      if (node.listState !== 'UNREACHABLE') seeNode(node, event, submissions);
      seeNode(node, event, blocks);
      seeNode(node, event, claims);
      return undefined;
    }
    default:
      return event satisfies never;
  }
}

/** What the settings said before counts no more than it did. */
function nameBySettings(node: NodeEntity, chainId: string | null): NamedBy | undefined {
  const isAsBefore = chainId === node.settingsChainId && node.chainId !== null;
  node.settingsChainId = chainId;
  return isAsBefore ? undefined : nameChain(node, chainId, 'SETTINGS');
}

function nameChain(node: NodeEntity, chain: string | null | undefined, by: NamedBy): NamedBy | undefined {
  if (!chain) return undefined;
  node.chainId = toChainId(chain);
  return by;
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
