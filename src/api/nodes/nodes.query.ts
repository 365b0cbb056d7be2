import { Inject, Injectable } from '@nestjs/common';
import type { GraphQLResolveInfo } from 'graphql';
import type { NodeShape } from '../../domain/events.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { maskUrl } from '../../platform/redact.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { SHOWS_INCLUSION } from '../../statistics/read/shows-inclusion.js';
import { NodeEntity } from '../../tables/record.entities.js';
import { toNanos } from '../graphql/scalars.js';
import { selectedFields, selectsAny } from '../graphql/selected-fields.js';
import { findPast, PRESENT, type Past, type TravelArgs } from '../graphql/time-travel.js';
import { Node } from './node.type.js';
import { selectPastNodes, type PastNodes } from './past-nodes.js';

interface NodeRow extends Omit<NodeEntity, 'shape'> {
  readonly shape: NodeShape | null;
  readonly pending: bigint | null;
  readonly blocksMissing: bigint | null;
}

const SELECT_NODE = `
  SELECT ${selectList(NodeEntity, 'n')},
         CASE WHEN NOT ${SHOWS_INCLUSION} THEN NULL
              WHEN n.head < n.inclusion_frontier THEN 0 ELSE n.head - n.inclusion_frontier END AS pending,
         (SELECT w.last_height - w.first_height + 1 - w.recorded FROM inclusion_walk w
           WHERE w.node_key = n.node_key AND w.lineage_key = n.lineage_key) AS "blocksMissing"
    FROM node n`;

/** Whether the request selects the number of blocks: at a past moment, counting reads all blocks of a node. */
export function countsBlocks(info: GraphQLResolveInfo): boolean {
  return selectsAny(selectedFields(info), ['blockCount']);
}

@Injectable()
export class NodesQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** All nodes that were ever monitored, ordered by id. */
  getNodes(): Promise<Node[]> {
    return this.read('ORDER BY n.id COLLATE "C"');
  }

  /**
   * Nodes at a past moment, or in the present, ordered by id.
   * @param request one node or all, and whether to count blocks: at a past moment, counting reads all blocks of a node
   */
  async getNodesIn(
    travel: TravelArgs,
    request: { readonly id?: string; readonly countsBlocks: boolean },
  ): Promise<Node[]> {
    const past = await findPast(this.reads, travel);
    if (past.end !== undefined) return this.readPast(past, request);
    return request.id === undefined ? this.getNodes() : this.read('WHERE n.id = $1', request.id);
  }

  async findNode(id: string): Promise<Node | undefined> {
    return (await this.read('WHERE n.id = $1', id))[0];
  }

  /** Nodes by key, in a past. @param countsBlocks as in {@link getNodesIn} */
  async getNodesByKey(
    keys: readonly number[],
    past = PRESENT,
    countsBlocks = false,
  ): Promise<ReadonlyMap<number, Node>> {
    const nodes =
      past.end === undefined
        ? await this.read('WHERE n.node_key = ANY ($1)', keys)
        : await this.readPast(past, { keys, countsBlocks });
    return new Map(nodes.map((node) => [node.nodeKey, node]));
  }

  private async readPast(past: Past, request: Omit<PastNodes, 'past' | 'until'>): Promise<Node[]> {
    const { end, asOf, knownAt } = past;
    const until = end === asOf ? (await findPast(this.reads, { knownAt: end })).knownAt : knownAt;
    const { sql, parameters } = selectPastNodes({ past, until: until ?? 0n, ...request });
    const rows = await this.reads.query<NodeRow[]>(sql, [...parameters]);
    return rows.map((row) => toNode(row, past));
  }

  private async read(rest: string, ...parameters: unknown[]): Promise<Node[]> {
    return (await this.reads.query<NodeRow[]>(`${SELECT_NODE} ${rest}`, parameters)).map((row) =>
      toNode(row),
    );
  }
}

function toNode({ chainId, ...row }: NodeRow, past = PRESENT): Node {
  return Object.assign(new Node(), row, {
    past,
    // Older logs store addresses unmasked.
    url: maskUrl(row.url),
    chain: chainId,
    lastSuccessAt: toNanos(row.lastSuccessAt),
    lastSeenAt: toNanos(row.lastSeenAt),
  });
}
