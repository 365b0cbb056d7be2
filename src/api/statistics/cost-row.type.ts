import { ObjectType } from '@nestjs/graphql';
import { text } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';
import { rowWith } from './statistics-row.type.js';

const PER = ' Null if a part is unknown, or if rows are grouped by namespace, kind or status.';

@ObjectType({
  implements: () => [HasId],
  description:
    'The cost of a bucket, in `utia` (millionths of a TIA) and, if the price book has a rate, in a currency. A minimum is the sum of the known values. A maximum is null if a single submission is missing in it, and while not everything is `counted`. Null means unknown, never zero: counts and money are null if nothing is recorded and the bucket was not monitored (`coverage` 0), or if nothing is counted yet. If the bucket was monitored and nothing was posted, they are 0. Rows grouped by namespace, kind or status may consist of failed attempts alone. Their fees are null, so that the sum over all rows equals the row of an ungrouped report.',
})
export class CostRow extends rowWith({
  submissions:
    'Successful, reconstructed and undecided submissions, and failed attempts whose blobs landed anyway.',
  landed: 'Failed attempts in `submissions`: their blobs landed.',
  gasMin: 'Lower bound of the units of gas; null if nothing is known.',
  gasMax: 'Upper bound of the units of gas; equals `gasMin` if the sizes of all blobs are known.',
  feeMin: 'Lower bound of what was paid.',
  feeMax: 'Upper bound of the fees paid; null if any fee is unknown.',
  knownFeeMax:
    'Upper bound of the fees paid for submissions whose fee is known; `feeMin` is the lower bound for them.',
  fiatMin:
    'Lower bound of the fees, each at the rate of its time. Null without a rate or with several currencies; without submissions it is 0 and `fiatUnit` is null.',
  fiatMax: 'Upper bound of these fees. Also null if `feeMax` is null.',
  fiatUnit: 'Currency of the rates, such as `EUR`.',
  failedAttempts:
    'Attempts that failed and did not land. Their fees are reported separately, never in `feeMin` and `feeMax`.',
  failedFeeMax:
    'Upper bound of the cost of `failedAttempts`, if they were charged; null if an attempt has no bound.',
  unreferenced: 'Successful submissions that no block points to: paid for nothing. The fees include them.',
  wastedFeeMin: 'Lower bound of the fees of `unreferenced` submissions.',
  wastedFeeMax: 'Upper bound of the fees of `unreferenced` submissions; null if any fee is unknown.',
  importedShare: 'Share of submissions whose fee was imported. The four shares add up to 1.',
  recordedShare: 'Share of submissions priced by the gas price that the node reported.',
  pricedShare: 'Share of submissions priced by the price book.',
  unknownShare: 'Share of submissions whose fee is unknown. Without submissions, all four shares are 0.',
  headerShare:
    'Share of the fee that headers took: of its upper bound as far as known, or else of the gas. Null if nothing is known.',
  dataShare: 'Share of the fee that data took, computed like `headerShare`.',
  sizeBytes: 'Bytes posted, as far as known.',
  unreadable: 'Submissions whose blobs or bytes are not known.',
  feePerBlockMin: `Lower bound of the fee per included block of the bucket.${PER}`,
  feePerBlockMax: `The same at most.${PER}`,
  feePerTransactionMin: `Lower bound of the fee per transaction of the included blocks.${PER}`,
  feePerTransactionMax: `The same at most.${PER}`,
  feePerMegabyteMin: 'Lower bound of the fee per million bytes of blobs. Null if a part is unknown.',
  feePerMegabyteMax: 'Upper bound of the fee per million bytes of blobs. Null if a part is unknown.',
  changeToPrevious:
    'Relative change of `feeMax` from the previous bucket: 0.1 is a rise by a tenth. Null if either bucket is unknown, cut off or not over yet.',
  forecastLow:
    "Lower end of the forecast of the running month's cost when it ends, in utia. In nine of ten months the cost is between `forecastLow` and `forecastHigh`. Null in all other rows, and if fewer than three of the last 14 days are known and monitored.",
  forecastExpected:
    'Expected cost of the running month when it ends, in utia. Null if `forecastLow` is null.',
  forecastHigh: 'Upper end of the forecast, in utia. Null if `forecastLow` is null.',
}) {
  @text('Always `utia`.')
  readonly feeUnit: string;
}
