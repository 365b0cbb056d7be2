import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { connectionOf, PagingArgs } from '../graphql/connection.js';
import { RowsOf } from '../graphql/field-cost.js';
import { dateTime, exactDecimal, exactInt64, field, id, ids, sentence, texts } from '../graphql/fields.js';
import { TravelArgs, type Past } from '../graphql/time-travel.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

/** Assumed number of nodes that pay from one account. */
const ASSUMED_PAYERS = 5;

@ArgsType()
export class AccountArgs extends TravelArgs {
  @id.orNull('Address of one account; all accounts if left out.') account?: string | null;
  @ids.orNull('Only accounts that one of these nodes pays from. An empty list matches nothing.')
  nodes?: string[] | null;
}

@ArgsType()
export class BalanceArgs extends PagingArgs {
  @dateTime.orNull('Start of the range of `time`; inclusive.') from?: Nanos | null;
  @dateTime.orNull('End of the range of `time`; exclusive.') to?: Nanos | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'A balance of an account, as a DA node reported it. Balances are recorded when they change, and once an hour.',
})
export class Balance {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @dateTime('When it was read, by our clock; UTC.') readonly time: Nanos;
  @id('Address of the account.') readonly account: string;
  @id('Id of the rollup node whose DA node reported it.') readonly nodeId: string;
  @exactDecimal.orNull('utia; null if it could not be read, and `detail` has the reason.')
  readonly amount: string | null;
  @exactDecimal.orNull(
    'utia, against the balance before. Negative: spent. Positive: a top-up of at least that much, because spending between two polls nets out. Null if either balance is unknown.',
  )
  readonly change: string | null;
  @exactInt64.orNull('The DA height whose state has this balance; null if unknown.') readonly daHeight:
    bigint | null;
  @sentence('Why it could not be read; empty if it could.') readonly detail: string;
}

export const BalanceConnection = connectionOf(Balance);

@ObjectType({
  description:
    'Falls of the balance before `balanceAt`, in utia. A window begins with a whole hour of UTC. Null while fewer than two balances are known.',
})
export class AccountSpending {
  @exactDecimal.orNull('In the last hour.') readonly hour: string | null;
  @exactDecimal.orNull('In the last 24 hours.') readonly day: string | null;
  @exactDecimal.orNull('In the last 7 days.') readonly week: string | null;
  @dateTime.orNull('The first balance on record; UTC. Spending before it is unknown.')
  readonly knownFrom: Nanos | null;
}

@ObjectType({
  description:
    'When the balance is used up, by the rates of spending of the last hour, day and week. A rate needs three falls of the balance.',
})
export class Runway {
  @dateTime.orNull('The earliest time, by the fastest rate; UTC. Null while no rate is known.')
  readonly from: Nanos | null;
  @dateTime.orNull('The latest time, by the slowest rate; UTC. Null while no rate is known.')
  readonly to: Nanos | null;
  @exactDecimal.orNull(
    'Submissions that the balance pays for: by the upper bound of the highest fee of the last success of each node. Null while a fee is unknown.',
  )
  readonly submissions: string | null;
  @exactDecimal.orNull('Upper bound of `submissions`: by the lower bound of the lowest of these fees.')
  readonly submissionsMax: string | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'An account on the DA layer that pays for submissions: one that the settings name, or the own account of a DA node.',
})
export class Account {
  /** The past of the request. */
  readonly past: Past;
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @id(VERSION) readonly versionId: string;
  @id('Bech32 address.') readonly address: string;
  @RowsOf(ASSUMED_PAYERS)
  @texts("Today's chains of its nodes, sorted.")
  readonly chains: readonly string[];
  @RowsOf(ASSUMED_PAYERS)
  @ids('Ids of the rollup nodes that pay from it, sorted.')
  readonly nodes: readonly string[];
  @exactDecimal.orNull('utia; null while it cannot be read, and `detail` has the reason.')
  readonly balance: string | null;
  @sentence('Why the balance is unknown; empty if it is known.') readonly detail: string;
  @dateTime('When the balance was read, or could not be read; UTC.') readonly balanceAt: Nanos;
  @exactInt64.orNull('The DA height whose state has this balance; null if unknown.') readonly daHeight:
    bigint | null;
  @field(() => AccountSpending, 'Its spending within the last hour, day and week.', { complexity: 50 })
  readonly spent: AccountSpending;
  @field.orNull(() => Runway, 'How long the balance lasts; null while that is unknown.', { complexity: 50 })
  readonly runway: Runway | null;
}
