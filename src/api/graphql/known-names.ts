import { defaultFieldResolver, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { Database } from '../../platform/sql.js';
import { type RequestedNames, requireKnownNames } from '../../statistics/read/known-names.query.js';

type FieldArguments = Readonly<Record<string, unknown>>;

/** Query arguments and filter members that name nodes or chains. */
const NAMING = new Set(['node', 'nodes', 'chain', 'chains']);
/** Queries whose `id` is the name itself. */
const NAMED = new Set(['node', 'chain']);

/** Makes each query reject a node or chain that was never configured and never recorded. */
export function withKnownNames(schema: GraphQLSchema, source: Pick<Database, 'query'>): GraphQLSchema {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    if (!canName(field)) continue;
    const { resolve = defaultFieldResolver } = field;
    field.resolve = async (parent, args: FieldArguments, ...rest): Promise<unknown> => {
      await requireKnownNames(source, namesOf(field.name, args), { log: field.name === 'events' });
      return resolve(parent, args, ...rest);
    };
  }
  return schema;
}

function canName({ name, args }: GraphQLField<unknown, unknown>): boolean {
  return NAMED.has(name) || args.some((arg) => arg.name === 'filter' || NAMING.has(arg.name));
}

function namesOf(question: string, args: FieldArguments): RequestedNames {
  const filter = (args['filter'] ?? {}) as FieldArguments;
  const given = { ...filter, ...args, ...(NAMED.has(question) && { [question]: args['id'] }) };
  return {
    nodes: [given['node'], given['nodes']].flat().filter(isText),
    chains: [given['chain'], given['chains']].flat().filter(isText),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
