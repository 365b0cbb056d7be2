import { Inject, Injectable } from '@nestjs/common';
import { explainLoss } from '../../domain/submissions/loss-explanation.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';
import {
  toPage,
  toPageRequest,
  type CursorCodec,
  type ForwardArgs,
  type Page,
} from '../graphql/connection.js';
import { decodeCursor, encodeCursor } from '../graphql/cursor.js';
import { microsToNanos, selectMicros, SqlParameters, whereAll } from '../graphql/sql-text.js';
import type { Loss, LossFilter, LossKind } from './loss.type.js';

interface LossRow {
  loss_position: string;
  node_key: number;
  node_id: string;
  kind: LossKind;
  after_sequence: string;
  min_lost: string;
  max_lost: string | null;
  likely_lost: string | null;
  from_at: string | null;
  to_at: string;
}

const CURSOR: CursorCodec<LossRow, bigint> = {
  encode: (row) => encodeCursor('l', [row.loss_position]),
  decode: (text) => decodeCursor('l', 1, text)?.[0],
};

/** Reads losses. */
@Injectable()
export class LossesQuery {
  constructor(@Inject(ReadDatabase) private readonly dataSource: StatementSource) {}

  /** A page of losses as they are known now, the newest first. */
  async getLosses(filter: LossFilter, args: ForwardArgs): Promise<Page<Loss>> {
    const request = toPageRequest(args, CURSOR);
    const parameters = new SqlParameters();
    const conditions = filterLosses(filter, parameters);
    if (request.after !== undefined)
      conditions.push(`l.loss_position < ${parameters.add(request.after, 'bigint')}`);
    const rows = await this.dataSource.query<LossRow[]>(
      `SELECT l.loss_position, l.node_key, n.id AS node_id, l.kind, l.after_sequence, l.min_lost, l.max_lost,
              l.likely_lost, ${selectMicros('l.from_at', 'from_at')}, ${selectMicros('l.to_at', 'to_at')}
         FROM loss l JOIN node n USING (node_key) ${whereAll(conditions)}
        ORDER BY l.loss_position DESC LIMIT ${parameters.add(request.size + 1, 'int')}`,
      parameters.values,
    );
    return toPage(request, rows, CURSOR, toLoss);
  }
}

function filterLosses(filter: LossFilter, parameters: SqlParameters): string[] {
  const conditions = ['l.to_position IS NULL'];
  if (filter.nodes) conditions.push(`n.id = ANY (${parameters.add(filter.nodes, 'text[]')})`);
  if (filter.chains) conditions.push(`n.chain_id = ANY (${parameters.add(filter.chains, 'text[]')})`);
  if (filter.kinds) conditions.push(`l.kind = ANY (${parameters.add(filter.kinds, 'text[]')})`);
  if (typeof filter.from === 'bigint') conditions.push(`l.to_at >= ${parameters.addTime(filter.from)}`);
  if (typeof filter.to === 'bigint') {
    conditions.push(`coalesce(l.from_at, '-infinity') < ${parameters.addTime(filter.to)}`);
  }
  return conditions;
}

function toLoss(row: LossRow): Loss {
  const facts = {
    kind: row.kind,
    afterSequence: BigInt(row.after_sequence),
    minLost: BigInt(row.min_lost),
    maxLost: row.max_lost === null ? null : BigInt(row.max_lost),
    likelyLost: row.likely_lost === null ? null : BigInt(row.likely_lost),
    from: microsToNanos(row.from_at),
    to: microsToNanos(row.to_at),
  };
  return {
    ...facts,
    id: row.loss_position,
    nodeKey: row.node_key,
    explanation: explainLoss({ ...facts, node: row.node_id }),
  };
}
