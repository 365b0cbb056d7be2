/**
 * A query with values in the place of its variables, ready to paste.
 * @param question a document whose first operation is a query with variables
 * @param variables texts, numbers, or null
 */
export function withValues(question: string, variables: object): string {
  const given = new Map<string, unknown>(Object.entries(variables));
  return question
    .replace(/^query\s+\w+\s*\([^)]*\)/, 'query')
    .replace(/\$(\w+)/g, (_, name: string) => JSON.stringify(given.get(name) ?? null))
    .trim();
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
