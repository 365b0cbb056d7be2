import { Inject, Injectable } from '@nestjs/common';
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
    const da = await this.history.getPresentHealth(ids, 'DA');
    const health = await this.history.getPresentHealth(ids, 'NODE');
    const claims = await this.history.getPresentClaims(ids);
    const reachable = await this.getReachable(ids);
    return nodes.map((node) => ({
      node,
      da: da.get(node.id),
      health: health.get(node.id),
      claim: claims.get(node.id),
      isReachable: reachable.get(node.id),
    }));
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
