import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { RowsOf } from '../graphql/field-cost.js';
import { bool, dateTime, exactDecimal, exactInt64, field, id } from '../graphql/fields.js';

/** Assumed number of chains that pay from one account. */
const ASSUMED_CHAINS = 5;

@ArgsType()
export class ReconciliationArgs {
  @id('Bech32 address of the account.') account!: string;
  @dateTime('Start of the time.') from!: Nanos;
  @dateTime('End of the time; exclusive.') to!: Nanos;
  @dateTime.orNull('Balances, submissions and prices as recorded by this time.') knownAt?: Nanos | null;
}

@ObjectType({ description: "Fees of one chain's submissions that an account paid, in utia." })
export class ChainFees {
  @id('Chain id of the rollup.') readonly chain: string;
  @exactInt64('Landed submissions, also those that another account may have paid.')
  readonly submissions: bigint;
  @exactDecimal('Lower bound. A submission that another account may have paid counts as 0.')
  readonly feeMin: string;
  @exactDecimal.orNull('Upper bound; null if a fee is unknown, or submissions may be missing.')
  readonly feeMax: string | null;
}

@ObjectType({
  description:
    'The balances of an account at two DA heights, compared with the fees of the submissions between them. Opening balance, less fees, plus top-ups, less difference, is the closing balance. Amounts in utia.',
})
export class Reconciliation {
  @id('Bech32 address.') readonly account: string;
  @dateTime(
    'When the opening balance was read: at most two hours before `from`, else the first one after it; UTC.',
  )
  readonly from: Nanos;
  @dateTime('When the closing balance was read: the last one before `to` that is two minutes old; UTC.')
  readonly to: Nanos;
  @exactInt64('DA height of the opening balance. Submissions in later blocks count.')
  readonly fromHeight: bigint;
  @exactInt64('DA height of the closing balance. Submissions in this block count.') readonly toHeight: bigint;
  @exactDecimal('Opening balance.') readonly opening: string;
  @exactDecimal('Closing balance.') readonly closing: string;
  @exactDecimal('Fees of the submissions between them, computed as in `cost`: lower bound.')
  readonly feeMin: string;
  @exactDecimal.orNull('Upper bound of these fees; null if a fee is unknown, or submissions may be missing.')
  readonly feeMax: string | null;
  @exactDecimal.orNull(
    'Cost of failed attempts at most, if all were charged. Usually they cost nothing, so they are in no fee. Null if no bound is known.',
  )
  readonly failedFeeMax: string | null;
  @RowsOf(ASSUMED_CHAINS)
  @field(() => [ChainFees], 'The fees by chain.')
  readonly chains: readonly ChainFees[];
  @exactDecimal('Top-ups less other spending, between balances that rose: lower bound. 0 if none rose.')
  readonly topUpMin: string;
  @exactDecimal.orNull('Upper bound of these top-ups; null as for `feeMax`.') readonly topUpMax:
    string | null;
  @exactDecimal.orNull(
    'The fall of the balance where it did not rise, less the fees of that time: lower bound, with failed attempts charged. Above 0: no submission of these chains explains it. Below 0: less was paid than computed, as at a price that is too high, or after a small top-up. Null as for `feeMax`.',
  )
  readonly differenceMin: string | null;
  @exactDecimal('Upper bound of this difference.') readonly differenceMax: string;
  @bool.orNull(
    'Whether the difference can be 0. Null if bounds are missing to say so, or if all fees may be of another account.',
  )
  readonly agrees: boolean | null;
  @bool("Whether all submissions of the account's chains between both times are recorded and decided.")
  readonly complete: boolean;
}
