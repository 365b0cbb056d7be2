import { printJson } from '../../domain/node-interface/print-json.js';
import type { DevnodeAnswer } from '../http-server.js';

/** A method failed: `error.code` 1 with this text. */
export class DaFailure extends Error {}

/** A call that reached no method: not for this transport (-32601), parameters of the wrong number (-32602) or type (-32700). */
export class DaProtocolError extends Error {
  constructor(
    readonly code: -32601 | -32602 | -32700,
    message: string,
  ) {
    super(message);
  }
}

/** Calls a method with its `params`; undefined when there is no such method. Rejects with one of the errors above. */
export type DaCall = (method: string, params: unknown) => Promise<unknown> | undefined;

interface Reply {
  readonly status: number;
  readonly body: string;
}

const INVALID: Reply = reply(400, { code: -32600, message: 'Invalid request' }, null);
const UNREADABLE: Reply = reply(500, { code: -32700, message: 'Parse error' }, null);

/**
 * Answers a body as celestia-node does (go-jsonrpc): keys sorted, a line break at the end, an error of the protocol with status
 * 500, a failed method with 200. A request without an id, or with `null`, is carried out and gets an empty answer.
 */
export async function answerDaRpc(body: string, call: DaCall): Promise<DevnodeAnswer> {
  if (body.trim() === '') return toAnswer(INVALID);
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return toAnswer(UNREADABLE);
  }
  if (!Array.isArray(request)) return toAnswer(await answerOne(request, call));
  if (request.length === 0) return toAnswer(INVALID);
  const replies: string[] = [];
  for (const each of request as unknown[]) replies.push((await answerOne(each, call)).body);
  return toAnswer({ status: 200, body: `[${replies.filter((text) => text !== '').join(',')}]` });
}

/** The answer to whatever is not sent by POST. */
export const DA_INVALID_REQUEST = toAnswer(INVALID);

async function answerOne(request: unknown, call: DaCall): Promise<Reply> {
  if (typeof request !== 'object' || request === null) return UNREADABLE;
  const { id = null, method: name, params } = request as Record<string, unknown>;
  const method = typeof name === 'string' ? name : '';
  const result = call(method, params);
  // A request without a method has no id to answer to: the recorded node answers it all the same.
  if (result === undefined) return reply(500, { code: -32601, message: `method '${method}' not found` }, id);
  try {
    const value = (await result) ?? null;
    return id === null
      ? { status: 200, body: '' }
      : { status: 200, body: toLine({ id, jsonrpc: '2.0', result: value }) };
  } catch (error) {
    if (error instanceof DaProtocolError) return reply(500, { code: error.code, message: error.message }, id);
    if (error instanceof DaFailure) return reply(200, { code: 1, message: error.message }, id);
    throw error;
  }
}

function reply(status: number, error: { code: number; message: string }, id: unknown): Reply {
  return { status, body: toLine({ error, id, jsonrpc: '2.0' }) };
}

/** Go's encoder escapes what could end a script in a page. */
function toLine(value: object): string {
  const escaped = printJson(value).replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);
  return `${escaped}\n`;
}

function toAnswer({ status, body }: Reply): DevnodeAnswer {
  return { status, type: 'application/json', body };
}
