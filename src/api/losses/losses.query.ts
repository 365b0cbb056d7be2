import { Inject, Injectable } from '@nestjs/common';
import { explainLoss } from '../../domain/submissions/loss-explanation.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { StatementSource } from '../../platform/sql.js';
import { LossEntity } from '../../tables/record/loss.entity.js';
import {
  toPage,
  toPageRequest,
  type CursorCodec,
  type ForwardArgs,
  type Page,
} from '../graphql/connection.js';
import { decodeCursor, encodeCursor } from '../graphql/cursor.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { Loss, type LossFilter, type LossKind } from './loss.type.js';

/** A row as it is read: a loss and the id of its node. */
export interface LossRow extends Omit<LossEntity, 'kind'> {
  readonly id: string;
  readonly kind: LossKind;
}

const CURSOR: CursorCodec<LossRow, bigint> = {
  encode: ({ lossPosition }) => encodeCursor('l', [lossPosition]),
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
    const conditions = [
      ...filterLosses(filter, parameters),
      ...parameters.compare('l.loss_position', '<', request.after),
    ];
    const rows = await this.dataSource.query<LossRow[]>(
      `SELECT ${selectList(LossEntity, 'l')}, n.id
         FROM loss l JOIN node n USING (node_key) ${whereAll(conditions)}
        ORDER BY l.loss_position DESC LIMIT ${parameters.add(request.size + 1, 'int')}`,
      parameters.values,
    );
    return toPage(request, rows, CURSOR, toLoss);
  }
}

/** Conditions on `loss l` and its `node n`. */
export function filterLosses(
  { nodes, chains, kinds, from, to }: LossFilter,
  parameters: SqlParameters,
): string[] {
  return [
    'l.to_position IS NULL',
    ...parameters.oneOf('n.id', nodes),
    ...parameters.oneOf('n.chain_id', chains),
    ...parameters.oneOf('l.kind', kinds),
    ...parameters.compareTime('l.to_at', '>=', from),
    ...parameters.compareTime("coalesce(l.from_at, '-infinity')", '<', to),
  ];
}

/** The loss as it is shown. */
export function toLoss({ id, ...row }: LossRow): Loss {
  const facts = { ...row, from: toNanos(row.fromAt), to: toNanos(row.toAt) };
  return Object.assign(new Loss(), facts, {
    id: String(row.lossPosition),
    nodeId: id,
    time: facts.to,
    explanation: explainLoss({ ...facts, node: id }),
  });
}
