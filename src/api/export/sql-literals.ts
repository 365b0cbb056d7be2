import { escapeLiteral } from 'pg';
import { SqlParameters } from '../graphql/sql-text.js';

/** Like {@link SqlParameters}, for statements without parameters, such as COPY: values are escaped in the text. */
export class SqlLiterals extends SqlParameters {
  override add(value: unknown, type: string): string {
    return Array.isArray(value)
      ? `ARRAY[${value.map(toLiteral).join(', ')}]::${type}`
      : `${toLiteral(value)}::${type}`;
  }
}

/** Texts must not contain U+0000, which ends a statement: callers reject it in input. */
function toLiteral(value: unknown): string {
  if (typeof value === 'string') return escapeLiteral(value);
  if (typeof value === 'bigint' || typeof value === 'number') return `'${value}'`;
  throw new TypeError('a literal that is neither a text nor a number');
}
