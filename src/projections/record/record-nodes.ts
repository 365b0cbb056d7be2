import { ownerOf, type SourceState } from '../../domain/events.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';

/** A node's present state. Times are Unix microseconds on the observer's clock, unless said otherwise. */
export interface NodeRecord {
  readonly key: number;
  readonly id: string;
  url: string;
  statusUrl: string | null;
  chainId: string | null;
  aggregator: boolean | null;
  shape: string | null;
  servicePrefix: string | null;
  headerNamespace: string | null;
  dataNamespace: string | null;
  lineageKey: number | null;
  head: bigint | null;
  oldest: bigint | null;
  inclusionFrontier: bigint | null;
  daIncluded: bigint | null;
  lastSubmittedHeader: bigint | null;
  lastSubmittedData: bigint | null;
  clockOffsetMs: bigint | null;
  submissionCount: bigint;
  blockCount: bigint;
  /** As in `submission.time_at`. */
  lastSuccessAt: bigint | null;
  lastSeenAt: bigint | null;
  retired: boolean;
  listState: SourceState | null;
  listStateAt: bigint | null;
  listSeenAt: bigint | null;
  listLookedAt: bigint | null;
  readonly fromPosition: bigint;
  toPosition: bigint | null;
}

const COLUMNS = [
  column('node_key', 'int4', (node: NodeRecord) => node.key),
  column('id', 'text', (node: NodeRecord) => node.id),
  column('url', 'text', (node: NodeRecord) => node.url),
  column('status_url', 'text', (node: NodeRecord) => node.statusUrl),
  column('chain_id', 'text', (node: NodeRecord) => node.chainId),
  column('aggregator', 'bool', (node: NodeRecord) => node.aggregator),
  column('shape', 'text', (node: NodeRecord) => node.shape),
  column('service_prefix', 'text', (node: NodeRecord) => node.servicePrefix),
  column('header_namespace', 'text', (node: NodeRecord) => node.headerNamespace),
  column('data_namespace', 'text', (node: NodeRecord) => node.dataNamespace),
  column('lineage_key', 'int4', (node: NodeRecord) => node.lineageKey),
  column('head', 'int8', (node: NodeRecord) => node.head),
  column('oldest', 'int8', (node: NodeRecord) => node.oldest),
  column('inclusion_frontier', 'int8', (node: NodeRecord) => node.inclusionFrontier),
  column('da_included', 'int8', (node: NodeRecord) => node.daIncluded),
  column('last_submitted_header', 'int8', (node: NodeRecord) => node.lastSubmittedHeader),
  column('last_submitted_data', 'int8', (node: NodeRecord) => node.lastSubmittedData),
  column('clock_offset_ms', 'int8', (node: NodeRecord) => node.clockOffsetMs),
  column('submission_count', 'int8', (node: NodeRecord) => node.submissionCount),
  column('block_count', 'int8', (node: NodeRecord) => node.blockCount),
  column('last_success_at', 'timestamptz', (node: NodeRecord) => node.lastSuccessAt),
  column('last_seen_at', 'timestamptz', (node: NodeRecord) => node.lastSeenAt),
  column('retired', 'bool', (node: NodeRecord) => node.retired),
  column('list_state', 'text', (node: NodeRecord) => node.listState),
  column('list_state_at', 'timestamptz', (node: NodeRecord) => node.listStateAt),
  column('list_seen_at', 'timestamptz', (node: NodeRecord) => node.listSeenAt),
  column('list_looked_at', 'timestamptz', (node: NodeRecord) => node.listLookedAt),
  column('from_position', 'int8', (node: NodeRecord) => node.fromPosition),
  column('to_position', 'int8', (node: NodeRecord) => node.toPosition),
];
const CHANGES = COLUMNS.slice(1)
  .map(({ name }) => `${name} = excluded.${name}`)
  .join(', ');

/** All nodes, held in memory: there are as many as the settings name. */
export class NodeBook {
  private readonly byId: Map<string, NodeRecord>;
  private readonly byKey: Map<number, NodeRecord>;
  private readonly dirty = new Set<NodeRecord>();

  private constructor(nodes: readonly NodeRecord[]) {
    this.byId = new Map(nodes.map((node) => [node.id, node]));
    this.byKey = new Map(nodes.map((node) => [node.key, node]));
  }

  static async load(query: Query): Promise<NodeBook> {
    const rows = await query(`
      SELECT *, ${['last_success_at', 'last_seen_at', 'list_state_at', 'list_seen_at', 'list_looked_at']
        .map((name) => `(extract(epoch FROM ${name}) * 1000000)::bigint AS ${name}_us`)
        .join(', ')}
        FROM node ORDER BY node_key`);
    return new NodeBook(rows.map(toNode));
  }

  all(): IterableIterator<NodeRecord> {
    return this.byKey.values();
  }

  /** A node for reading. */
  get(key: number): NodeRecord {
    const node = this.byKey.get(key);
    if (!node) throw new Error(`There is no node ${key}`);
    return node;
  }

  /** A node that is about to change. */
  change(key: number): NodeRecord {
    const node = this.get(key);
    this.dirty.add(node);
    return node;
  }

  /** The node of a stream, which is about to change; made when the log names it for the first time. */
  ofStream(stream: string, position: bigint): NodeRecord {
    const id = ownerOf(stream);
    const known = this.byId.get(id);
    const node = known ?? newNode(this.byKey.size + 1, id, position);
    if (!known) {
      this.byId.set(id, node);
      this.byKey.set(node.key, node);
    }
    this.dirty.add(node);
    return node;
  }

  async write(query: Query): Promise<void> {
    if (this.dirty.size === 0) return;
    const nodes = unnestRows(COLUMNS, [...this.dirty]);
    await query(
      `INSERT INTO node (${nodes.names}) SELECT ${nodes.names} FROM ${nodes.sql}
       ON CONFLICT (node_key) DO UPDATE SET ${CHANGES}`,
      nodes.parameters,
    );
    this.dirty.clear();
  }
}

function newNode(key: number, id: string, fromPosition: bigint): NodeRecord {
  return {
    key,
    id,
    url: '',
    statusUrl: null,
    chainId: null,
    aggregator: null,
    shape: null,
    servicePrefix: null,
    headerNamespace: null,
    dataNamespace: null,
    lineageKey: null,
    head: null,
    oldest: null,
    inclusionFrontier: null,
    daIncluded: null,
    lastSubmittedHeader: null,
    lastSubmittedData: null,
    clockOffsetMs: null,
    submissionCount: 0n,
    blockCount: 0n,
    lastSuccessAt: null,
    lastSeenAt: null,
    retired: false,
    listState: null,
    listStateAt: null,
    listSeenAt: null,
    listLookedAt: null,
    fromPosition,
    toPosition: null,
  };
}

function toNode(row: Record<string, unknown>): NodeRecord {
  const text = (name: string) => row[name] as string | null;
  const integer = (name: string) => (row[name] === null ? null : BigInt(row[name] as string));
  return {
    key: row['node_key'] as number,
    id: row['id'] as string,
    url: row['url'] as string,
    statusUrl: text('status_url'),
    chainId: text('chain_id'),
    aggregator: row['aggregator'] as boolean | null,
    shape: text('shape'),
    servicePrefix: text('service_prefix'),
    headerNamespace: text('header_namespace'),
    dataNamespace: text('data_namespace'),
    lineageKey: row['lineage_key'] as number | null,
    head: integer('head'),
    oldest: integer('oldest'),
    inclusionFrontier: integer('inclusion_frontier'),
    daIncluded: integer('da_included'),
    lastSubmittedHeader: integer('last_submitted_header'),
    lastSubmittedData: integer('last_submitted_data'),
    clockOffsetMs: integer('clock_offset_ms'),
    submissionCount: integer('submission_count') ?? 0n,
    blockCount: integer('block_count') ?? 0n,
    lastSuccessAt: integer('last_success_at_us'),
    lastSeenAt: integer('last_seen_at_us'),
    retired: row['retired'] as boolean,
    listState: text('list_state') as SourceState | null,
    listStateAt: integer('list_state_at_us'),
    listSeenAt: integer('list_seen_at_us'),
    listLookedAt: integer('list_looked_at_us'),
    fromPosition: integer('from_position') ?? 0n,
    toPosition: integer('to_position'),
  };
}
