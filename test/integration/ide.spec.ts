import { readFileSync } from 'node:fs';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { getIntrospectionQuery, parse, validate } from 'graphql';
import { textsOf } from '../support/page-blocks.js';
import { useApi } from '../support/use-database.js';

describe('the page to ask GraphQL on', () => {
  const api = useApi();

  it('has every question of the page on GraphQL ready, and each is one that the schema takes', async () => {
    const examples = JSON.parse(readFileSync('src/api/ide/static/examples.json', 'utf8')) as {
      query: string;
    }[];
    const { schema } = api.app.get(GraphQLSchemaHost);
    for (const { query } of examples) expect([query, validate(schema, parse(query))]).toEqual([query, []]);
    const asked = textsOf('docs/graphql.md', 'graphql');
    expect(asked.length).toBeGreaterThan(6);
    expect(examples.map(({ query }) => query)).toEqual(expect.arrayContaining(asked));
  });

  it('can ask for the whole schema, with everything that is said of it', async () => {
    const query = getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true });
    expect(await api.codesOf(query)).toEqual([]);
  });
});
