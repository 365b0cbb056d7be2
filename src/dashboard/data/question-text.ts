/** Types whose values are written as in JSON; all others of our variables are enums. */
const SCALARS = new Set(['String', 'ID', 'Int', 'Int64', 'Float', 'Boolean', 'DateTime', 'Decimal']);

/**
 * A query with values in the place of its variables, ready to paste.
 * @param question a document whose first operation is a query with variables
 * @param variables texts, numbers, enums, lists of them, or null
 */
export function withValues(question: string, variables: object): string {
  const given = new Map<string, unknown>(Object.entries(variables));
  const types = new Map<string, string>();
  for (const [, name = '', type = ''] of question.matchAll(/\$(\w+):\s*\[?(\w+)/g))
    if (!types.has(name)) types.set(name, type);
  return question
    .replace(/^query\s+\w+\s*\([^)]*\)/, 'query')
    .replace(/\$(\w+)/g, (_, name: string) => literal(given.get(name) ?? null, types.get(name) ?? ''))
    .trim();
}

function literal(value: unknown, type: string): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, type)).join(', ')}]`;
  return typeof value === 'string' && /^\w+$/.test(value) && !SCALARS.has(type)
    ? value
    : JSON.stringify(value);
}

/** A shell command that sends the query; it refers to the key by the name of a variable and never contains it. */
export function toCurl(origin: string, question: string, variables: object, needsKey: boolean): string {
  const body = JSON.stringify({ query: question.replace(/\s+/g, ' ').trim(), variables });
  const key = needsKey ? [` -H "x-api-key: $HINDSIGHT_KEY"`] : [];
  return [
    `curl -s ${quoted(`${origin}/graphql`)} -H 'content-type: application/json'`,
    ...key,
    ` -d ${quoted(body)}`,
  ].join('');
}

/** Quotes any text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
