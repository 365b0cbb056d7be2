import { ObjectType } from '@nestjs/graphql';
import { field, id, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';

const SearchKinds = enumOf('SearchKind', 'Kind of a search result.', {
  NODE: 'A node: query `node(id:)`.',
  CHAIN: 'A chain: query `chain(id:)`.',
  SUBMISSION: 'A submission: query `submission(id:)`.',
  BLOCK: 'A block of a chain: query `blocks` with its chain and height.',
  INCIDENT: 'An incident: query `incident(id:)`.',
});
export type SearchKind = keyof typeof SearchKinds;

@ObjectType({ description: 'A search result.' })
export class SearchHit {
  @field(() => SearchKinds, 'Kind of the result.') readonly kind: SearchKind;
  @id('Id to query it by; for a block, `chain/height`.') readonly id: string;
  @text('Description in one line.') readonly title: string;
  @text('Path of its page on this server.') readonly url: string;
}
