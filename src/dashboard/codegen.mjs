import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse, printSchema } from 'graphql';

// Generates the types of the pages' queries: a query that no longer fits the schema fails the build.
const DATA = new URL('data/', import.meta.url);
const ANSWERS = new URL('answers.gen.ts', DATA);
const SCHEMA = new URL('../api/schema.gql', import.meta.url);
const SCALARS = { DateTime: 'string', Int64: 'string', Decimal: 'string', JSON: 'unknown' };

const schema = buildSchema(readFileSync(SCHEMA, 'utf8'));
const questions = readdirSync(DATA)
  .filter((name) => name.endsWith('.graphql'))
  .toSorted();
const types = await codegen({
  filename: ANSWERS.pathname,
  schema: parse(printSchema(schema)),
  schemaAst: schema,
  documents: questions.map((location) => {
    const rawSDL = readFileSync(new URL(location, DATA), 'utf8');
    return { location, rawSDL, document: parse(rawSDL) };
  }),
  config: { enumsAsTypes: true, skipTypename: true, scalars: SCALARS },
  plugins: [{ operations: {} }],
  pluginMap: { operations },
});
// A check that runs next to the build finds the file whole, and an unchanged file stays as old as it is.
if (!existsSync(ANSWERS) || readFileSync(ANSWERS, 'utf8') !== types) {
  const part = new URL(`${ANSWERS.href}.${process.pid}`);
  writeFileSync(part, types);
  renameSync(part, ANSWERS);
}
