import { escapeLiteral } from 'pg';
import { SqlParameters } from '../graphql/sql-text.js';

/** As {@link SqlParameters}, for statements that take none, such as COPY: what is added stands in the text, escaped. */
export class SqlLiterals extends SqlParameters {
  override add(value: unknown, type: string): string {
    return Array.isArray(value)
      ? `ARRAY[${value.map(toLiteral).join(', ')}]::${type}`
      : `${toLiteral(value)}::${type}`;
  }
}

/** Texts hold no U+0000, which ends a statement: whoever takes them from outside refuses it. */
function toLiteral(value: unknown): string {
  if (typeof value === 'string') return escapeLiteral(value);
  if (typeof value === 'bigint' || typeof value === 'number') return `'${value}'`;
  throw new TypeError('a literal that is neither a text nor a number');
}
