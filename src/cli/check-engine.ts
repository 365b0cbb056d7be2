import { SignJWT } from 'jose';
import { duration } from '../domain/health/health-rule.js';
import type { Millis } from '../domain/time.js';
import { firstLine, readJson } from '../node-api/answer.js';
import { SMALL } from '../node-api/limits.js';
import { isObject } from '../node-api/wire-values.js';
import type { Clock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import type { HttpClient } from '../platform/http.js';
import type { HttpResponse } from '../platform/http-messages.js';
import { redactText } from '../platform/redact.js';
import type { CheckReport } from './check-report.js';
import { readGivenSecret } from './given-secret.js';

const SECRET = /^(?:0x)?([0-9a-f]{64})$/i;
/** Asks for the client's name. It changes nothing, and the client logs no warning. */
const QUESTION = {
  jsonrpc: '2.0',
  id: 1,
  method: 'engine_getClientVersionV1',
  params: [{ code: 'HS', name: 'hindsight', version: '0', commit: '0x00000000' }],
};
/** The clocks of both sides may differ by this much (execution-apis, authentication.md). */
const TOLERANCE_MS: Millis = 60_000;

/**
 * Tries once whether the Engine API accepts the secret. The secret can move the head, so Hindsight never polls with it.
 * @throws UserError if the file cannot be read or has no secret
 */
export async function checkEngine(
  http: HttpClient,
  clock: Clock,
  { url, secretFile }: { readonly url: string; readonly secretFile: string },
  signal: AbortSignal,
): Promise<CheckReport> {
  const secret = await readSecret(secretFile);
  const issuedAtS = Math.floor(clock.now() / 1000);
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(issuedAtS)
    .sign(secret);
  const headers = { authorization: `Bearer ${token}` };
  const result = await http.request({ url, json: JSON.stringify(QUESTION), headers, limits: SMALL, signal });
  if (result.kind === 'failure') {
    const detail = redactText(`${result.reason.toLowerCase().replaceAll('_', ' ')}: ${result.detail}`);
    return { facts: [['Engine API', detail]], recordable: [], lacking: [] };
  }
  const facts: [string, string][] = [
    ['Engine API', verdictOf(result, token)],
    ['Client', clientOf(result) ?? 'not reported'],
    ['Clocks', clocksText(result.nodeClock, clock.now())],
  ];
  return { facts, recordable: [], lacking: [] };
}

async function readSecret(file: string): Promise<Uint8Array> {
  const text = await readGivenSecret(file);
  const hex = SECRET.exec(text ?? '')?.[1];
  if (hex === undefined)
    throw new UserError(
      'The file has no secret of the Engine API.',
      'Give the file with 64 hexadecimal digits that the execution client uses.',
    );
  return Buffer.from(hex, 'hex');
}

function verdictOf(response: HttpResponse, token: string): string {
  const { status, body } = response;
  const text = redactText(firstLine(body).replaceAll(token, '…'));
  if (status === 401) return `refuses the secret: ${text || 'without a reason'}`;
  if (status === 403)
    return `refuses the name in the address (${text}): allow the name in --authrpc.vhosts, or use an address`;
  if (status !== 200) return `answers ${status}: ${text || 'without a reason'}`;
  return answerOf(response) === undefined ? 'answers something else than JSON-RPC' : 'accepts the secret';
}

function answerOf(response: HttpResponse): Readonly<Record<string, unknown>> | undefined {
  const body = readJson(response);
  return body.ok && isObject(body.json) ? body.json : undefined;
}

function clientOf(response: HttpResponse): string | undefined {
  const result = answerOf(response)?.['result'];
  const first: unknown = Array.isArray(result) ? result[0] : undefined;
  if (!isObject(first)) return undefined;
  const { name, version } = first;
  return typeof name === 'string' && typeof version === 'string'
    ? `${name} ${version}`.slice(0, 100)
    : undefined;
}

/** The `Date` header has whole seconds. */
function clocksText(theirs: Millis | undefined, ours: Millis): string {
  if (theirs === undefined) return 'not comparable: the answer has no Date header';
  const difference = theirs - ours;
  const size = duration(Math.round(Math.abs(difference) / 1000) * 1000);
  if (Math.abs(difference) < 2_000) return 'equal';
  const side = difference > 0 ? 'ahead of ours' : 'behind ours';
  return Math.abs(difference) > TOLERANCE_MS
    ? `${size} ${side}: tokens are refused above 60 s; set the clocks`
    : `${size} ${side}; up to 60 s are accepted`;
}
