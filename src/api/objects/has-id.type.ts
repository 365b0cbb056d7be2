import { InterfaceType } from '@nestjs/graphql';
import { id } from '../graphql/fields.js';

/** A value of the query `object`, with the name of its GraphQL type. */
export interface Typed {
  readonly rowType: string;
}

@InterfaceType({
  description:
    'A row that is told apart by its id among those of its type, for ever. `object` finds it again.',
  resolveType: (value: Typed) => value.rowType,
})
export abstract class HasId {
  @id('Ours, and stable: nothing else of its type ever has it. To be taken as a whole, not apart.')
  readonly id: string;
}

export const VERSION =
  'Under this caches of clients keep the row. It is `id`; with `asOf` or `knownAt` it tells the row of that past from the same row of today.';
