import { InputType, ObjectType } from '@nestjs/graphql';
import { DEFAULT_MAX_BYTES } from '../../domain/cost/batching-policy.js';
import { Distribution } from '../statistics/statistics-row.type.js';
import { bool, dateTime, exactDecimal, exactInt64, field, int, text, texts } from '../graphql/fields.js';

const formerBytes = exactInt64('The former name of `sizeBytes`.', { replacedBy: 'sizeBytes' });

@InputType({ description: 'How blocks would have been batched: either by their number or by the clock.' })
export class WhatIfPolicy {
  // No field is `!`: a compiled query would report such an input field as missing although it has a default.
  @int.orNull('A batch closes with its n-th block. 1 to 100,000.') everyBlocks?: number | null;
  @int.orNull('A batch closes at each whole multiple of this many milliseconds since 1970.')
  everyMs?: number | null;
  @bool.orNull('Whether headers and data go out in one submission.', { defaultValue: false })
  joined?: boolean | null;
  @int.orNull('Largest size of a submission in bytes: a larger batch is split.', {
    defaultValue: DEFAULT_MAX_BYTES,
  })
  maxBytes?: number | null;
  @int.orNull(
    'Milliseconds assumed from the close of a batch to its inclusion, for example the DA layer’s block time.',
    { defaultValue: 0 },
  )
  submissionMs?: number | null;
}

@ObjectType({ description: 'Result of a policy for the blocks of a range.' })
export class WhatIfOutcome {
  @int.orNull('As in the policy; null if the policy goes by the clock.') readonly everyBlocks: number | null;
  @int.orNull('As in the policy; null if the policy goes by blocks.') readonly everyMs: number | null;
  @bool('As in the policy.') readonly joined: boolean;
  @int('As in the policy.') readonly maxBytes: number;
  @int('As in the policy.') readonly submissionMs: number;
  @exactInt64('Submissions that the policy would have needed.') readonly submissions: bigint;
  @exactInt64('Blobs of all these submissions.') readonly blobs: bigint;
  @exactInt64('Bytes of these blobs.') readonly sizeBytes: bigint;
  @formerBytes
  get bytes(): bigint {
    return this.sizeBytes;
  }
  @exactInt64('Units of gas. Exact, for the blocks whose sizes are known.') readonly gas: bigint;
  @exactDecimal.orNull(
    'Fee in utia. Each submission is priced at the requested gas price, or else at the price of the price book at its time, and rounded up. Null if any submission has no price.',
  )
  readonly fee: bigint | null;
  @text('Always `utia`.') readonly feeUnit: string;
  @exactInt64('Submissions at a time for which no gas price is known.') readonly unpriced: bigint;
  @exactInt64('Submissions of a single blob that is larger than `maxBytes`.') readonly oversized: bigint;
  @exactInt64('Blocks whose sizes are unknown: they count in `everyBlocks` only.')
  readonly blocksUnmeasured: bigint;
  @field.orNull(
    () => Distribution,
    'Milliseconds from a block’s time to the close of its batch, plus `submissionMs`; once for its header and once for its data.',
  )
  readonly inclusionLagMs: Distribution | null;
}

@ObjectType({
  description:
    'The submissions of the range. At its ends, they may carry blocks from outside the range, and lack blocks from inside.',
})
export class WhatIfBaseline {
  @exactInt64(
    'Successful, reconstructed and undecided submissions, and failed attempts whose blobs landed anyway.',
  )
  readonly submissions: bigint;
  @exactInt64('Submissions whose blobs or bytes are not known.') readonly unreadable: bigint;
  @exactInt64('Blobs of these submissions, as far as known.') readonly blobs: bigint;
  @exactInt64('Bytes of these submissions, as far as known.') readonly sizeBytes: bigint;
  @formerBytes
  get bytes(): bigint {
    return this.sizeBytes;
  }
  @exactInt64.orNull('Lower bound of the units of gas, as in `costReport`.') readonly gasMin: bigint | null;
  @exactInt64.orNull('Upper bound of the units of gas, as in `costReport`.') readonly gasMax: bigint | null;
  @exactDecimal.orNull('Lower bound in utia, as in `costReport`; `gasPrice` does not change it.')
  readonly feeMin: bigint | null;
  @exactDecimal.orNull('Upper bound in utia, as in `costReport`.') readonly feeMax: bigint | null;
  @text('Always `utia`.') readonly feeUnit: string;
  @field.orNull(() => Distribution, 'As in `statistics`, in milliseconds; null if no lag is known.')
  readonly inclusionLagMs: Distribution | null;
}

@ObjectType({ description: 'Recorded blocks, had they been batched differently.' })
export class WhatIfReport {
  @text('Id of the chain.') readonly chain: string;
  @dateTime('As requested; inclusive.') readonly from: bigint;
  @dateTime('As requested; exclusive.') readonly to: bigint;
  @dateTime.orNull('Time of the earliest block in the report; null without blocks.')
  readonly coveredFrom: bigint | null;
  @dateTime.orNull('Time of the latest block in the report; null without blocks.')
  readonly coveredTo: bigint | null;
  @exactInt64('Blocks of the range, each counted once, whichever nodes showed it.') readonly blocks: bigint;
  @exactInt64('Blocks between the first and the last one that were never seen.')
  readonly blocksMissing: bigint;
  @exactInt64('Blocks that are not known to be included yet. The figures include them.')
  readonly blocksNotIncluded: bigint;
  @exactInt64('Transactions of these blocks.') readonly transactions: bigint;
  @texts('Notes on what the figures leave out; empty if they are complete.')
  readonly notes: readonly string[];
  @field(() => WhatIfBaseline, 'The actual submissions.') readonly baseline: WhatIfBaseline;
  @field(() => [WhatIfOutcome], 'One result for each policy, in the requested order.')
  readonly policies: readonly WhatIfOutcome[];
}
