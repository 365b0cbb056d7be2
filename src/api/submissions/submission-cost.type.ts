import { ObjectType } from '@nestjs/graphql';
import { Decimal } from '../../domain/cost/decimal.js';
import type { FeeBasis } from '../../domain/cost/submission-cost.js';
import type { CostLine } from '../../statistics/roll-up/cost-lines.js';
import { enumOf } from '../graphql/literal-enum.js';
import { exactDecimal, exactInt64, field, text } from '../graphql/fields.js';

const FeeBases = enumOf<FeeBasis>('FeeBasis', 'Source of a fee: the best available source.', {
  IMPORTED: 'Read from the DA layer and imported.',
  RECORDED: 'Computed from the sizes of the blobs and the gas price that the node reported.',
  PRICED: 'Computed from the sizes of the blobs and the gas price of the price book.',
});

@ObjectType({
  description:
    'Cost of a submission, computed like the figures of `costReport`, which are sums of these costs. Null means unknown, never zero.',
})
export class SubmissionCost {
  @exactInt64.orNull('Lower bound of the gas.') readonly gasMin: bigint | null;

  @exactInt64.orNull('Upper bound of the gas; equals `gasMin` if the size of each blob is known.')
  readonly gasMax: bigint | null;

  @exactDecimal.orNull('Lower bound of what was paid.') readonly feeMin: Decimal | null;

  @exactDecimal.orNull('Upper bound of what was paid.') readonly feeMax: Decimal | null;

  @text('Always `utia`.') readonly feeUnit: string;

  @field.orNull(() => FeeBases, 'Source of the fee; null if the fee is unknown.')
  readonly feeBasis: FeeBasis | null;

  @exactDecimal.orNull('Lower bound of the fee at the rate of its time; null without a rate.')
  readonly fiatMin: Decimal | null;

  @exactDecimal.orNull('Upper bound of the fee at the rate of its time.') readonly fiatMax: Decimal | null;

  @text.orNull('Currency of the rate, such as `EUR`.') readonly fiatUnit: string | null;
}

export function toSubmissionCost({ gas, fee, fiat }: CostLine): SubmissionCost {
  return Object.assign(new SubmissionCost(), {
    gasMin: gas?.min ?? null,
    gasMax: gas?.max ?? null,
    feeMin: fee && Decimal.of(fee.min),
    feeMax: fee && Decimal.of(fee.max),
    feeUnit: 'utia',
    feeBasis: fee?.basis ?? null,
    fiatMin: fiat?.min ?? null,
    fiatMax: fiat?.max ?? null,
    fiatUnit: fiat?.unit ?? null,
  });
}
