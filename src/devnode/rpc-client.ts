import type { Millis } from '../domain/time.js';
import { printJson } from '../domain/node-interface/print-json.js';
import type { FailureReason } from '../platform/http-failure.js';
import { HttpClient } from '../platform/http.js';

/** The end of a call of JSON-RPC. */
export type RpcOutcome =
  | { readonly kind: 'result'; readonly result: unknown }
  /** The method failed, with the text of the server. */
  | { readonly kind: 'error'; readonly message: string }
  /** An HTTP answer that is no JSON-RPC. */
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'failure'; readonly reason: FailureReason };

interface RpcRequest {
  readonly url: string;
  readonly method: string;
  readonly params: readonly unknown[];
  /** Sent as a bearer token. */
  readonly token?: string | undefined;
  readonly timeoutMs: Millis;
  readonly signal?: AbortSignal;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Never closed: its idle sockets keep no process alive. */
const http = new HttpClient();

/** Calls another process of the rig; never rejects. Without an answer, it resolves as soon as `signal` is aborted. */
export async function callRpc(request: RpcRequest): Promise<RpcOutcome> {
  const { url, method, params, token, timeoutMs, signal } = request;
  const answer = await http.request({
    url,
    json: printJson({ jsonrpc: '2.0', id: 1, method, params }),
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    limits: { bodyBytes: MAX_ANSWER_BYTES, headersMs: timeoutMs, totalMs: timeoutMs },
    ...(signal && { signal }),
  });
  if (answer.kind === 'failure') return { kind: 'failure', reason: answer.reason };
  const { error, ...rest } = readAnswer(answer.body.toString('utf8'));
  if (typeof error?.message === 'string') return { kind: 'error', message: error.message };
  return 'result' in rest
    ? { kind: 'result', result: rest.result }
    : { kind: 'status', status: answer.status };
}

function readAnswer(body: string): { result?: unknown; error?: { message?: unknown } } {
  try {
    return (JSON.parse(body) ?? {}) as object;
  } catch {
    return {};
  }
}
