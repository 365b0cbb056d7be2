import {
  LARGEST_MONEY,
  readHeight,
  readInteger,
  toClockTime,
  toCount,
  toMicros,
  toStorable,
} from '../domain/bounds.js';
import { ownerOf, type RecordedEvent } from '../domain/events.js';
import { changeOf, isNewBalance, lineAfter, type BalanceLine } from '../domain/funds/balance-line.js';
import type { Micros } from '../domain/time.js';
import { selectList } from '../platform/rows/row-columns.js';
import { RowVersions, type Content } from '../platform/rows/row-versions.js';
import { insertRows } from '../platform/rows/write-rows.js';
import { AccountEntity, BalanceEntity, DaNodeEntity } from '../tables/health.entities.js';
import type { HandledEvent, Projection, Query } from './projection.js';

const HANDLES = ['DaNodeChanged', 'BalanceObserved'] as const;
type Of<T extends (typeof HANDLES)[number]> = Extract<RecordedEvent, { type: T }>;

/** The DA node behind each node, and the balances of the accounts that pay for submissions. */
export class DaNodesProjection implements Projection {
  readonly name = 'da-node';
  readonly version = 1;
  readonly tables = ['da_node', 'account', 'balance'];
  readonly handles = HANDLES;

  async apply(events: readonly HandledEvent<typeof HANDLES>[], query: Query): Promise<void> {
    const nodes = new RowVersions(DaNodeEntity, ['node']);
    const accounts = new RowVersions(AccountEntity, ['account', 'node']);
    const balances: BalanceEntity[] = [];
    for (const event of events) {
      switch (event.type) {
        case 'DaNodeChanged':
          nodes.put(toDaNode(event), event.position);
          break;
        case 'BalanceObserved': {
          const balance = toBalance(event);
          const { change: _, fromPosition, ...known } = balance;
          accounts.put(known, fromPosition);
          balances.push(balance);
          break;
        }
        default:
          event satisfies never;
      }
    }
    await nodes.write(query);
    await accounts.write(query);
    await addBalances(balances, query);
  }
}

function toDaNode({ stream, observedAt, body }: Of<'DaNodeChanged'>): Content<DaNodeEntity> {
  const { outcome, statusCode, detail, token } = body;
  return {
    node: ownerOf(stream),
    observedAt,
    outcome,
    statusCode: toCount(statusCode),
    detail,
    tokenPermissions: token?.permissions ?? null,
    tokenExpiresAt: timeOf(token?.expiresAt ? Date.parse(token.expiresAt) : NaN),
  };
}

function toBalance({ stream, observedAt, position, body }: Of<'BalanceObserved'>): BalanceEntity {
  const { account, height, detail } = body;
  const amount = body.amount === null ? null : readInteger(body.amount);
  const isAmount = amount !== null && amount >= 0n && amount <= LARGEST_MONEY;
  return {
    account: toStorable(account),
    observedAt,
    node: ownerOf(stream),
    daHeight: readHeight(height),
    amount: isAmount ? String(amount) : null,
    change: null,
    detail: isAmount || body.amount === null ? detail : 'the DA node reported no valid amount',
    fromPosition: position,
  };
}

function timeOf(ms: number): Micros | null {
  const time = toClockTime(ms);
  return time === null ? null : toMicros(time);
}

/** Writes the balances that are new rows of their accounts. */
async function addBalances(balances: readonly BalanceEntity[], query: Query): Promise<void> {
  if (balances.length === 0) return;
  const lines = await loadLines([...new Set(balances.map(({ account }) => account))], query);
  const added = balances.flatMap((balance) => {
    const line = lines.get(balance.account);
    const next = readBalance(balance);
    if (!isNewBalance(line, next)) return [];
    lines.set(balance.account, lineAfter(line, next));
    const change = changeOf(line, next);
    return [Object.assign(balance, { change: change === null ? null : String(change) })];
  });
  await insertRows(query, BalanceEntity, added);
}

async function loadLines(accounts: readonly string[], query: Query): Promise<Map<string, BalanceLine>> {
  const lastOf = (condition: string) =>
    `(SELECT * FROM balance b WHERE b.account = asked.account${condition} ORDER BY b.from_position DESC LIMIT 1)`;
  const rows = await query<BalanceEntity>(
    `SELECT ${selectList(BalanceEntity, 'l')} FROM unnest($1::text[]) AS asked (account)
      CROSS JOIN LATERAL (${lastOf(' AND b.amount IS NOT NULL')} UNION ${lastOf('')}) l ORDER BY l.from_position`,
    [accounts],
  );
  const lines = new Map<string, BalanceLine>();
  for (const row of rows) lines.set(row.account, lineAfter(lines.get(row.account), readBalance(row)));
  return lines;
}

function readBalance({ node, observedAt, amount, daHeight }: BalanceEntity) {
  return { node, observedAt, daHeight, amount: amount === null ? null : BigInt(amount) };
}
