import { readFileSync } from 'node:fs';
import { request as send } from 'node:http';

/** A request and its answer, as test/fixtures/celestia-node and test/fixtures/execution-layer have them. */
export interface RecordedExchange {
  readonly case: string;
  readonly state?: string;
  readonly token?: 'none' | 'public' | 'read' | 'write' | 'admin';
  readonly file?: string;
  readonly port?: 'public' | 'engine';
  readonly host?: string;
  readonly hasToken?: boolean;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** @param name below test/fixtures */
export function readExchanges(name: string): RecordedExchange[] {
  const text = readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedExchange);
}

/** Sends a request with exactly these headers. */
export function sendRaw(
  base: string,
  { method, path, headers, body }: RecordedExchange['request'],
  more: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = send(`${base}${path}`, { method, headers: { ...headers, ...more }, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => (text += piece));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    outgoing.end(body);
  });
}

/** An answer of JSON-RPC, with its body. */
export interface RpcAnswer extends RawAnswer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Calls a method of JSON-RPC. */
export async function callMethod(
  base: string,
  name: string,
  params: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<RpcAnswer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params });
  const ofJson = { 'content-type': 'application/json' };
  const answer = await sendRaw(base, { method: 'POST', path: '/', headers: ofJson, body }, headers);
  return answer.body === '' ? answer : { ...answer, ...(JSON.parse(answer.body) as object) };
}

/** The form of an answer: errors whole, the rest by the names and types of its members. Numbers within errors are left out. */
export function formOf(body: string): unknown {
  try {
    return formOfValue(JSON.parse(body));
  } catch {
    return body;
  }
}

function formOfValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [formOfValue(value[0])];
  if (value === null || typeof value !== 'object') return value === null ? null : typeof value;
  if ('error' in value) return { ...value, error: withoutNumbers(value.error) };
  const members = Object.entries(value).map(([name, each]) => [name, formOfValue(each)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutNumbers(error: unknown): unknown {
  const { code, message } = error as { code: number; message: string };
  const text = message
    .replace(/networkHeight: \d+/, 'networkHeight: N')
    .replace(/hash [0-9A-F]{64}/, 'hash H');
  return { code, message: text };
}
