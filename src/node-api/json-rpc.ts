import type { SystemOutcome } from '../domain/events.js';
import type { Clock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import type { HttpLimits, HttpResponse } from '../platform/http-messages.js';
import { redactText } from '../platform/redact.js';
import { describeStatus, readJson } from './answer.js';
import { NodeServer } from './node-server.js';
import { isObject } from './wire-values.js';

/** A refusal or a failure of a call. */
export interface RpcFailure {
  readonly ok: false;
  /** `FAILED`: the server is well, and the method answered an error. `BUSY`: 429. */
  readonly outcome: Exclude<SystemOutcome, 'OK'> | 'FAILED' | 'BUSY' | 'ABORTED';
  readonly statusCode: number | null;
  /** One line for people, without secrets. */
  readonly detail: string;
  /** The start of a body that could not be read. */
  readonly evidence?: string;
}

export type RpcAnswer<T> = { readonly ok: true; readonly value: T } | RpcFailure;

/** Where a system answers JSON-RPC. */
export interface RpcAccess {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Bearer`; read before each call. Null: none is set. */
  readonly token?: () => Promise<string | null>;
}

/** Text by which celestia-node says that a token lacks a right, or that there is none. It comes with status 200 and code 1. */
const NOT_PERMITTED = /^missing permission to invoke/;
const LONGEST_DETAIL = 300;
const SENDABLE = /^[\x21-\x7e]+$/;
/** Shorter texts are words, such as a port's name in a path. */
const SHORTEST_SECRET = 8;

/** JSON-RPC 2.0 by POST to one server. Never throws, follows no redirect, and repeats nothing. */
export class JsonRpc {
  constructor(
    private readonly http: HttpClient,
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly access: RpcAccess,
  ) {}

  /** @param read makes the value of `result`; an error that it throws means that the answer cannot be used */
  async call<T>(
    method: string,
    params: readonly unknown[],
    read: (result: unknown) => T,
    limits: HttpLimits,
    signal?: AbortSignal,
  ): Promise<RpcAnswer<T>> {
    let token: string | null;
    try {
      token = (await this.access.token?.()) ?? null;
    } catch (error) {
      return failure('REFUSED', null, (error as Error).message);
    }
    if (token !== null && !SENDABLE.test(token))
      return failure('REFUSED', null, 'the token has characters that no header can carry');
    const headers = {
      ...this.access.headers,
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const server = new NodeServer(this.http, this.clock, this.access.url, { headers });
    const json = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const result = await server.post('', json, limits, signal);
    const secrets = [...secretsOf(this.access), ...(token === null ? [] : [token])];
    const withoutSecrets = (text: string): string =>
      redactText(secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)).slice(
        0,
        LONGEST_DETAIL,
      );
    if (result.kind === 'failure') {
      const detail = withoutSecrets(`${result.reason.toLowerCase().replaceAll('_', ' ')}: ${result.detail}`);
      return failure(result.reason === 'ABORTED' ? 'ABORTED' : 'UNREACHABLE', null, detail);
    }
    const answer = readAnswer(result, method, read);
    if (answer.ok) return answer;
    const { detail, evidence, ...rest } = answer;
    return {
      ...rest,
      detail: withoutSecrets(detail),
      // Secrets cannot be found in base64.
      ...(evidence !== undefined &&
        !evidence.startsWith('base64:') && { evidence: withoutSecrets(evidence) }),
    };
  }
}

/** Texts in an address and its headers that may be keys. A server may repeat them in the text of an error. */
function secretsOf({ url, headers = {} }: RpcAccess): string[] {
  const segments = new URL(url).pathname.split('/');
  const login = (headers['authorization'] ?? '').replace(/^Basic /, '');
  const parts = Buffer.from(login, 'base64').toString('utf8').split(':');
  return [...segments, login, ...parts].filter(({ length }) => length >= SHORTEST_SECRET);
}

function failure(outcome: RpcFailure['outcome'], statusCode: number | null, detail: string): RpcFailure {
  return { ok: false, outcome, statusCode, detail };
}

function readAnswer<T>(response: HttpResponse, method: string, read: (result: unknown) => T): RpcAnswer<T> {
  const { status } = response;
  if (status === 401 || status === 403) {
    const text = response.body.toString('utf8').trim();
    return failure(
      'REFUSED',
      status,
      `it answers ${status}${text === '' ? ', as to a wrong or expired token' : `: ${text}`}`,
    );
  }
  if (status === 429) return failure('BUSY', status, describeStatus(response));
  const body = readJson(response);
  if (!body.ok || !isObject(body.json)) {
    const detail = body.ok ? 'answered JSON that is no answer of JSON-RPC' : body.detail;
    const evidence = body.ok ? body.text : body.evidence;
    return {
      ...failure('INVALID', status, status === 200 ? detail : describeStatus(response)),
      ...(evidence !== undefined && { evidence }),
    };
  }
  const { error, result } = body.json;
  if (isObject(error)) {
    const text = typeof error['message'] === 'string' ? error['message'] : 'an error without a text';
    if (NOT_PERMITTED.test(text)) return failure('NOT_PERMITTED', status, text);
    return failure('FAILED', status, text);
  }
  if (status !== 200) return failure('INVALID', status, describeStatus(response));
  try {
    return { ok: true, value: read(result) };
  } catch (problem) {
    const detail = `${method} answered something else than expected: ${(problem as Error).message}`;
    return { ...failure('INVALID', status, detail), evidence: body.text };
  }
}
