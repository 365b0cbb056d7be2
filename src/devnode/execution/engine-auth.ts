import { compactVerify } from 'jose';

/** The largest distance of `iat` from the clock, in seconds (execution-apis, authentication.md). */
const TOLERANCE_S = 60;

/**
 * Checks the token of the Engine API as geth does.
 * @param header the `authorization` header
 * @param secret 32 bytes
 * @returns geth's text for a refusal; undefined for a good token
 */
export async function refuseEngineToken(
  header: string | undefined,
  secret: Uint8Array,
  nowMs: number,
): Promise<string | undefined> {
  const [, token = ''] = /^bearer (.*)$/i.exec(header ?? '') ?? [];
  if (token === '') return 'missing token';
  const parts = token.split('.');
  if (parts.length !== 3) return 'token contains an invalid number of segments';
  const head = readPart(parts[0]);
  if (typeof head === 'string') return head;
  const claims = readPart(parts[1]);
  if (typeof claims === 'string') return claims;
  if (head['alg'] !== 'HS256') return `signing method ${String(head['alg'])} is invalid`;
  try {
    await compactVerify(token, secret, { algorithms: ['HS256'] });
  } catch {
    return 'signature is invalid';
  }
  return refuseClaims(claims, nowMs / 1000);
}

function refuseClaims(claims: Record<string, unknown>, nowS: number): string | undefined {
  const { exp, iat } = claims;
  if (exp !== undefined && Number(exp) < nowS) return 'token is expired';
  if (iat === undefined) return 'missing issued-at';
  if (nowS - Number(iat) > TOLERANCE_S) return 'stale token';
  if (Number(iat) - nowS > TOLERANCE_S) return 'future token';
  return undefined;
}

/** The object in a part of a token, or the text of Go's JSON decoder. */
function readPart(part = ''): Record<string, unknown> | string {
  const text = Buffer.from(part, 'base64url').toString('latin1');
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return text === ''
      ? 'unexpected end of JSON input'
      : `invalid character '${text.charAt(0)}' looking for beginning of value`;
  }
}
