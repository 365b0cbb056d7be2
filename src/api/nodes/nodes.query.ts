import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { maskUrl } from '../../platform/redact.js';
import type { StatementSource } from '../../platform/sql.js';
import { microsToNanos, selectMicros } from '../graphql/sql-text.js';
import type { Node, NodeShape } from './node.type.js';

/** A row as {@link SELECT_NODE} reads it. */
interface NodeRow {
  node_key: number;
  id: string;
  url: string;
  chain_id: string | null;
  aggregator: boolean | null;
  shape: NodeShape | null;
  service_prefix: string | null;
  head: string | null;
  oldest: string | null;
  inclusion_frontier: string | null;
  pending: string | null;
  submission_count: string;
  block_count: string;
  last_success_at: string | null;
  last_seen_at: string | null;
  retired: boolean;
}

const SELECT_NODE = `
  SELECT node_key, id, url, chain_id, aggregator, shape, service_prefix, head, oldest, inclusion_frontier,
         CASE WHEN head < inclusion_frontier THEN 0 ELSE head - inclusion_frontier END AS pending, submission_count, block_count, retired,
         ${selectMicros('last_success_at', 'last_success_at')}, ${selectMicros('last_seen_at', 'last_seen_at')}
    FROM node`;

/** Reads nodes. */
@Injectable()
export class NodesQuery {
  constructor(@Inject(ReadDatabase) private readonly dataSource: StatementSource) {}

  /** All nodes that were ever watched, by id. */
  async getNodes(): Promise<Node[]> {
    return (await this.dataSource.query<NodeRow[]>(`${SELECT_NODE} ORDER BY id COLLATE "C"`)).map(toNode);
  }

  async findNode(id: string): Promise<Node | undefined> {
    const rows = await this.dataSource.query<NodeRow[]>(`${SELECT_NODE} WHERE id = $1`, [id]);
    return rows.map(toNode)[0];
  }

  /** The nodes of the given keys, in no particular order. */
  async getNodesByKey(keys: readonly number[]): Promise<Node[]> {
    return (await this.dataSource.query<NodeRow[]>(`${SELECT_NODE} WHERE node_key = ANY ($1)`, [keys])).map(
      toNode,
    );
  }
}

function toNode(row: NodeRow): Node {
  return {
    nodeKey: row.node_key,
    id: row.id,
    // Earlier releases recorded addresses whole.
    url: maskUrl(row.url),
    chain: row.chain_id,
    aggregator: row.aggregator,
    shape: row.shape,
    servicePrefix: row.service_prefix,
    head: row.head,
    oldest: row.oldest,
    inclusionFrontier: row.inclusion_frontier,
    pending: row.pending,
    submissionCount: row.submission_count,
    blockCount: row.block_count,
    lastSuccessAt: microsToNanos(row.last_success_at),
    lastSeenAt: microsToNanos(row.last_seen_at),
    retired: row.retired,
  };
}
