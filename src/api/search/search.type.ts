import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { id, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';

const SearchKinds = enumOf(['NODE', 'CHAIN', 'SUBMISSION', 'BLOCK', 'INCIDENT']);
export type SearchKind = keyof typeof SearchKinds;

registerEnumType(SearchKinds, {
  name: 'SearchKind',
  description: 'Kind of a search result.',
  valuesMap: {
    NODE: { description: 'A node: query `node(id:)`.' },
    CHAIN: { description: 'A chain: query `chain(id:)`.' },
    SUBMISSION: { description: 'A submission: query `submission(id:)`.' },
    BLOCK: { description: 'A block of a chain: query `blocks` with its chain and height.' },
    INCIDENT: { description: 'An incident: query `incident(id:)`.' },
  },
});

@ObjectType({ description: 'A search result.' })
export class SearchHit {
  @Field(() => SearchKinds, { description: 'Kind of the result.' }) readonly kind: SearchKind;
  @id('Id to query it by; for a block, `chain/height`.') readonly id: string;
  @text('Description in one line.') readonly title: string;
  @text('Path of its page on this server.') readonly url: string;
}
