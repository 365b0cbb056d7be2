import { parseExactJson } from '../domain/exact-json.js';
import { isNestedTooDeep } from '../domain/json-depth.js';
import type { HttpResponse } from '../platform/http-messages.js';
import { answered, refused, type NodeAnswer, type Refused } from './answer.js';
import { decodeText, isHtml } from './body-text.js';
import { isObject, type WireObject } from './wire-values.js';

/** A body that was JSON, whatever its content type said. */
export interface JsonBody {
  readonly ok: true;
  /** Integers beyond 2^53 are exact. */
  readonly json: unknown;
  readonly text: string;
  /** The body in base64, where it held bytes that are no UTF-8. */
  readonly original?: string;
}

/** Reads a body as JSON; a page, a cut or broken body comes back as a refusal with its evidence. */
export function readJson(response: HttpResponse): JsonBody | Refused {
  const { body, truncated } = response;
  if (truncated) return refused(response, 'INVALID', `the answer is longer than ${body.length} bytes`);
  const decoded = decodeText(body);
  if (isNestedTooDeep(decoded.text)) {
    return refused(response, 'INVALID', 'answered JSON that is nested too deep');
  }
  try {
    return { ok: true, json: parseExactJson(decoded.text), ...decoded };
  } catch {
    return refused(response, 'INVALID', whyNotJson(response));
  }
}

/** Makes a value of a body that must be a JSON object; what `read` throws refuses it. */
export function readObjectAnswer<T>(
  response: HttpResponse,
  read: (object: WireObject, body: JsonBody) => T,
  notObject = 'answered JSON that is not an object',
): NodeAnswer<T> {
  const body = readJson(response);
  if (!body.ok) return body;
  if (!isObject(body.json)) return refused(response, 'INVALID', notObject);
  try {
    return answered(response, read(body.json, body));
  } catch (error) {
    return refused(response, 'INVALID', (error as Error).message);
  }
}

function whyNotJson(response: HttpResponse): string {
  if (response.body.length === 0) return 'answered nothing where JSON is due';
  return isHtml(response.body)
    ? 'answered a web page where JSON is due'
    : 'answered something that is not JSON';
}
