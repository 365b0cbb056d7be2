import { Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import { DEFAULT_MAX_BYTES } from '../../domain/cost/batching-policy.js';
import { DecimalField, Int64Field } from '../graphql/exact-field.js';
import { DateTime } from '../graphql/scalars.js';
import { Distribution } from '../statistics/statistics-row.type.js';

const FORMER_BYTES = { description: 'The former name of `sizeBytes`.', replacedBy: 'sizeBytes' };

@InputType({ description: 'How blocks would have been batched: either by their number or by the clock.' })
export class WhatIfPolicy {
  // No field is `!`: a compiled query would report such an input field as missing although it has a default.
  @Field(() => Int, { nullable: true, description: 'A batch closes with its n-th block. 1 to 100,000.' })
  everyBlocks?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'A batch closes at each whole multiple of this many milliseconds since 1970.',
  })
  everyMs?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Whether headers and data go out in one submission.',
  })
  joined?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_MAX_BYTES,
    description: 'Largest size of a submission in bytes: a larger batch is split.',
  })
  maxBytes?: number | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 0,
    description:
      'Milliseconds assumed from the close of a batch to its inclusion, for example the DA layer’s block time.',
  })
  submissionMs?: number | null;
}

@ObjectType({ description: 'Result of a policy for the blocks of a range.' })
export class WhatIfOutcome {
  @Field(() => Int, {
    nullable: true,
    description: 'As in the policy; null if the policy goes by the clock.',
  })
  readonly everyBlocks: number | null;

  @Field(() => Int, { nullable: true, description: 'As in the policy; null if the policy goes by blocks.' })
  readonly everyMs: number | null;

  @Field(() => Boolean, { description: 'As in the policy.' })
  readonly joined: boolean;

  @Field(() => Int, { description: 'As in the policy.' })
  readonly maxBytes: number;

  @Field(() => Int, { description: 'As in the policy.' })
  readonly submissionMs: number;

  @Int64Field({ description: 'Submissions that the policy would have needed.' })
  readonly submissions: bigint;

  @Int64Field({ description: 'Blobs of all these submissions.' })
  readonly blobs: bigint;

  @Int64Field({ description: 'Bytes of these blobs.' })
  readonly sizeBytes: bigint;

  @Int64Field(FORMER_BYTES)
  get bytes(): bigint {
    return this.sizeBytes;
  }

  @Int64Field({ description: 'Units of gas. Exact, for the blocks whose sizes are known.' })
  readonly gas: bigint;

  @DecimalField({
    nullable: true,
    description:
      'Fee in utia. Each submission is priced at the requested gas price, or else at the price of the price book at its time, and rounded up. Null if any submission has no price.',
  })
  readonly fee: bigint | null;

  @Field(() => String, { description: 'Always `utia`.' })
  readonly feeUnit: string;

  @Int64Field({ description: 'Submissions at a time for which no gas price is known.' })
  readonly unpriced: bigint;

  @Int64Field({ description: 'Submissions of a single blob that is larger than `maxBytes`.' })
  readonly oversized: bigint;

  @Int64Field({
    description: 'Blocks whose sizes are unknown: they count in `everyBlocks` only.',
  })
  readonly blocksUnmeasured: bigint;

  @Field(() => Distribution, {
    nullable: true,
    description:
      'Milliseconds from a block’s time to the close of its batch, plus `submissionMs`; once for its header and once for its data.',
  })
  readonly inclusionLagMs: Distribution | null;
}

@ObjectType({
  description:
    'The submissions of the range. At its ends, they may carry blocks from outside the range, and lack blocks from inside.',
})
export class WhatIfBaseline {
  @Int64Field({
    description:
      'Successful, reconstructed and undecided submissions, and failed attempts whose blobs landed anyway.',
  })
  readonly submissions: bigint;

  @Int64Field({ description: 'Submissions whose blobs or bytes are not known.' })
  readonly unreadable: bigint;

  @Int64Field({ description: 'Blobs of these submissions, as far as known.' })
  readonly blobs: bigint;

  @Int64Field({ description: 'Bytes of these submissions, as far as known.' })
  readonly sizeBytes: bigint;

  @Int64Field(FORMER_BYTES)
  get bytes(): bigint {
    return this.sizeBytes;
  }

  @Int64Field({ nullable: true, description: 'Lower bound of the units of gas, as in `costReport`.' })
  readonly gasMin: bigint | null;

  @Int64Field({ nullable: true, description: 'Upper bound of the units of gas, as in `costReport`.' })
  readonly gasMax: bigint | null;

  @DecimalField({
    nullable: true,
    description: 'Lower bound in utia, as in `costReport`; `gasPrice` does not change it.',
  })
  readonly feeMin: bigint | null;

  @DecimalField({ nullable: true, description: 'Upper bound in utia, as in `costReport`.' })
  readonly feeMax: bigint | null;

  @Field(() => String, { description: 'Always `utia`.' })
  readonly feeUnit: string;

  @Field(() => Distribution, {
    nullable: true,
    description: 'As in `statistics`, in milliseconds; null if no lag is known.',
  })
  readonly inclusionLagMs: Distribution | null;
}

@ObjectType({ description: 'Recorded blocks, had they been batched differently.' })
export class WhatIfReport {
  @Field(() => String, { description: 'Id of the chain.' })
  readonly chain: string;

  @Field(() => DateTime, { description: 'As requested; inclusive.' })
  readonly from: bigint;

  @Field(() => DateTime, { description: 'As requested; exclusive.' })
  readonly to: bigint;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the earliest block in the report; null without blocks.',
  })
  readonly coveredFrom: bigint | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the latest block in the report; null without blocks.',
  })
  readonly coveredTo: bigint | null;

  @Int64Field({ description: 'Blocks of the range, each counted once, whichever nodes showed it.' })
  readonly blocks: bigint;

  @Int64Field({ description: 'Blocks between the first and the last one that were never seen.' })
  readonly blocksMissing: bigint;

  @Int64Field({ description: 'Blocks that are not known to be included yet. The figures include them.' })
  readonly blocksNotIncluded: bigint;

  @Int64Field({ description: 'Transactions of these blocks.' })
  readonly transactions: bigint;

  @Field(() => [String], { description: 'Notes on what the figures leave out; empty if they are complete.' })
  readonly notes: readonly string[];

  @Field(() => WhatIfBaseline, { description: 'The actual submissions.' })
  readonly baseline: WhatIfBaseline;

  @Field(() => [WhatIfOutcome], { description: 'One result for each policy, in the requested order.' })
  readonly policies: readonly WhatIfOutcome[];
}
