import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { ChangesReader } from '../../projections/record/readers/changes.reader.js';
import { lossesKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { toPage, toPageRequest, type Page, type PagingArgs } from '../graphql/connection.js';
import { codecFor, cursorsOf, keysetOrder, numbersOf } from '../graphql/keyed-list.js';
import { limitOf, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, untilAsOf, type TravelArgs } from '../graphql/time-travel.js';
import { changeKey, findFirstChange } from '../graphql/updated-rows.js';
import { type LossRow, SELECT_LOSS } from './loss-fields.js';
import { Loss, type LossFilter } from './loss.type.js';

/** The order in which losses were found. */
export const LOSS_KEY = numbersOf('l.loss_position');
const CURSORS = cursorsOf<LossRow>('losses', LOSS_KEY, ({ lossPosition }) => [lossPosition]);
const CHANGE_KEY = changeKey('l', LOSS_KEY);
const CHANGE_CURSORS = cursorsOf<LossRow>('losses-changes', CHANGE_KEY, (row) => [
  row.change,
  row.lossPosition,
]);

/** Superseded versions of a loss are neither current nor withdrawn. */
const STANDING_OR_WITHDRAWN = `(l.to_position IS NULL OR NOT EXISTS (
  SELECT FROM loss later WHERE later.loss_position = l.loss_position AND later.from_position > l.from_position))`;

@Injectable()
export class LossesQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly changes: ChangesReader,
  ) {}

  /** A page of losses, newest first; of changed losses, the first change comes first. */
  async getLosses(filter: LossFilter, args: PagingArgs, travel: TravelArgs = {}): Promise<Page<Loss>> {
    const firstChange = await findFirstChange(this.changes, filter, travel);
    const past = await findPast(this.reads, travel);
    const parameters = new SqlParameters();
    const conditions = filterLosses(untilAsOf(filter, past), firstChange, parameters);
    const [key, cursors] = firstChange === undefined ? [LOSS_KEY, CURSORS] : [CHANGE_KEY, CHANGE_CURSORS];
    const codec = codecFor(cursors, filter, travel);
    const request = toPageRequest(args, codec);
    const keyset = keysetOrder(key, request, firstChange !== undefined, parameters);
    const rows = await this.reads.query<LossRow[]>(
      `${SELECT_LOSS} FROM ${lossesKnownAt(past.knownAt)} JOIN node n USING (node_key)
       ${whereAll([...conditions, ...keyset.conditions])} ORDER BY ${keyset.orderBy} LIMIT ${limitOf(request.size + 1)}`,
      parameters.values,
    );
    return toPage(request, rows, codec, (row) => new Loss(row, past));
  }

  async findLoss(id: bigint, travel: TravelArgs): Promise<Loss | undefined> {
    const past = await findPast(this.reads, travel);
    const parameters = new SqlParameters();
    const conditions = [
      ...parameters.compare('l.loss_position', '<=', id),
      ...parameters.compare('l.loss_position', '>=', id),
      ...filterLosses(untilAsOf({}, past), undefined, parameters),
    ];
    const rows = await this.reads.query<LossRow[]>(
      `${SELECT_LOSS} FROM ${lossesKnownAt(past.knownAt)} JOIN node n USING (node_key) ${whereAll(conditions)}`,
      parameters.values,
    );
    return rows.map((row) => new Loss(row, past))[0];
  }
}

/**
 * Conditions on `loss l` and its `node n`. @param firstChange only rows with this change or a later one, including withdrawn rows
 */
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
