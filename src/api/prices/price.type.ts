import { Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { PriceSubject } from '../../domain/events.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import {
  bool,
  dateTime,
  decimal,
  exactDecimal,
  exactInt64,
  id,
  int,
  int64,
  text,
} from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

const PriceSubjects = enumOf<PriceSubject>(['GAS_PRICE', 'GAS_SCHEDULE', 'FIAT_RATE']);

registerEnumType(PriceSubjects, {
  name: 'PriceSubject',
  description: 'What an entry of the price book is about.',
  valuesMap: {
    GAS_PRICE: { description: 'utia for each unit of gas.' },
    GAS_SCHEDULE: { description: 'How much gas a submission takes.' },
    FIAT_RATE: { description: 'What a TIA is worth.' },
  },
});

@ObjectType({
  implements: () => [HasId],
  description: 'An entry of the price book: it holds until the next one of its subject.',
})
export class Price {
  @id('Ours, and stable; `object` finds it by it.') readonly id: string;
  @id(VERSION) readonly versionId: string;
  @text('Id of the chain.') readonly chain: string;
  @Field(() => PriceSubjects, { description: 'What it is about.' }) readonly subject: PriceSubject;
  @dateTime.orNull('From when it holds; UTC. Null: from the beginning.') readonly effectiveFrom: Nanos | null;
  @exactDecimal.orNull('Of `GAS_PRICE`: utia for each unit of gas; else null.') readonly gasPrice?: string;
  @text.orNull('Of `FIAT_RATE`: the currency, such as EUR; else null.') readonly fiatUnit?: string;
  @exactDecimal.orNull('Of `FIAT_RATE`: how much of it for one TIA; else null.') readonly fiatPerTia?: string;
  @exactInt64.orNull('Of `GAS_SCHEDULE`: gas for each byte of a share; else null.')
  readonly gasPerShareByte?: string;
  @exactInt64.orNull('Of `GAS_SCHEDULE`: gas for each blob, beside its bytes; else null.')
  readonly gasPerBlob?: string;
  @exactInt64.orNull('Of `GAS_SCHEDULE`: gas for each transaction; else null.') readonly fixedGas?: string;
  @bool.orNull('Of `GAS_SCHEDULE`: whether blobs name their signer, which takes room; else null.')
  readonly signer?: boolean;
  @text('The settings, or what the person who set it said of it.') readonly source: string;
  @text.orNull(
    'Who set it: the name of an API key, `settings` for that of the settings, `loopback` without one, or `command line`. Null: the settings say it, or it is not recorded.',
  )
  readonly by: string | null;
  @dateTime("When it was recorded, by the database's clock; UTC.") readonly recordedAt: Nanos;
  @dateTime.orNull('UTC. When another entry was recorded in its place; null: it stands.')
  readonly replacedAt: Nanos | null;
}

@InputType({ description: 'What a TIA is worth.' })
class FiatRateInput {
  @text('A currency, such as EUR.') unit: string;
  @decimal('How much of it for one TIA.') perTia: string;
}

@InputType({ description: 'What shall hold from a moment on. What is left out stays as it was.' })
export class PriceInput {
  @dateTime.orNull('From when it shall hold. Null: from the beginning.') from?: Nanos | null;
  @decimal.orNull('utia for each unit of gas.') gasPrice?: string | null;
  @Field(() => FiatRateInput, { nullable: true, description: 'What a TIA is worth.' })
  fiat?: FiatRateInput | null;
  @int64.orNull('Gas for each byte of a share.') gasPerShareByte?: bigint | null;
  @int64.orNull('Gas for each blob, beside its bytes.') gasPerBlob?: bigint | null;
  @int64.orNull('Gas for each transaction.') fixedGas?: bigint | null;
  @bool.orNull('Whether blobs name their signer.') signer?: boolean | null;
}

@ObjectType({ description: 'A line of a file that cannot be used.' })
class LineFault {
  @int('Counted from 1; the header is one.') readonly line: number;
  @text('What is wrong with it.') readonly problem: string;
}

@ObjectType({ description: 'A fee that no submission matches. It is kept, and counts once one is recorded.' })
export class UnmatchedFee {
  @int('Its line, counted from 1; the header is one.') readonly line: number;
  @exactInt64('The DA height that it names.') readonly daHeight: string;
  @text.orNull('The namespace that it names, 58 hex digits; null where it names none.')
  readonly namespace: string | null;
  @text.orNull("The transaction's hash; null where it names none.") readonly tx: string | null;
  @exactDecimal('The fee in utia.') readonly fee: string;
  @text('Why no submission matches.') readonly reason: string;
}

@ObjectType({ description: 'A place with more fees than submissions: the first of them count.' })
export class CrowdedPlace {
  @exactInt64('Its DA height.') readonly daHeight: string;
  @text.orNull('Its namespace, 58 hex digits. Null: fees that name none.') readonly namespace: string | null;
  @int('Fees that the file has for it.') readonly fees: number;
  @int('Submissions recorded there. For fees that name no namespace: those that are left.')
  readonly submissions: number;
}

@ObjectType({ description: 'What became of a file of fees. Lists hold the first 100.' })
export class FeeImport {
  @bool('False: lines cannot be used, and nothing was imported.') readonly imported: boolean;
  @int('Lines but for the header and empty ones.') readonly rows: number;
  @int('Fees that were not known before.') readonly added: number;
  @int('Fees that are others now than an earlier import said.') readonly corrected: number;
  @int('Lines that say what was known, or what another line says.') readonly alreadyKnown: number;
  @int('Lines that cannot be used.') readonly faultCount: number;
  @Field(() => [LineFault], { description: 'The first of these.' }) readonly faults: readonly LineFault[];
  @int('Fees that no submission matches.') readonly unmatchedCount: number;
  @Field(() => [UnmatchedFee], { description: 'The first of these.' })
  readonly unmatched: readonly UnmatchedFee[];
  @int('Places with more fees than submissions.') readonly ambiguousCount: number;
  @Field(() => [CrowdedPlace], { description: 'The first of these.' })
  readonly ambiguous: readonly CrowdedPlace[];
}
