import { isObjectType, type GraphQLSchema } from 'graphql';

/** What the schema is built with for a field of a class that nothing else resolves. */
const READS_PROPERTY = 'rootFieldResolver';

/**
 * Takes away the resolvers that only read the property of the field's name: without one, whatever executes does just that. A
 * compiled query then reads it in place, instead of describing the field to a function and waiting for what it gives.
 */
export function withPlainFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.resolve?.name === READS_PROPERTY) delete field.resolve;
    }
  }
  return schema;
}

/** Says what the two types are that no class declares. */
export function withDescribedRoots(schema: GraphQLSchema): GraphQLSchema {
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  if (query) query.description = 'Questions. None of them changes anything.';
  if (mutation) mutation.description = 'Changes. Each is recorded as an event, with the name of the key.';
  return schema;
}
