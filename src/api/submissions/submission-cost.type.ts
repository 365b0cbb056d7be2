import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Decimal } from '../../domain/cost/decimal.js';
import { FEE_BASES, type FeeBasis } from '../../domain/cost/submission-cost.js';
import type { CostLine } from '../../statistics/roll-up/cost-lines.js';
import { DecimalField, Int64Field } from '../graphql/exact-field.js';
import { enumOf } from '../graphql/literal-enum.js';

const FeeBases = enumOf<FeeBasis>(FEE_BASES);

registerEnumType(FeeBases, {
  name: 'FeeBasis',
  description: 'Source of a fee: the best available source.',
  valuesMap: {
    IMPORTED: { description: 'Read from the DA layer and imported.' },
    RECORDED: {
      description: 'Computed from the sizes of the blobs and the gas price that the node reported.',
    },
    PRICED: { description: 'Computed from the sizes of the blobs and the gas price of the price book.' },
  },
});

@ObjectType({
  description:
    'Cost of a submission, computed like the figures of `costReport`, which are sums of these costs. Null means unknown, never zero.',
})
export class SubmissionCost {
  @Int64Field({ nullable: true, description: 'Lower bound of the gas.' })
  readonly gasMin: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Upper bound of the gas; equals `gasMin` if the size of each blob is known.',
  })
  readonly gasMax: bigint | null;

  @DecimalField({ nullable: true, description: 'Lower bound of what was paid.' })
  readonly feeMin: Decimal | null;

  @DecimalField({ nullable: true, description: 'Upper bound of what was paid.' })
  readonly feeMax: Decimal | null;

  @Field(() => String, { description: 'Always `utia`.' })
  readonly feeUnit: string;

  @Field(() => FeeBases, {
    nullable: true,
    description: 'Source of the fee; null if the fee is unknown.',
  })
  readonly feeBasis: FeeBasis | null;

  @DecimalField({
    nullable: true,
    description: 'Lower bound of the fee at the rate of its time; null without a rate.',
  })
  readonly fiatMin: Decimal | null;

  @DecimalField({ nullable: true, description: 'Upper bound of the fee at the rate of its time.' })
  readonly fiatMax: Decimal | null;

  @Field(() => String, { nullable: true, description: 'Currency of the rate, such as `EUR`.' })
  readonly fiatUnit: string | null;
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
