import { Inject } from '@nestjs/common';
import { Args, Query, Resolver } from '@nestjs/graphql';
import type { OpenBounds } from '../../domain/funds/reconciliation.js';
import { microsToNanos, millisToMicros, nanosToMicros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import {
  ReconciliationReader,
  type AccountReconciliation,
} from '../../statistics/read/cost/reconciliation.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { findPast, presentOf } from '../graphql/time-travel.js';
import { COST_OF_INTERVAL } from '../interval/interval.type.js';
import { ChainFees, Reconciliation, ReconciliationArgs } from './reconciliation.type.js';

@Resolver()
export class ReconciliationResolver {
  constructor(
    private readonly reader: ReconciliationReader,
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  @Query(() => Reconciliation, {
    name: 'reconciliation',
    nullable: true,
    complexity: COST_OF_INTERVAL,
    description:
      "Compares an account's balances with the fees of its submissions. Null if fewer than two balances of the time have a DA height. At most 31 days, and 1,000,000 submissions of each chain.",
  })
  async reconcile(
    @Args() { account, from, to, knownAt }: ReconciliationArgs,
  ): Promise<Reconciliation | null> {
    const past = await findPast(this.reads, { knownAt });
    const found = await this.reader.reconcile({
      account,
      fromUs: nanosToMicros(from),
      toUs: nanosToMicros(to),
      nowUs: millisToMicros(presentOf(past, this.options.clock.now())),
      knownAt: past.knownAt,
    });
    return found ? toReconciliation(account, found) : null;
  }
}

function toReconciliation(account: string, found: AccountReconciliation): Reconciliation {
  const { opening, closing, fees, failedMax, topUps, difference, chains, agrees, isComplete } = found;
  return Object.assign(new Reconciliation(), {
    account,
    from: microsToNanos(opening.observedAt),
    to: microsToNanos(closing.observedAt),
    fromHeight: opening.daHeight,
    toHeight: closing.daHeight,
    opening: String(opening.amount),
    closing: String(closing.amount),
    ...named('fee', fees),
    failedFeeMax: failedMax === null ? null : String(failedMax),
    ...named('topUp', topUps),
    ...named('difference', difference),
    chains: chains.map(({ chain, submissions, ...bounds }) =>
      Object.assign(new ChainFees(), { chain, submissions, ...named('fee', bounds) }),
    ),
    agrees,
    complete: isComplete,
  });
}

function named(name: string, { min, max }: OpenBounds) {
  const text = (amount: bigint | null): string | null => (amount === null ? null : String(amount));
  return { [`${name}Min`]: text(min), [`${name}Max`]: text(max) };
}
