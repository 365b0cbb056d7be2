import { Injectable } from '@nestjs/common';
import { UNWATCHED_RULES } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import { nanosToMillis, type Millis, type Nanos } from '../../domain/time.js';
import type { Account } from '../systems/account.type.js';
import { AccountsQuery } from '../systems/accounts.query.js';
import type { DaNode } from '../systems/da-node.type.js';
import { DaNodesQuery } from '../systems/da-nodes.query.js';
import { LONGEST_LABEL, type FigureName, type Sample } from './metric-table.js';

type Labels = Readonly<Record<string, string>>;

/** Reads the figures of the systems behind the nodes: one statement where no settings name any. */
@Injectable()
export class SystemSamplesQuery {
  constructor(
    private readonly daNodes: DaNodesQuery,
    private readonly accounts: AccountsQuery,
  ) {}

  /** @param nodes ids of the monitored nodes */
  async getSamples(nodes: readonly string[], now: Millis): Promise<Sample[]> {
    const daNodes = await this.daNodes.getDaNodes({ nodes: [...nodes] });
    if (daNodes.length === 0) return [];
    const accounts = await this.accounts.getAccounts({ nodes: [...nodes] }, { funds: true, fees: false });
    return [...daNodes.flatMap(ofDaNode), ...accounts.flatMap((account) => ofAccount(account, now))];
  }
}

function ofDaNode({ nodeId, chain, rule, outcome, headAgeMs }: DaNode): Sample[] {
  const labels = { node: printable(nodeId), ...(chain !== null && { chain: printable(chain) }) };
  const isWatched = rule !== null && !UNWATCHED_RULES.has(rule);
  const isReached = outcome === 'OK' || outcome === 'REFUSED' || outcome === 'NOT_PERMITTED';
  return [
    ...sample('hindsight_da_node_reachable', isWatched ? Number(isReached) : null, labels),
    ...sample('hindsight_da_node_head_age_seconds', headAgeMs === null ? null : headAgeMs / 1_000, labels),
  ];
}

function ofAccount({ address, balance, runway }: Account, now: Millis): Sample[] {
  const account = printable(address);
  const left = (at: Nanos | null | undefined): number | null =>
    at === null || at === undefined ? null : Math.max(0, nanosToMillis(at) - now) / 1_000;
  return [
    ...sample('hindsight_account_balance_utia', balance === null ? null : Number(balance), { account }),
    ...sample('hindsight_account_runway_seconds', left(runway?.from), { account, bound: 'min' }),
    ...sample('hindsight_account_runway_seconds', left(runway?.to), { account, bound: 'max' }),
  ];
}

function printable(text: string): string {
  return toPrintable(text, LONGEST_LABEL);
}

/** A figure that is not known is absent. */
function sample(metric: FigureName, value: number | null, labels: Labels): Sample[] {
  return value === null ? [] : [{ metric, labels, value }];
}
