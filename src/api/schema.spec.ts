import { readFileSync } from 'node:fs';
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  type GraphQLArgument,
  type GraphQLNamedType,
} from 'graphql';

const schema = buildSchema(readFileSync(new URL('schema.gql', import.meta.url), 'utf8'));
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

type Described = readonly [place: string, description: string | null | undefined];

function describedIn(type: GraphQLNamedType): Described[] {
  const own: Described = [type.name, type.description];
  if (isEnumType(type))
    return [
      own,
      ...type.getValues().map((each): Described => [`${type.name}.${each.name}`, each.description]),
    ];
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [own];
  const fields = Object.values(type.getFields()).flatMap((field): Described[] => {
    const place = `${type.name}.${field.name}`;
    const args: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
    return [
      [place, field.description],
      ...args.map((arg): Described => [`${place}(${arg.name})`, arg.description]),
    ];
  });
  return [own, ...fields];
}

describe('the schema of GraphQL, as it is printed', () => {
  it('describes every type, field, argument and value', () => {
    const places = types.flatMap(describedIn);
    expect(places.length).toBeGreaterThan(800);
    const bare = places.filter(([, description]) => !/\p{L}{2}.*[.:)]$/su.test(description?.trim() ?? ''));
    expect(bare.map(([place]) => place)).toEqual([]);
  });

  it('names the specification of each of our scalars', () => {
    const scalars = types.filter(isScalarType);
    expect(scalars.map(({ name }) => name)).toEqual(['DateTime', 'Decimal', 'Int64', 'JSON']);
    for (const { specifiedByURL } of scalars) expect(specifiedByURL).toMatch(/^https:\/\//);
  });
});
