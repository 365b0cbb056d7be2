/** JSON in which a `bigint` is a number with all its digits. */
export function printJson(value: unknown): string {
  const marked = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? `@int64:${each}` : each,
  );
  return marked.replace(/"@int64:(-?\d+)"/g, '$1');
}
