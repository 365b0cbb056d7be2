/** SQL of the text of a row `t` of a read model, without its change number, which depends on how the log was cut. */
export const CONTENT = "(to_jsonb(t) - 'change')::text";

/** The tables of a projection whose rows do not depend on how the log was cut. */
export function contentTables(tables: readonly string[]): string[] {
  return tables.filter((table) => table !== 'record_change');
}
