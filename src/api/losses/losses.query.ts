import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { ChangesReader } from '../../projections/record/readers/changes.reader.js';
import { lossesKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { LossEntity } from '../../tables/record/loss.entity.js';
import {
  codecFor,
  toPage,
  toPageRequest,
  type CursorCodec,
  type Page,
  type PagingArgs,
} from '../graphql/connection.js';
import { decodeCursor, encodeCursor } from '../graphql/cursor.js';
import { limitOf, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, untilAsOf, type TravelArgs } from '../graphql/time-travel.js';
import {
  changeCursor,
  changedAt,
  findFirstChange,
  walkChanges,
  type PageOrder,
} from '../graphql/updated-rows.js';
import { Loss, type LossFilter, type LossRow } from './loss.type.js';

const CHANGED_CURSOR = changeCursor<LossRow>('l', 2, ({ lossPosition, fromPosition }) => [
  lossPosition,
  fromPosition,
]);
/** Versions of a loss that others replaced are no losses any more, and not withdrawn either. */
const STANDING_OR_WITHDRAWN = `(l.to_position IS NULL OR NOT EXISTS (
  SELECT FROM loss later WHERE later.loss_position = l.loss_position AND later.from_position > l.from_position))`;

/** What a loss is read by, of {@link lossesKnownAt} as `l`. */
export const SELECT_LOSS = `SELECT ${selectList(LossEntity, 'l')}, n.id, ${changedAt('l')} AS "updatedAt"`;

const CURSOR: CursorCodec<LossRow, bigint> = {
  encode: ({ lossPosition }) => encodeCursor('l', [lossPosition]),
  decode: (text) => decodeCursor('l', 1, text)?.[0],
};

/** Reads losses. */
@Injectable()
export class LossesQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: Database,
    private readonly changes: ChangesReader,
  ) {}

  /** A page of losses, the newest first; of changed ones those that changed first. */
  async getLosses(filter: LossFilter, args: PagingArgs, travel: TravelArgs = {}): Promise<Page<Loss>> {
    const firstChange = await findFirstChange(this.changes, filter, travel);
    const past = await findPast(this.dataSource, travel);
    const parameters = new SqlParameters();
    const conditions = filterLosses(untilAsOf(filter, past), firstChange, parameters);
    const read = ({ orderBy, conditions: bounds }: PageOrder, size: number): Promise<LossRow[]> =>
      this.dataSource.query<LossRow[]>(
        `${SELECT_LOSS} FROM ${lossesKnownAt(past.knownAt)} JOIN node n USING (node_key)
         ${whereAll([...conditions, ...bounds])} ORDER BY ${orderBy} LIMIT ${limitOf(size + 1)}`,
        parameters.values,
      );
    const toNode = (row: LossRow): Loss => new Loss(row, past);
    if (firstChange === undefined) {
      const codec = codecFor(CURSOR, filter, travel);
      const request = toPageRequest(args, codec);
      const bounds = [
        ...parameters.compare('l.loss_position', '<', request.after),
        ...parameters.compare('l.loss_position', '>', request.before),
      ];
      const orderBy = `l.loss_position ${request.backwards ? 'ASC' : 'DESC'}`;
      const rows = await read({ orderBy, conditions: bounds }, request.size);
      return toPage(request, rows, codec, toNode);
    }
    const codec = codecFor(CHANGED_CURSOR, filter, travel);
    const request = toPageRequest(args, codec);
    const walk = walkChanges('l', ['l.loss_position', 'l.from_position'], request, parameters);
    return toPage(request, await read(walk, request.size), codec, toNode);
  }

  /** The loss with that id. */
  async findLoss(id: bigint, travel: TravelArgs): Promise<Loss | undefined> {
    const past = await findPast(this.dataSource, travel);
    const parameters = new SqlParameters();
    const conditions = [
      ...parameters.compare('l.loss_position', '<=', id),
      ...parameters.compare('l.loss_position', '>=', id),
      ...filterLosses(untilAsOf({}, past), undefined, parameters),
    ];
    const rows = await this.dataSource.query<LossRow[]>(
      `${SELECT_LOSS} FROM ${lossesKnownAt(past.knownAt)} JOIN node n USING (node_key) ${whereAll(conditions)}`,
      parameters.values,
    );
    return rows.map((row) => new Loss(row, past))[0];
  }
}

/** Conditions on `loss l` and its `node n`. @param firstChange only rows of this change or a later one, withdrawn ones with them */
export function filterLosses(
  { nodes, chains, kinds, from, to }: LossFilter,
  firstChange: bigint | undefined,
  parameters: SqlParameters,
): string[] {
  return [
    ...(firstChange === undefined
      ? ['l.to_position IS NULL']
      : [STANDING_OR_WITHDRAWN, ...parameters.compare('l.change', '>=', firstChange)]),
    ...parameters.oneOf('n.id', nodes),
    ...parameters.oneOf('n.chain_id', chains),
    ...parameters.oneOf('l.kind', kinds),
    ...parameters.compareTime('l.to_at', '>=', from),
    ...parameters.compareTime("coalesce(l.from_at, '-infinity')", '<', to),
  ];
}
