import { isHtml } from '../node-api/answer.js';
import { snakeCase, type WireObject } from '../node-api/wire-values.js';
import type { HttpResult } from '../platform/http-messages.js';
import { asSpecified, missing, otherwise, type CheckFinding } from './check.js';
import { memberAt } from './node-answers.js';

const LONGEST_VALUE = 40;

/** An answer in a few words: its status and content, or why there is none. */
export function describeAnswer(result: HttpResult): string {
  if (result.kind === 'failure') return `no answer: ${result.detail}`;
  const { status, body, contentType } = result;
  const type = contentType.split(';', 1)[0] ?? '';
  if (body.length === 0) return `${status}, empty`;
  return `${status}, ${isHtml(body) ? 'a web page' : type === '' ? `${body.length} bytes` : type}`;
}

/** A value as JSON, cut to 40 characters. */
export function describeValue(value: unknown): string {
  const text =
    typeof value === 'bigint'
      ? String(value)
      : (JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)) ??
        'nothing');
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** The type of a field in the specification. */
export type FieldType = 'integer' | 'string' | 'object' | 'boolean' | 'array of string';

/** Finds a field by its path of camelCase names, and compares it with the specification's snake_case name and type. */
export function judgeField(object: WireObject, path: string, type: FieldType): CheckFinding {
  const value = memberAt(object, path);
  if (value === undefined) return missing('left out');
  const specified = snakeCase(path);
  const isNamed = path === specified || namedAt(object, specified) !== undefined;
  const name = isNamed ? '' : `${path.split('.').at(-1)}, `;
  const isTyped = typeOf(value) === type;
  const found = `${name}${isTyped ? '' : `${typeOf(value)} `}${describeValue(value)}`;
  return isNamed && isTyped ? asSpecified(found) : otherwise(found);
}

function namedAt(object: WireObject, path: string): unknown {
  let value: unknown = object;
  for (const name of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as WireObject)[name] : undefined;
  }
  return value;
}

function typeOf(value: unknown): FieldType | 'number' | 'null' | 'array' {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === 'string') ? 'array of string' : 'array';
  }
  switch (typeof value) {
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    default:
      return 'object';
  }
}
