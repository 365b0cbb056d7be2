import { Field, Float, ObjectType } from '@nestjs/graphql';
import type { Decimal } from '../../domain/cost/decimal.js';
import { DecimalField, Int64Field } from '../graphql/exact-field.js';
import { ReportRow } from './statistics-row.type.js';
import { HasId } from '../objects/has-id.type.js';

const PER = ' Null where a part is not known, and where rows are told apart by namespace, kind or status.';

@ObjectType({
  implements: () => [HasId],
  description:
    'What a bucket cost, in `utia` (millionths of a TIA) and, where the price book has a rate, in a currency. A minimum is the sum of what is known; a maximum is null as soon as one submission is missing in it, and while not all is `counted`. Null is unknown, never zero: where nothing is recorded and nobody watched (`coverage` 0), or nothing is counted yet, counts and money are null. Watched and nothing posted is 0. Rows told apart by namespace, kind or status may be of failed attempts alone. These have no fee: null, so that a sum over rows is what one row of them all tells.',
})
export class CostRow extends ReportRow {
  @Int64Field({
    nullable: true,
    description:
      'Successes, reconstructed and undecided ones, and failed attempts whose blobs landed all the same.',
  })
  readonly submissions: bigint | null;

  @Int64Field({ nullable: true, description: 'Of them, the failed attempts whose blobs landed.' })
  readonly landed: bigint | null;

  @Int64Field({ nullable: true, description: 'Least units of gas; null where none are known.' })
  readonly gasMin: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Most units of gas: equals `gasMin` where the sizes of all blobs are known.',
  })
  readonly gasMax: bigint | null;

  @DecimalField({ nullable: true, description: 'At least this was paid.' })
  readonly feeMin: Decimal | null;

  @DecimalField({ nullable: true, description: 'At most this was paid; null where a fee is not known.' })
  readonly feeMax: Decimal | null;

  @DecimalField({
    nullable: true,
    description:
      'At most this was paid for those submissions whose fee is known; `feeMin` is the least for them.',
  })
  readonly knownFeeMax: Decimal | null;

  @Field(() => String, { description: 'Always `utia`.' })
  readonly feeUnit: string;

  @DecimalField({
    nullable: true,
    description:
      'The fees at the rates of their times; null without a rate or with several currencies, 0 of none without submissions.',
  })
  readonly fiatMin: Decimal | null;

  @DecimalField({ nullable: true, description: 'The same at most; null, too, where `feeMax` is.' })
  readonly fiatMax: Decimal | null;

  @Field(() => String, { nullable: true, description: 'Currency of the rates, such as `EUR`.' })
  readonly fiatUnit: string | null;

  @Int64Field({
    nullable: true,
    description: 'Attempts that failed and did not land. Apart: never in the fees above.',
  })
  readonly failedAttempts: bigint | null;

  @DecimalField({
    nullable: true,
    description: 'What these cost at most, if they were charged; null where one has no bound.',
  })
  readonly failedFeeMax: Decimal | null;

  @Int64Field({
    nullable: true,
    description: 'Successes that no block points to: paid for nothing. They are in the fees.',
  })
  readonly unreferenced: bigint | null;

  @DecimalField({ nullable: true, description: 'What these took of the fee at least.' })
  readonly wastedFeeMin: Decimal | null;

  @DecimalField({ nullable: true, description: 'The same at most; null where one is not known.' })
  readonly wastedFeeMax: Decimal | null;

  @Field(() => Float, { description: 'Submissions whose fee was imported. The four shares add up to 1.' })
  readonly importedShare: number;

  @Field(() => Float, { description: 'Submissions priced by the gas price that the node reported.' })
  readonly recordedShare: number;

  @Field(() => Float, { description: 'Submissions priced by the price book.' })
  readonly pricedShare: number;

  @Field(() => Float, {
    description: 'Submissions whose fee is not known. Without submissions all four are 0.',
  })
  readonly unknownShare: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'Part of the fee (its upper bound, as far as known; else of the gas) that headers took. Null where nothing is known.',
  })
  readonly headerShare: number | null;

  @Field(() => Float, { nullable: true, description: 'The same for data.' })
  readonly dataShare: number | null;

  @Int64Field({ nullable: true, description: 'Bytes posted, as far as they are known.' })
  readonly sizeBytes: bigint | null;

  @Int64Field({ nullable: true, description: 'Submissions whose blobs or bytes are not known.' })
  readonly unreadable: bigint | null;

  @DecimalField({ nullable: true, description: `Fee by included block of the bucket.${PER}` })
  readonly feePerBlockMin: Decimal | null;

  @DecimalField({ nullable: true, description: `The same at most.${PER}` })
  readonly feePerBlockMax: Decimal | null;

  @DecimalField({ nullable: true, description: `Fee by transaction of these blocks.${PER}` })
  readonly feePerTransactionMin: Decimal | null;

  @DecimalField({ nullable: true, description: `The same at most.${PER}` })
  readonly feePerTransactionMax: Decimal | null;

  @DecimalField({
    nullable: true,
    description: 'Fee by million bytes of blobs. Null where a part is not known.',
  })
  readonly feePerMegabyteMin: Decimal | null;

  @DecimalField({ nullable: true, description: 'The same at most. Null where a part is not known.' })
  readonly feePerMegabyteMax: Decimal | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'By which part `feeMax` has risen (0.1: a tenth) or fallen against the bucket before. Null where one of the two is unknown, cut off or not over yet.',
  })
  readonly changeToPrevious: number | null;

  @DecimalField({
    nullable: true,
    description:
      'What the running month will have cost when it ends, at least: with `forecastHigh` it holds it in nine of ten months. Null in all other rows, and where fewer than three of the last 14 days are known and watched.',
  })
  readonly forecastLow: Decimal | null;

  @DecimalField({
    nullable: true,
    description: 'The same, as it is expected: utia. Null where `forecastLow` is.',
  })
  readonly forecastExpected: Decimal | null;

  @DecimalField({ nullable: true, description: 'The same at most: utia. Null where `forecastLow` is.' })
  readonly forecastHigh: Decimal | null;
}
