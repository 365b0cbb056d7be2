import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { BalanceEntity } from '../../tables/health.entities.js';
import { toPage, toPageRequest, type Page } from '../graphql/connection.js';
import { codecFor, cursorsOf, keysetOrder, timeOfKey, type Key } from '../graphql/keyed-list.js';
import { toNanos } from '../graphql/scalars.js';
import { limitOf, SqlParameters, whereAll } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import { rowId } from '../objects/row-id.js';
import { Balance, type Account, type BalanceArgs } from './account.type.js';
import { knownIn } from './da-nodes.query.js';

export const MOST_TOP_UPS = 50;

/** Time of the balance, then the event. */
const KEY: Key = [
  { sql: 'b.observed_at', type: 'timestamptz' },
  { sql: 'b.from_position', type: 'bigint' },
];
const CURSORS = cursorsOf<BalanceEntity>('balances', KEY, ({ observedAt, fromPosition }) => [
  timeOfKey(observedAt),
  fromPosition,
]);
const SELECT_BALANCE = `SELECT ${selectList(BalanceEntity, 'b')} FROM balance b`;

@Injectable()
export class BalancesQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** A page of an account's balances, oldest first. */
  async getBalances({ address, past }: Account, args: BalanceArgs): Promise<Page<Balance>> {
    const { from, to } = args;
    const codec = codecFor(CURSORS, { account: address, from, to }, past);
    const request = toPageRequest(args, codec);
    const parameters = new SqlParameters();
    const conditions = [
      ...ofAccount(address, past, parameters),
      ...parameters.compareTime('b.observed_at', '>=', from),
      ...parameters.compareTime('b.observed_at', '<', to),
    ];
    const keyset = keysetOrder(KEY, request, true, parameters);
    const rows = await this.reads.query<BalanceEntity[]>(
      `${SELECT_BALANCE} ${whereAll([...conditions, ...keyset.conditions])}
        ORDER BY ${keyset.orderBy} LIMIT ${limitOf(request.size + 1)}`,
      parameters.values,
    );
    return toPage(request, rows, codec, toBalance);
  }

  /** The newest rises of the balance, newest first; at most {@link MOST_TOP_UPS}. */
  async getTopUps({ address, past }: Account): Promise<Balance[]> {
    const parameters = new SqlParameters();
    const conditions = [...ofAccount(address, past, parameters), 'b.change > 0'];
    const rows = await this.reads.query<BalanceEntity[]>(
      `${SELECT_BALANCE} ${whereAll(conditions)}
        ORDER BY b.observed_at DESC, b.from_position DESC LIMIT ${MOST_TOP_UPS}`,
      parameters.values,
    );
    return rows.map(toBalance);
  }

  /** Undefined if no balance has this position. */
  async findBalance(position: bigint): Promise<Balance | undefined> {
    const rows = await this.reads.query<BalanceEntity[]>(`${SELECT_BALANCE} WHERE b.from_position = $1`, [
      position,
    ]);
    return rows.map(toBalance)[0];
  }
}

function ofAccount(address: string, past: Past, parameters: SqlParameters): string[] {
  return [`b.account = ${parameters.add(address, 'text')}`, ...knownIn(past, 'b', parameters)];
}

function toBalance({ observedAt, node, fromPosition, ...row }: BalanceEntity): Balance {
  const id = rowId('Balance', fromPosition);
  return Object.assign(new Balance(), { ...row, id, time: toNanos(observedAt), nodeId: node });
}
