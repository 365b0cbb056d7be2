import type { DaToken } from './events.js';

const NEVER = '0001-01-01T00:00:00Z';
const LONGEST_TOKEN = 10_000;
/** Permissions with which a token can spend or administrate. Hindsight needs none of them. */
const BEYOND_READING: readonly string[] = ['write', 'admin'];

/**
 * The rights and the end of a celestia-node token, from its own payload `{"Allow": […], "Nonce", "ExpiresAt"}`. Nothing is
 * verified: only the DA node can. Null if it is not such a token.
 */
export function readDaToken(token: string): DaToken | null {
  const payload = token.length > LONGEST_TOKEN ? undefined : token.split('.')[1];
  if (payload === undefined) return null;
  try {
    const { Allow, ExpiresAt } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
    if (!Array.isArray(Allow)) return null;
    const permissions = Allow.filter(
      (each): each is string => typeof each === 'string' && /^[a-z]{1,20}$/.test(each),
    );
    const isTime =
      typeof ExpiresAt === 'string' && ExpiresAt !== NEVER && Number.isFinite(Date.parse(ExpiresAt));
    return {
      permissions: [...new Set(permissions)].slice(0, 10).sort(),
      expiresAt: isTime ? new Date(ExpiresAt).toISOString() : null,
    };
  } catch {
    return null;
  }
}

/** Whether a token can do more than read. */
export function mayWrite({ permissions }: DaToken): boolean {
  return permissions.some((each) => BEYOND_READING.includes(each));
}
