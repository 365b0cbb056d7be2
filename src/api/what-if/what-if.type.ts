import { Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import { DEFAULT_MAX_BYTES } from '../../domain/cost/batching-policy.js';
import { DecimalField, Int64Field } from '../graphql/exact-field.js';
import { DateTime } from '../graphql/scalars.js';
import { Distribution } from '../statistics/statistics-row.type.js';

@InputType({ description: 'How blocks would have been batched: either by their number or by the clock.' })
export class WhatIfPolicy {
  // No field is `!`: a compiled query would report such an input field as missing although it has a default.
  @Field(() => Int, { nullable: true, description: 'A batch closes with its n-th block. 1 to 100,000.' })
  everyBlocks?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'A batch closes at each whole multiple of so many milliseconds since 1970.',
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
    description: 'Most bytes of a submission: a batch with more is split.',
  })
  maxBytes?: number | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 0,
    description:
      'Milliseconds assumed from the close of a batch to its inclusion, the DA layer’s block time say.',
  })
  submissionMs?: number | null;
}

@ObjectType({ description: 'What a policy would have meant for the blocks of a range.' })
export class WhatIfOutcome {
  @Field(() => Int, { nullable: true, description: 'As in the policy; null where it goes by the clock.' })
  readonly everyBlocks: number | null;

  @Field(() => Int, { nullable: true, description: 'As in the policy; null where it goes by blocks.' })
  readonly everyMs: number | null;

  @Field(() => Boolean, { description: 'As in the policy.' })
  readonly joined: boolean;

  @Field(() => Int, { description: 'As in the policy.' })
  readonly maxBytes: number;

  @Field(() => Int, { description: 'As in the policy.' })
  readonly submissionMs: number;

  @Int64Field({ description: 'Submissions that it would have taken.' })
  readonly submissions: bigint;

  @Int64Field({ description: 'Blobs of them all.' })
  readonly blobs: bigint;

  @Int64Field({ description: 'Bytes of these blobs.' })
  readonly bytes: bigint;

  @Int64Field({ description: 'Units of gas. Exact, for the blocks whose sizes are known.' })
  readonly gas: bigint;

  @DecimalField({
    nullable: true,
    description:
      'utia. Each submission at the gas price that was asked for, else at that of the price book at its time, rounded up. Null as soon as one has no price.',
  })
  readonly fee: bigint | null;

  @Field(() => String, { description: 'Always `utia`.' })
  readonly feeUnit: string;

  @Int64Field({ description: 'Submissions at a time for which no gas price is known.' })
  readonly unpriced: bigint;

  @Int64Field({ description: 'Submissions of one blob that has more than `maxBytes`.' })
  readonly oversized: bigint;

  @Int64Field({
    description: 'Blocks whose sizes are not known: they count in `everyBlocks`, and nowhere else.',
  })
  readonly blocksUnmeasured: bigint;

  @Field(() => Distribution, {
    nullable: true,
    description:
      'Milliseconds from a block’s time to the close of its batch and `submissionMs` more; once for its header and once for its data.',
  })
  readonly inclusionLagMs: Distribution | null;
}

@ObjectType({
  description:
    'What was submitted in the range. These are the submissions of that time: at its ends they may carry blocks from outside, and miss some from inside.',
})
export class WhatIfBaseline {
  @Int64Field({
    description:
      'Successes, reconstructed and undecided ones, and failed attempts whose blobs landed all the same.',
  })
  readonly submissions: bigint;

  @Int64Field({ description: 'Submissions whose blobs or bytes are not known.' })
  readonly unreadable: bigint;

  @Int64Field({ description: 'Blobs of them, as far as they are known.' })
  readonly blobs: bigint;

  @Int64Field({ description: 'Bytes of them, as far as they are known.' })
  readonly bytes: bigint;

  @Int64Field({ nullable: true, description: 'Units of gas at least, as in `costReport`.' })
  readonly gasMin: bigint | null;

  @Int64Field({ nullable: true, description: 'Units of gas at most, as in `costReport`.' })
  readonly gasMax: bigint | null;

  @DecimalField({
    nullable: true,
    description: 'utia at least, as in `costReport`; `gasPrice` does not change it.',
  })
  readonly feeMin: bigint | null;

  @DecimalField({ nullable: true, description: 'utia at most, as in `costReport`.' })
  readonly feeMax: bigint | null;

  @Field(() => String, { description: 'Always `utia`.' })
  readonly feeUnit: string;

  @Field(() => Distribution, {
    nullable: true,
    description: 'As in `statistics`, in milliseconds; null where none is known.',
  })
  readonly inclusionLagMs: Distribution | null;
}

@ObjectType({ description: 'Recorded blocks under other batching.' })
export class WhatIfReport {
  @Field(() => String, { description: 'Id of the chain.' })
  readonly chain: string;

  @Field(() => DateTime, { description: 'As it was asked for; inclusive.' })
  readonly from: bigint;

  @Field(() => DateTime, { description: 'As it was asked for; exclusive.' })
  readonly to: bigint;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the earliest block in it; null without any.',
  })
  readonly coveredFrom: bigint | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the latest block in it; null without any.',
  })
  readonly coveredTo: bigint | null;

  @Int64Field({ description: 'Blocks of that time, each once, whichever nodes showed it.' })
  readonly blocks: bigint;

  @Int64Field({ description: 'Blocks between the first and the last one that were never seen.' })
  readonly blocksMissing: bigint;

  @Int64Field({ description: 'Blocks that are not known to be included yet. They are in the figures.' })
  readonly blocksNotIncluded: bigint;

  @Int64Field({ description: 'Transactions of these blocks.' })
  readonly transactions: bigint;

  @Field(() => [String], { description: 'What the figures leave out; empty when they are whole.' })
  readonly notes: readonly string[];

  @Field(() => WhatIfBaseline, { description: 'What was submitted in truth.' })
  readonly baseline: WhatIfBaseline;

  @Field(() => [WhatIfOutcome], { description: 'One for each policy, in their order.' })
  readonly policies: readonly WhatIfOutcome[];
}
