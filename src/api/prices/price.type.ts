import { InputType, ObjectType } from '@nestjs/graphql';
import type { PriceSubject } from '../../domain/events.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import {
  bool,
  dateTime,
  decimal,
  exactDecimal,
  exactInt64,
  field,
  id,
  int,
  int64,
  text,
} from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

const PriceSubjects = enumOf<PriceSubject>('PriceSubject', 'Subject of an entry of the price book.', {
  GAS_PRICE: 'utia per unit of gas.',
  GAS_SCHEDULE: 'How much gas a submission takes.',
  FIAT_RATE: 'Exchange rate of TIA.',
});

@ObjectType({
  implements: () => [HasId],
  description: 'An entry of the price book. It applies until the next entry of its subject.',
})
export class Price {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @id(VERSION) readonly versionId: string;
  @text('Id of the chain.') readonly chain: string;
  @field(() => PriceSubjects, 'Its subject.') readonly subject: PriceSubject;
  @dateTime.orNull('When it begins to apply; UTC. Null: from the beginning.')
  readonly effectiveFrom: Nanos | null;
  @exactDecimal.orNull('For `GAS_PRICE`: utia per unit of gas; otherwise null.') readonly gasPrice?: string;
  @text.orNull('For `FIAT_RATE`: the currency, such as EUR; otherwise null.') readonly fiatUnit?: string;
  @exactDecimal.orNull('For `FIAT_RATE`: price of one TIA in this currency; otherwise null.')
  readonly fiatPerTia?: string;
  @exactInt64.orNull('For `GAS_SCHEDULE`: gas per byte of a share; otherwise null.')
  readonly gasPerShareByte?: string;
  @exactInt64.orNull('For `GAS_SCHEDULE`: gas per blob, in addition to its bytes; otherwise null.')
  readonly gasPerBlob?: string;
  @exactInt64.orNull('For `GAS_SCHEDULE`: gas per transaction; otherwise null.') readonly fixedGas?: string;
  @bool.orNull('For `GAS_SCHEDULE`: whether blobs name their signer, which takes space; otherwise null.')
  readonly signer?: boolean;
  @text('Source of the price: the settings, or the source stated by the person who set it.')
  readonly source: string;
  @text.orNull(
    'The author: the name of an API key (`settings` for the key of the settings), `loopback` without a key, or `command line`. Null if the price comes from the settings, or if the author is not recorded.',
  )
  readonly by: string | null;
  @dateTime("When it was recorded, by the database's clock; UTC.") readonly recordedAt: Nanos;
  @dateTime.orNull('When another entry replaced it; UTC. Null while it is not replaced.')
  readonly replacedAt: Nanos | null;
}

@InputType({ description: 'Exchange rate of TIA.' })
class FiatRateInput {
  @text('A currency, such as EUR.') unit: string;
  @decimal('Price of one TIA in this currency.') perTia: string;
}

@InputType({ description: 'New prices from a moment on. Values that are left out stay as they are.' })
export class PriceInput {
  @dateTime.orNull('When it begins to apply. Null: from the beginning.') from?: Nanos | null;
  @decimal.orNull('utia per unit of gas.') gasPrice?: string | null;
  @field.orNull(() => FiatRateInput, 'Exchange rate of TIA.') fiat?: FiatRateInput | null;
  @int64.orNull('Gas per byte of a share.') gasPerShareByte?: bigint | null;
  @int64.orNull('Gas per blob, in addition to its bytes.') gasPerBlob?: bigint | null;
  @int64.orNull('Gas per transaction.') fixedGas?: bigint | null;
  @bool.orNull('Whether blobs name their signer.') signer?: boolean | null;
}

@ObjectType({ description: 'A line of a file that cannot be used.' })
class LineFault {
  @int('Number of the line, counted from 1; the header is line 1.') readonly line: number;
  @text('The problem, in words.') readonly problem: string;
}

@ObjectType({
  description:
    'A fee that no submission matches. It is kept, and counts once a matching submission is recorded.',
})
export class UnmatchedFee {
  @int('Its line, counted from 1; the header is line 1.') readonly line: number;
  @exactInt64('The DA height in the line.') readonly daHeight: string;
  @text.orNull('The namespace in the line, 58 hex digits; null without a namespace.')
  readonly namespace: string | null;
  @text.orNull('The transaction hash in the line; null without a hash.') readonly tx: string | null;
  @exactDecimal('The fee in utia.') readonly fee: string;
  @text('Why no submission matches.') readonly reason: string;
}

@ObjectType({
  description: 'A DA height and namespace with more fees than submissions: only the first fees count.',
})
export class CrowdedPlace {
  @exactInt64('Its DA height.') readonly daHeight: string;
  @text.orNull('Its namespace, 58 hex digits; null for fees without a namespace.') readonly namespace:
    string | null;
  @int('Number of fees in the file for this place.') readonly fees: number;
  @int('Submissions recorded there; for fees without a namespace, the remaining submissions.')
  readonly submissions: number;
}

@ObjectType({ description: 'Result of importing a file of fees. Lists have at most the first 100 entries.' })
export class FeeImport {
  @bool('False if lines cannot be used and nothing was imported.') readonly imported: boolean;
  @int('Lines, without the header and empty lines.') readonly rows: number;
  @int('Fees that were not known before.') readonly added: number;
  @int('Fees that differ from an earlier import.') readonly corrected: number;
  @int('Lines that repeat a known fee or another line.') readonly alreadyKnown: number;
  @int('Lines that cannot be used.') readonly faultCount: number;
  @field(() => [LineFault], 'The first lines that cannot be used.') readonly faults: readonly LineFault[];
  @int('Fees that no submission matches.') readonly unmatchedCount: number;
  @field(() => [UnmatchedFee], 'The first fees that no submission matches.')
  readonly unmatched: readonly UnmatchedFee[];
  @int('Places with more fees than submissions.') readonly ambiguousCount: number;
  @field(() => [CrowdedPlace], 'The first places with more fees than submissions.')
  readonly ambiguous: readonly CrowdedPlace[];
}
