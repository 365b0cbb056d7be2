import { Inject, Injectable } from '@nestjs/common';
import type { GraphQLResolveInfo } from 'graphql';
import { groupBy } from '../../domain/collections.js';
import { latestReport } from '../../domain/funds/balance-line.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { AccountEntity } from '../../tables/health.entities.js';
import { toNanos } from '../graphql/scalars.js';
import { selectedFields } from '../graphql/selected-fields.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, PRESENT, type Past } from '../graphql/time-travel.js';
import { rowId, versionOf } from '../objects/row-id.js';
import { AccountFundsQuery, toRunway, toSpent, type KnownFunds } from './account-funds.query.js';
import { Account, type AccountArgs } from './account.type.js';
import { knownIn } from './da-nodes.query.js';

interface AccountRow extends AccountEntity {
  readonly chain: string | null;
}

/** The derived figures that a request needs: each costs statements of its own. */
export interface Figures {
  /** Spending and runway. */
  readonly funds: boolean;
  /** Fees, for the number of submissions that a balance pays for. */
  readonly fees: boolean;
}

export function figuresOf(info: GraphQLResolveInfo): Figures {
  const selected = selectedFields(info);
  const fees = selected.has('runway');
  return { funds: fees || selected.has('spent'), fees };
}

const NO_FEES: Awaited<ReturnType<AccountFundsQuery['getLastFees']>> = new Map();

@Injectable()
export class AccountsQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly funds: AccountFundsQuery,
  ) {}

  /** Accounts in a past, or in the present, by address. */
  async getAccounts({ account, nodes, ...travel }: AccountArgs, figures: Figures): Promise<Account[]> {
    const past = await findPast(this.reads, travel);
    const rows = await this.readRows({ account, nodes }, past);
    const accounts = [...groupBy(rows, (row) => row.account).values()].flatMap((reports) => {
      const latest = latestReport(reports);
      return latest ? [{ ...latest, nodes: reports.map(({ node }) => node), reports }] : [];
    });
    const known = accounts.map(({ account: name, amount, observedAt, nodes: payers }) => ({
      account: name,
      amount,
      at: observedAt,
      nodes: payers,
    }));
    const derived = await this.derive(known, figures, past);
    return accounts.map(
      ({ account: address, reports, nodes: payers, amount, detail, observedAt, daHeight }) => {
        const id = rowId('Account', address);
        return Object.assign(new Account(), {
          past,
          id,
          versionId: versionOf(id, past),
          address,
          chains: [...new Set(reports.flatMap(({ chain }) => chain ?? []))].sort(),
          nodes: payers,
          balance: amount,
          detail,
          balanceAt: toNanos(observedAt),
          daHeight,
          ...derived(address, payers),
        });
      },
    );
  }

  private async derive(
    known: readonly KnownFunds[],
    figures: Figures,
    past = PRESENT,
  ): Promise<(account: string, nodes: readonly string[]) => Partial<Pick<Account, 'spent' | 'runway'>>> {
    if (known.length === 0 || !figures.funds) return () => ({});
    const spending = await this.funds.getSpending(known, past);
    const payers = [...new Set(known.flatMap(({ nodes }) => nodes))];
    const fees = figures.fees ? await this.funds.getLastFees(payers, past) : NO_FEES;
    return (account, nodes) => ({
      spent: toSpent(spending.get(account)),
      runway: toRunway(
        spending.get(account),
        nodes.map((node) => fees.get(node)).filter((fee) => fee !== undefined),
      ),
    });
  }

  /** The last report of each node about each account, by account and node. */
  private readRows(
    { account, nodes }: Pick<AccountArgs, 'account' | 'nodes'>,
    past: Past,
  ): Promise<AccountRow[]> {
    const parameters = new SqlParameters();
    const payers = parameters.oneOf('payer.node', nodes);
    const conditions = [
      'now.to_position IS NULL',
      ...parameters.oneOf('now.account', account === null || account === undefined ? null : [account]),
      ...payers.map(
        (isPayer) =>
          `EXISTS (SELECT FROM account payer WHERE payer.account = now.account AND payer.to_position IS NULL AND ${isPayer})`,
      ),
    ];
    const known = whereAll([
      'a.account = now.account',
      'a.node = now.node',
      ...knownIn(past, 'a', parameters),
    ]);
    return this.reads.query<AccountRow[]>(
      `SELECT ${selectList(AccountEntity, 'a')}, n.chain_id AS chain FROM account now
        CROSS JOIN LATERAL (SELECT * FROM account a ${known} ORDER BY a.from_position DESC LIMIT 1) a
         LEFT JOIN node n ON n.id = now.node
        ${whereAll(conditions)} ORDER BY now.account COLLATE "C", now.node COLLATE "C"`,
      parameters.values,
    );
  }
}
