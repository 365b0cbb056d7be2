import { isObjectType, type GraphQLSchema } from 'graphql';

/** The name of the resolver that Nest generates for a field that only reads a property. */
const READS_PROPERTY = 'rootFieldResolver';

/**
 * Removes the resolvers that only read the property of the field's name; the default resolver does the same. Without a resolver,
 * a compiled query reads the property in place, instead of building the resolver's arguments and waiting for its result.
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

/** Describes the root types, which no class declares. */
export function withDescribedRoots(schema: GraphQLSchema): GraphQLSchema {
  const [query, mutation, subscription] = [
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ];
  if (query) query.description = 'Queries. They never change anything.';
  if (mutation)
    mutation.description = 'Changes. Each change is recorded as an event, with the name of the key.';
  if (subscription)
    subscription.description =
      'Events about new records, about a second after they are recorded, over a WebSocket at the same path (graphql-transport-ws). An event can come twice. Events are not repeated after a lost connection: page the lists with `updatedSince`.';
  return schema;
}
