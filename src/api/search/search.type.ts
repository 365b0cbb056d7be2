import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { id, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';

const SearchKinds = enumOf(['NODE', 'CHAIN', 'SUBMISSION', 'BLOCK', 'INCIDENT']);
export type SearchKind = keyof typeof SearchKinds;

registerEnumType(SearchKinds, {
  name: 'SearchKind',
  description: 'What a search can find.',
  valuesMap: {
    NODE: { description: 'A node: ask `node(id:)`.' },
    CHAIN: { description: 'A chain: ask `chain(id:)`.' },
    SUBMISSION: { description: 'A submission: ask `submission(id:)`.' },
    BLOCK: { description: 'A block of a chain: ask `blocks` with its chain and height.' },
    INCIDENT: { description: 'An incident: ask `incident(id:)`.' },
  },
});

@ObjectType({ description: 'Something that a search found.' })
export class SearchHit {
  @Field(() => SearchKinds, { description: 'What it is.' }) readonly kind: SearchKind;
  @id('As it is asked for by; of a block `chain/height`.') readonly id: string;
  @text('What it is, in one line.') readonly title: string;
  @text('Path of its page on this server.') readonly url: string;
}
