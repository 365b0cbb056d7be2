import { InterfaceType } from '@nestjs/graphql';
import { id } from '../graphql/fields.js';

/** A value of the query `object`, with the name of its GraphQL type. */
export interface Typed {
  readonly rowType: string;
}

@InterfaceType({
  description: 'A row with a permanent id that is unique within its type. `object` finds the row by this id.',
  resolveType: (value: Typed) => value.rowType,
})
export abstract class HasId {
  @id("Hindsight's own stable id; no other row of the type ever gets it. Do not parse it.")
  readonly id: string;
}

export const VERSION =
  "Key for client caches: same as `id`. With `asOf` or `knownAt` it differs, so that a cache does not mix up the row of that time with today's row.";
