import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { id, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';

const SearchKinds = enumOf(['NODE', 'CHAIN', 'SUBMISSION', 'BLOCK']);
export type SearchKind = keyof typeof SearchKinds;

registerEnumType(SearchKinds, { name: 'SearchKind' });

@ObjectType({ description: 'Something that a search found.' })
export class SearchHit {
  @Field(() => SearchKinds) readonly kind: SearchKind;
  @id('As it is asked for by; of a block `chain/height`.') readonly id: string;
  @text('What it is, in one line.') readonly title: string;
  @text('Path that its page will have; there is none yet.') readonly url: string;
}
