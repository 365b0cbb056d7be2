import { printJson } from '../../domain/node-interface/print-json.js';
import type { DevnodeAnswer, NodeRequest } from '../http-server.js';

/** A call that geth answers with an error, always with status 200. */
export class EthError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Calls a method with its parameters, or throws an `EthError`. */
export type EthCall = (method: string, params: readonly unknown[]) => unknown;

/** Answers a request as geth's HTTP server does, after authentication. */
export function answerEth({ method, path, headers, body }: NodeRequest, call: EthCall): DevnodeAnswer {
  if (path !== '/') return { status: 404, body: '' };
  if (method === 'GET') return { status: 200, body: '' };
  if (method !== 'POST') return refuseHttp(405, 'method not allowed');
  if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
    return refuseHttp(415, 'invalid content type, only application/json is supported');
  const answer = body === '' ? '' : answerBody(body, call);
  return { status: 200, type: 'application/json', body: answer };
}

/** A refusal as text, as Go's `http.Error` writes it. */
export function refuseHttp(status: number, text: string): DevnodeAnswer {
  const headers = { 'x-content-type-options': 'nosniff' };
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n`, headers };
}

function answerBody(body: string, call: EthCall): string {
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return describeError(null, new EthError(-32700, 'parse error'));
  }
  if (!Array.isArray(request)) return answerOne(request, call);
  if (request.length === 0) return describeError(null, new EthError(-32600, 'empty batch'));
  const answers = (request as unknown[]).map((each) => answerOne(each, call));
  return `[${answers.filter((each) => each !== '').join(',')}]`;
}

function answerOne(request: unknown, call: EthCall): string {
  const { id, method, params = [] } = (request ?? {}) as Record<string, unknown>;
  if (typeof method !== 'string') return describeError(id ?? null, new EthError(-32600, 'invalid request'));
  try {
    if (!Array.isArray(params)) throw new EthError(-32602, 'non-array args');
    const result = call(method, params) ?? null;
    return id === undefined ? '' : printJson({ jsonrpc: '2.0', id, result });
  } catch (error) {
    if (!(error instanceof EthError)) throw error;
    return id === undefined ? '' : describeError(id, error);
  }
}

function describeError(id: unknown, { code, message }: EthError): string {
  return printJson({ jsonrpc: '2.0', id, error: { code, message } });
}
