import { entryOf } from '../../../domain/collections.js';
import { ownerOf, type Polls, type RecordedEvent } from '../../../domain/events.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { declaredColumns } from '../../../platform/rows/row-columns.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { NodeEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import { HIGHEST_HEIGHT, readInteger, toClockOffset, toMicros } from '../../../domain/bounds.js';
import type { Micros } from '../../../domain/time.js';
import { type NamedBy, toChainId } from './chains.js';
import type { NodeEvent } from './decode.js';

/** All nodes, kept in memory: there are only as many as the settings name. */
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

  /** The nodes that show a chain, or did so until they were retired. */
  ofChain(chainId: string): Iterable<NodeEntity> {
    return this.chains.get(chainId) ?? [];
  }

  /** The node of a stream; undefined if the log has not named it yet. */
  find(stream: string): NodeEntity | undefined {
    return this.byId.get(ownerOf(stream));
  }

  /** A node for reading only. @throws Error for an unknown key */
  get(key: number): NodeEntity {
    const node = this.byKey.get(key);
    if (!node) throw new Error(`There is no node ${key}`);
    return node;
  }

  /** Returns a node for changing: it is written with the batch. */
  change(key: number): NodeEntity {
    const node = this.get(key);
    this.dirty.add(node);
    return node;
  }

  /** Returns the node of a stream for changing; creates it when the log names it for the first time. */
  ofStream(stream: string, position: bigint): NodeEntity {
    const node = this.find(stream) ?? this.keep(newNode(this.byKey.size + 1, ownerOf(stream), position));
    this.dirty.add(node);
    return node;
  }

  /** Updates the index after a node's chain has changed. */
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

function newNode(nodeKey: number, id: string, fromPosition: bigint): NodeEntity {
  const unknown = declaredColumns(NodeEntity).map(({ property }) => [property, null]);
  const known = { nodeKey, id, url: '', retired: false, namesLists: false, fromPosition };
  const counted = { submissionCount: 0n, blockCount: 0n, headerAfter: 0n, dataAfter: 0n };
  return Object.assign(Object.fromEntries(unknown) as NodeEntity, known, counted);
}

const NAMESPACE = /^[0-9a-f]{58}$/;

/** A namespace that a node reported; null if it cannot be one. */
export function toNamespace(text: string | null): string | null {
  return text !== null && NAMESPACE.test(text) ? text : null;
}

/** Applies an event of the node's own stream. @returns who names the node's chain in it; undefined if the event names no chain */
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
      // Namespaces of another chain are not kept.
      const isOther = chain && node.chainId !== null && node.chainId !== toChainId(chain);
      node.headerNamespace = toNamespace(headerNamespace) ?? (isOther ? null : node.headerNamespace);
      node.dataNamespace = toNamespace(dataNamespace) ?? (isOther ? null : node.dataNamespace);
      return nameChain(node, chain, 'NODE');
    }
    case 'NodeWatched': {
      const { submissions, blocks, claims } = event.body.looks;
      // Polls of a list count even if it is unreachable, so they do not prove that the node was seen.
      if (node.listState !== 'UNREACHABLE') seeNode(node, event, submissions);
      seeNode(node, event, blocks);
      seeNode(node, event, claims);
      return undefined;
    }
    default:
      return event satisfies never;
  }
}

/** Settings that repeat the previous chain change nothing. */
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

/** Sets the node's last-seen time to the last of the polls that an event carries. */
export function seeNode(node: NodeEntity, event: RecordedEvent, looks: Polls | undefined): void {
  if (looks) seeNodeAt(node, event, toMicros(looks.last));
}

/** Same as `seeNode`. A time after the event was recorded comes from a wrong clock and is capped. */
export function seeNodeAt(node: NodeEntity, { recordedAt }: RecordedEvent, at: Micros): void {
  node.lastSeenAt = laterOf(node.lastSeenAt, at < recordedAt ? at : recordedAt);
}

/** Applies the progress that a node reports about itself. Unreported and impossible values change nothing. */
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
