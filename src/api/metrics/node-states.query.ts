import { Inject, Injectable } from '@nestjs/common';
import { JUDGED_COMPONENTS } from '../../domain/health/health-rule.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import type { HealthInterval } from '../health/health.type.js';
import { HistoryQuery } from '../health/history.query.js';
import type { Node } from '../nodes/node.type.js';
import { NodesQuery } from '../nodes/nodes.query.js';

export interface NodeState {
  readonly node: Node;
  readonly da: HealthInterval | undefined;
  readonly health: HealthInterval | undefined;
  /** Undefined where the settings name no such system. */
  readonly daNode: HealthInterval | undefined;
  readonly execution: HealthInterval | undefined;
  /** Blocks that its execution layer is behind; undefined where both were never compared. */
  readonly executionLag: number | undefined;
  /** The highest head of the nodes of its chain; null if none is known. */
  readonly chainHead: bigint | null;
  readonly claim: string | undefined;
  /** Undefined before the first probe. */
  readonly isReachable: boolean | undefined;
}

/** Reads the present state of the nodes in the settings: five statements, however many nodes. */
@Injectable()
export class NodeStatesQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly nodes: NodesQuery,
    private readonly history: HistoryQuery,
  ) {}

  async getStates(): Promise<NodeState[]> {
    const nodes = (await this.nodes.getNodes()).filter(({ retired }) => !retired);
    const ids = nodes.map(({ id }) => id);
    const lines = await this.history.getPresentLines(ids, JUDGED_COMPONENTS);
    const claims = await this.history.getPresentClaims(ids);
    const reachable = await this.getReachable(ids);
    const lags = await this.getExecutionLags([...(lines.get('EXECUTION')?.keys() ?? [])]);
    const heads = headsOfChains(nodes);
    return nodes.map((node) => ({
      node,
      executionLag: lags.get(node.id),
      chainHead: (node.chain === null ? undefined : heads.get(node.chain)) ?? node.head,
      da: lines.get('DA')?.get(node.id),
      health: lines.get('NODE')?.get(node.id),
      daNode: lines.get('DA_NODE')?.get(node.id),
      execution: lines.get('EXECUTION')?.get(node.id),
      claim: claims.get(node.id),
      isReachable: reachable.get(node.id),
    }));
  }

  private async getExecutionLags(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.reads.query<{ node: string; lag: number }[]>(
      `SELECT node, (state #>> '{execution,facts,lag,blocks}')::float8 AS lag FROM health_fold
        WHERE node = ANY ($1::text[]) AND state #> '{execution,facts,lag,blocks}' IS NOT NULL`,
      [ids],
    );
    return new Map(rows.map(({ node, lag }) => [node, lag]));
  }

  private async getReachable(ids: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    const rows = await this.reads.query<{ node: string; ok: boolean }[]>(
      `SELECT node, outcome = 'OK' AS ok FROM probe_state
        WHERE node = ANY ($1::text[]) AND probe = 'reachable' AND to_position IS NULL`,
      [ids],
    );
    return new Map(rows.map(({ node, ok }) => [node, ok]));
  }
}

function headsOfChains(nodes: readonly Node[]): ReadonlyMap<string, bigint> {
  const heads = new Map<string, bigint>();
  for (const { chain, head } of nodes) {
    if (chain === null || head === null) continue;
    const known = heads.get(chain);
    if (known === undefined || head > known) heads.set(chain, head);
  }
  return heads;
}
