import { Inject, Injectable } from '@nestjs/common';
import { readHeight, readInteger, toClockTime } from '../../domain/bounds.js';
import type { ExecutionEvents } from '../../domain/events.js';
import { nanosToMillis } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast } from '../graphql/time-travel.js';
import { HistoryQuery } from '../health/history.query.js';
import { rowId, versionOf } from '../objects/row-id.js';
import { ExecutionLayer, type ExecutionLayerArgs } from './execution-layer.type.js';
import { SystemHeadsQuery } from './system-heads.query.js';

@Injectable()
export class ExecutionLayersQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly history: HistoryQuery,
    private readonly heads: SystemHeadsQuery,
  ) {}

  /** Execution layers in a past, or in the present, ordered by the id of the rollup node. */
  async getExecutionLayers({ nodes, ...travel }: ExecutionLayerArgs): Promise<ExecutionLayer[]> {
    const past = await findPast(this.reads, travel);
    const ids = await this.findNodes(nodes);
    if (ids.length === 0) return [];
    const health = await this.history.getPresentHealth(ids, 'EXECUTION', past);
    const heads = await this.heads.getHeads('ExecutionHeadObserved', ids, past);
    return ids.flatMap((node) => {
      const judged = health.get(node);
      if (judged === undefined) return [];
      const id = rowId('ExecutionLayer', node);
      const { state, rule, reason, from } = judged;
      const shown = { id, versionId: versionOf(id, past), nodeId: node, state, rule, reason, since: from };
      return [Object.assign(new ExecutionLayer(), shown, toHead(heads.get(node)))];
    });
  }

  private async findNodes(nodes: readonly string[] | null | undefined): Promise<string[]> {
    const parameters = new SqlParameters();
    const conditions = [
      "i.component = 'EXECUTION'",
      "i.rule <> 'retired'",
      'i.to_position IS NULL',
      'i.to_at IS NULL',
      ...parameters.oneOf('i.node', nodes),
    ];
    const rows = await this.reads.query<{ node: string }[]>(
      `SELECT i.node FROM health_interval i ${whereAll(conditions)} ORDER BY i.node COLLATE "C"`,
      parameters.values,
    );
    return rows.map(({ node }) => node);
  }
}

function toHead(body: ExecutionEvents['ExecutionHeadObserved'] | undefined) {
  const head = readHeight(body?.height ?? null);
  const rollupHeight = readHeight(body?.rollupHeight ?? null);
  const headAt = readInteger(body?.timeNs ?? '');
  const compared = body?.compared ?? null;
  return {
    head,
    headAt: headAt === null || toClockTime(nanosToMillis(headAt)) === null ? null : headAt,
    rollupHeight,
    lagBlocks: head === null || rollupHeight === null ? null : rollupHeight - head,
    comparedHeight: readHeight(compared?.height ?? null),
    agrees: compared && compared.stateRoot === compared.appHash,
    firstDifference: readHeight(body?.firstDifference ?? null),
  };
}
