import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { PriceSubject } from '../../domain/events.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import { DateTime, Decimal, Int64 } from '../graphql/scalars.js';

const PriceSubjects = enumOf<PriceSubject>(['GAS_PRICE', 'GAS_SCHEDULE', 'FIAT_RATE']);

registerEnumType(PriceSubjects, {
  name: 'PriceSubject',
  valuesMap: {
    GAS_PRICE: { description: 'utia for each unit of gas.' },
    GAS_SCHEDULE: { description: 'How much gas a submission takes.' },
    FIAT_RATE: { description: 'What a TIA is worth.' },
  },
});

@ObjectType({ description: 'An entry of the price book: it holds until the next one of its subject.' })
export class Price {
  @Field(() => String)
  readonly chain: string;

  @Field(() => PriceSubjects)
  readonly subject: PriceSubject;

  @Field(() => DateTime, { nullable: true, description: 'From when it holds; null: from the beginning.' })
  readonly effectiveFrom: Nanos | null;

  @Field(() => Decimal, { nullable: true, description: 'Of `GAS_PRICE`, in utia.' })
  readonly gasPrice?: string;

  @Field(() => String, { nullable: true, description: 'Of `FIAT_RATE`: the currency, such as EUR.' })
  readonly fiatUnit?: string;

  @Field(() => Decimal, { nullable: true, description: 'Of `FIAT_RATE`: how much of it for one TIA.' })
  readonly fiatPerTia?: string;

  @Field(() => Int64, { nullable: true, description: 'Of `GAS_SCHEDULE`.' })
  readonly gasPerShareByte?: string;

  @Field(() => Int64, { nullable: true, description: 'Of `GAS_SCHEDULE`.' })
  readonly gasPerBlob?: string;

  @Field(() => Int64, { nullable: true, description: 'Of `GAS_SCHEDULE`: for each transaction.' })
  readonly fixedGas?: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Of `GAS_SCHEDULE`: whether blobs name their signer, which takes room.',
  })
  readonly signer?: boolean;

  @Field(() => String, { description: 'The settings, or what the person who set it said of it.' })
  readonly source: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Who set it: the name of an API key, `settings` for that of the settings, `loopback` without one, `command line`; null: the settings say it, or it is not recorded.',
  })
  readonly by: string | null;

  @Field(() => DateTime)
  readonly recordedAt: Nanos;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When another entry was recorded in its place; null: it stands.',
  })
  readonly replacedAt: Nanos | null;
}

@InputType()
class FiatRateInput {
  @Field(() => String, { description: 'A currency, such as EUR.' })
  unit: string;

  @Field(() => Decimal, { description: 'How much of it for one TIA.' })
  perTia: string;
}

@InputType({ description: 'What shall hold from a moment on. What is left out stays as it was.' })
export class PriceInput {
  @Field(() => DateTime, { nullable: true, description: 'Null: from the beginning.' })
  from?: Nanos | null;

  @Field(() => Decimal, { nullable: true, description: 'utia for each unit of gas.' })
  gasPrice?: string | null;

  @Field(() => FiatRateInput, { nullable: true })
  fiat?: FiatRateInput | null;

  @Field(() => Int64, { nullable: true })
  gasPerShareByte?: bigint | null;

  @Field(() => Int64, { nullable: true })
  gasPerBlob?: bigint | null;

  @Field(() => Int64, { nullable: true })
  fixedGas?: bigint | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether blobs name their signer.' })
  signer?: boolean | null;
}

@ObjectType({ description: 'A line of a file that cannot be used.' })
class LineFault {
  @Field(() => Int, { description: 'Counted from 1; the header is one.' })
  readonly line: number;

  @Field(() => String)
  readonly problem: string;
}

@ObjectType({ description: 'A fee that no submission matches. It is kept, and counts once one is recorded.' })
class UnmatchedFee {
  @Field(() => Int)
  readonly line: number;

  @Field(() => Int64)
  readonly daHeight: string;

  @Field(() => String, { nullable: true })
  readonly namespace: string | null;

  @Field(() => String, { nullable: true, description: "The transaction's hash." })
  readonly tx: string | null;

  @Field(() => Decimal, { description: 'utia' })
  readonly fee: string;

  @Field(() => String)
  readonly reason: string;
}

@ObjectType({ description: 'A place with more fees than submissions: the first of them count.' })
class CrowdedPlace {
  @Field(() => Int64)
  readonly daHeight: string;

  @Field(() => String, { nullable: true, description: 'Null: fees that name none.' })
  readonly namespace: string | null;

  @Field(() => Int)
  readonly fees: number;

  @Field(() => Int, { description: 'For fees that name no namespace: those that are left.' })
  readonly submissions: number;
}

@ObjectType({ description: 'What became of a file of fees. Lists hold the first 100.' })
export class FeeImport {
  @Field(() => Boolean, { description: 'False: lines cannot be used, and nothing was imported.' })
  readonly imported: boolean;

  @Field(() => Int, { description: 'Lines but for the header and empty ones.' })
  readonly rows: number;

  @Field(() => Int, { description: 'Fees that were not known before.' })
  readonly added: number;

  @Field(() => Int, { description: 'Fees that are others now than an earlier import said.' })
  readonly corrected: number;

  @Field(() => Int, { description: 'Lines that say what was known, or what another line says.' })
  readonly alreadyKnown: number;

  @Field(() => Int)
  readonly faultCount: number;

  @Field(() => [LineFault])
  readonly faults: readonly LineFault[];

  @Field(() => Int)
  readonly unmatchedCount: number;

  @Field(() => [UnmatchedFee])
  readonly unmatched: readonly UnmatchedFee[];

  @Field(() => Int)
  readonly ambiguousCount: number;

  @Field(() => [CrowdedPlace])
  readonly ambiguous: readonly CrowdedPlace[];
}
