import { Field, Float, ObjectType } from '@nestjs/graphql';
import type { Decimal } from '../../domain/cost/decimal.js';
import { DecimalField, Int64Field } from '../graphql/exact-field.js';
import { ReportRow } from './statistics-row.type.js';
import { HasId } from '../objects/has-id.type.js';

const PER = ' Null if a part is unknown, or if rows are grouped by namespace, kind or status.';

@ObjectType({
  implements: () => [HasId],
  description:
    'The cost of a bucket, in `utia` (millionths of a TIA) and, if the price book has a rate, in a currency. A minimum is the sum of the known values. A maximum is null if a single submission is missing in it, and while not everything is `counted`. Null means unknown, never zero: counts and money are null if nothing is recorded and the bucket was not monitored (`coverage` 0), or if nothing is counted yet. If the bucket was monitored and nothing was posted, they are 0. Rows grouped by namespace, kind or status may consist of failed attempts alone. Their fees are null, so that the sum over all rows equals the row of an ungrouped report.',
})
export class CostRow extends ReportRow {
  @Int64Field({
    nullable: true,
    description:
      'Successful, reconstructed and undecided submissions, and failed attempts whose blobs landed anyway.',
  })
  readonly submissions: bigint | null;

  @Int64Field({ nullable: true, description: 'Failed attempts in `submissions`: their blobs landed.' })
  readonly landed: bigint | null;

  @Int64Field({ nullable: true, description: 'Lower bound of the units of gas; null if nothing is known.' })
  readonly gasMin: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Upper bound of the units of gas; equals `gasMin` if the sizes of all blobs are known.',
  })
  readonly gasMax: bigint | null;

  @DecimalField({ nullable: true, description: 'Lower bound of what was paid.' })
  readonly feeMin: Decimal | null;

  @DecimalField({ nullable: true, description: 'Upper bound of the fees paid; null if any fee is unknown.' })
  readonly feeMax: Decimal | null;

  @DecimalField({
    nullable: true,
    description:
      'Upper bound of the fees paid for submissions whose fee is known; `feeMin` is the lower bound for them.',
  })
  readonly knownFeeMax: Decimal | null;

  @Field(() => String, { description: 'Always `utia`.' })
  readonly feeUnit: string;

  @DecimalField({
    nullable: true,
    description:
      'Lower bound of the fees, each at the rate of its time. Null without a rate or with several currencies; without submissions it is 0 and `fiatUnit` is null.',
  })
  readonly fiatMin: Decimal | null;

  @DecimalField({ nullable: true, description: 'Upper bound of these fees. Also null if `feeMax` is null.' })
  readonly fiatMax: Decimal | null;

  @Field(() => String, { nullable: true, description: 'Currency of the rates, such as `EUR`.' })
  readonly fiatUnit: string | null;

  @Int64Field({
    nullable: true,
    description:
      'Attempts that failed and did not land. Their fees are reported separately, never in `feeMin` and `feeMax`.',
  })
  readonly failedAttempts: bigint | null;

  @DecimalField({
    nullable: true,
    description:
      'Upper bound of the cost of `failedAttempts`, if they were charged; null if an attempt has no bound.',
  })
  readonly failedFeeMax: Decimal | null;

  @Int64Field({
    nullable: true,
    description: 'Successful submissions that no block points to: paid for nothing. The fees include them.',
  })
  readonly unreferenced: bigint | null;

  @DecimalField({ nullable: true, description: 'Lower bound of the fees of `unreferenced` submissions.' })
  readonly wastedFeeMin: Decimal | null;

  @DecimalField({
    nullable: true,
    description: 'Upper bound of the fees of `unreferenced` submissions; null if any fee is unknown.',
  })
  readonly wastedFeeMax: Decimal | null;

  @Field(() => Float, {
    description: 'Share of submissions whose fee was imported. The four shares add up to 1.',
  })
  readonly importedShare: number;

  @Field(() => Float, { description: 'Share of submissions priced by the gas price that the node reported.' })
  readonly recordedShare: number;

  @Field(() => Float, { description: 'Share of submissions priced by the price book.' })
  readonly pricedShare: number;

  @Field(() => Float, {
    description: 'Share of submissions whose fee is unknown. Without submissions, all four shares are 0.',
  })
  readonly unknownShare: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'Share of the fee that headers took: of its upper bound as far as known, or else of the gas. Null if nothing is known.',
  })
  readonly headerShare: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Share of the fee that data took, computed like `headerShare`.',
  })
  readonly dataShare: number | null;

  @Int64Field({ nullable: true, description: 'Bytes posted, as far as known.' })
  readonly sizeBytes: bigint | null;

  @Int64Field({ nullable: true, description: 'Submissions whose blobs or bytes are not known.' })
  readonly unreadable: bigint | null;

  @DecimalField({
    nullable: true,
    description: `Lower bound of the fee per included block of the bucket.${PER}`,
  })
  readonly feePerBlockMin: Decimal | null;

  @DecimalField({ nullable: true, description: `The same at most.${PER}` })
  readonly feePerBlockMax: Decimal | null;

  @DecimalField({
    nullable: true,
    description: `Lower bound of the fee per transaction of the included blocks.${PER}`,
  })
  readonly feePerTransactionMin: Decimal | null;

  @DecimalField({ nullable: true, description: `The same at most.${PER}` })
  readonly feePerTransactionMax: Decimal | null;

  @DecimalField({
    nullable: true,
    description: 'Lower bound of the fee per million bytes of blobs. Null if a part is unknown.',
  })
  readonly feePerMegabyteMin: Decimal | null;

  @DecimalField({
    nullable: true,
    description: 'Upper bound of the fee per million bytes of blobs. Null if a part is unknown.',
  })
  readonly feePerMegabyteMax: Decimal | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Relative change of `feeMax` from the previous bucket: 0.1 is a rise by a tenth. Null if either bucket is unknown, cut off or not over yet.',
  })
  readonly changeToPrevious: number | null;

  @DecimalField({
    nullable: true,
    description:
      "Lower end of the forecast of the running month's cost when it ends, in utia. In nine of ten months the cost is between `forecastLow` and `forecastHigh`. Null in all other rows, and if fewer than three of the last 14 days are known and monitored.",
  })
  readonly forecastLow: Decimal | null;

  @DecimalField({
    nullable: true,
    description: 'Expected cost of the running month when it ends, in utia. Null if `forecastLow` is null.',
  })
  readonly forecastExpected: Decimal | null;

  @DecimalField({
    nullable: true,
    description: 'Upper end of the forecast, in utia. Null if `forecastLow` is null.',
  })
  readonly forecastHigh: Decimal | null;
}
