import { Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import { DEFAULT_MAX_BYTES } from '../../domain/cost/batching-policy.js';
import { DecimalField, Int64Field } from '../graphql/exact-field.js';
import { DateTime } from '../graphql/scalars.js';
import { Distribution } from '../statistics/statistics-row.type.js';

@InputType({ description: 'How blocks would have been batched: either by their number or by the clock.' })
export class WhatIfPolicy {
  @Field(() => Int, { nullable: true, description: 'A batch closes with its n-th block. 1 to 100,000.' })
  everyBlocks?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'A batch closes at each whole multiple of so many milliseconds since 1970.',
  })
  everyMs?: number | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether headers and data go out in one submission.',
  })
  joined: boolean;

  @Field(() => Int, {
    defaultValue: DEFAULT_MAX_BYTES,
    description: 'Most bytes of a submission: a batch with more is split.',
  })
  maxBytes: number;

  @Field(() => Int, {
    defaultValue: 0,
    description:
      'Milliseconds assumed from the close of a batch to its inclusion, the DA layer’s block time say.',
  })
  submissionMs: number;
}

@ObjectType({ description: 'What a policy would have meant for the blocks of a range.' })
export class WhatIfOutcome {
  @Field(() => Int, { nullable: true })
  readonly everyBlocks: number | null;

  @Field(() => Int, { nullable: true })
  readonly everyMs: number | null;

  @Field(() => Boolean)
  readonly joined: boolean;

  @Field(() => Int)
  readonly maxBytes: number;

  @Field(() => Int)
  readonly submissionMs: number;

  @Int64Field()
  readonly submissions: bigint;

  @Int64Field()
  readonly blobs: bigint;

  @Int64Field()
  readonly bytes: bigint;

  @Int64Field({ description: 'Exact, for the blocks whose sizes are known.' })
  readonly gas: bigint;

  @DecimalField({
    nullable: true,
    description:
      'Each submission at the gas price that was asked for, else at that of the price book at its time, rounded up. Null as soon as one has no price.',
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
      'From a block’s time to the close of its batch and `submissionMs` more; once for its header and once for its data.',
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

  @Int64Field()
  readonly blobs: bigint;

  @Int64Field()
  readonly bytes: bigint;

  @Int64Field({ nullable: true })
  readonly gasMin: bigint | null;

  @Int64Field({ nullable: true })
  readonly gasMax: bigint | null;

  @DecimalField({ nullable: true, description: 'As in `costReport`; `gasPrice` does not change it.' })
  readonly feeMin: bigint | null;

  @DecimalField({ nullable: true })
  readonly feeMax: bigint | null;

  @Field(() => String, { description: 'Always `utia`.' })
  readonly feeUnit: string;

  @Field(() => Distribution, { nullable: true })
  readonly inclusionLagMs: Distribution | null;
}

@ObjectType({ description: 'Recorded blocks under other batching.' })
export class WhatIfReport {
  @Field(() => String)
  readonly chain: string;

  @Field(() => DateTime)
  readonly from: bigint;

  @Field(() => DateTime)
  readonly to: bigint;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the earliest block in it; null without any.',
  })
  readonly coveredFrom: bigint | null;

  @Field(() => DateTime, { nullable: true })
  readonly coveredTo: bigint | null;

  @Int64Field({ description: 'Each once, whichever nodes showed it.' })
  readonly blocks: bigint;

  @Int64Field({ description: 'Blocks between the first and the last one that were never seen.' })
  readonly blocksMissing: bigint;

  @Int64Field({ description: 'Blocks that are not known to be included yet. They are in the figures.' })
  readonly blocksNotIncluded: bigint;

  @Int64Field()
  readonly transactions: bigint;

  @Field(() => [String], { description: 'What the figures leave out; empty when they are whole.' })
  readonly notes: readonly string[];

  @Field(() => WhatIfBaseline)
  readonly baseline: WhatIfBaseline;

  @Field(() => [WhatIfOutcome], { description: 'One for each policy, in their order.' })
  readonly policies: readonly WhatIfOutcome[];
}
