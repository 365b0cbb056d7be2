import { Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { PriceSubject } from '../../domain/events.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import { bool, dateTime, decimal, exactDecimal, exactInt64, int, int64, text } from '../graphql/fields.js';

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
  @text() readonly chain: string;
  @Field(() => PriceSubjects) readonly subject: PriceSubject;
  @dateTime.orNull('From when it holds; null: from the beginning.') readonly effectiveFrom: Nanos | null;
  @exactDecimal.orNull('Of `GAS_PRICE`, in utia.') readonly gasPrice?: string;
  @text.orNull('Of `FIAT_RATE`: the currency, such as EUR.') readonly fiatUnit?: string;
  @exactDecimal.orNull('Of `FIAT_RATE`: how much of it for one TIA.') readonly fiatPerTia?: string;
  @exactInt64.orNull('Of `GAS_SCHEDULE`.') readonly gasPerShareByte?: string;
  @exactInt64.orNull('Of `GAS_SCHEDULE`.') readonly gasPerBlob?: string;
  @exactInt64.orNull('Of `GAS_SCHEDULE`: for each transaction.') readonly fixedGas?: string;
  @bool.orNull('Of `GAS_SCHEDULE`: whether blobs name their signer, which takes room.')
  readonly signer?: boolean;
  @text('The settings, or what the person who set it said of it.') readonly source: string;
  @text.orNull(
    'Who set it: the name of an API key, `settings` for that of the settings, `loopback` without one, `command line`; null: the settings say it, or it is not recorded.',
  )
  readonly by: string | null;
  @dateTime() readonly recordedAt: Nanos;
  @dateTime.orNull('When another entry was recorded in its place; null: it stands.')
  readonly replacedAt: Nanos | null;
}

@InputType()
class FiatRateInput {
  @text('A currency, such as EUR.') unit: string;
  @decimal('How much of it for one TIA.') perTia: string;
}

@InputType({ description: 'What shall hold from a moment on. What is left out stays as it was.' })
export class PriceInput {
  @dateTime.orNull('Null: from the beginning.') from?: Nanos | null;
  @decimal.orNull('utia for each unit of gas.') gasPrice?: string | null;
  @Field(() => FiatRateInput, { nullable: true }) fiat?: FiatRateInput | null;
  @int64.orNull() gasPerShareByte?: bigint | null;
  @int64.orNull() gasPerBlob?: bigint | null;
  @int64.orNull() fixedGas?: bigint | null;
  @bool.orNull('Whether blobs name their signer.') signer?: boolean | null;
}

@ObjectType({ description: 'A line of a file that cannot be used.' })
class LineFault {
  @int('Counted from 1; the header is one.') readonly line: number;
  @text() readonly problem: string;
}

@ObjectType({ description: 'A fee that no submission matches. It is kept, and counts once one is recorded.' })
export class UnmatchedFee {
  @int() readonly line: number;
  @exactInt64() readonly daHeight: string;
  @text.orNull() readonly namespace: string | null;
  @text.orNull("The transaction's hash.") readonly tx: string | null;
  @exactDecimal('utia') readonly fee: string;
  @text() readonly reason: string;
}

@ObjectType({ description: 'A place with more fees than submissions: the first of them count.' })
export class CrowdedPlace {
  @exactInt64() readonly daHeight: string;
  @text.orNull('Null: fees that name none.') readonly namespace: string | null;
  @int() readonly fees: number;
  @int('For fees that name no namespace: those that are left.') readonly submissions: number;
}

@ObjectType({ description: 'What became of a file of fees. Lists hold the first 100.' })
export class FeeImport {
  @bool('False: lines cannot be used, and nothing was imported.') readonly imported: boolean;
  @int('Lines but for the header and empty ones.') readonly rows: number;
  @int('Fees that were not known before.') readonly added: number;
  @int('Fees that are others now than an earlier import said.') readonly corrected: number;
  @int('Lines that say what was known, or what another line says.') readonly alreadyKnown: number;
  @int() readonly faultCount: number;
  @Field(() => [LineFault]) readonly faults: readonly LineFault[];
  @int() readonly unmatchedCount: number;
  @Field(() => [UnmatchedFee]) readonly unmatched: readonly UnmatchedFee[];
  @int() readonly ambiguousCount: number;
  @Field(() => [CrowdedPlace]) readonly ambiguous: readonly CrowdedPlace[];
}
