import { CompactSign, compactVerify } from 'jose';
import { seededBytes } from '../seeded-random.js';

/** The permissions of a DA node, each with what it adds to the one before it. */
export const DA_LEVELS = ['public', 'read', 'write', 'admin'] as const;
export type DaLevel = (typeof DA_LEVELS)[number];

/** The time that celestia-node writes into a token that never expires. */
const NEVER = '0001-01-01T00:00:00Z';

/** Makes and checks the tokens of a DA node: JWTs signed by HS256, with the claims that celestia-node writes. */
export class DaTokens {
  private readonly secret: Uint8Array;
  private made = 0;

  constructor(private readonly seed: string) {
    this.secret = seededBytes(32, seed, 'da token secret');
  }

  /** @param expiresAt RFC 3339; without it the token never expires */
  make(level: DaLevel, expiresAt = NEVER): Promise<string> {
    this.made += 1;
    const Nonce = seededBytes(32, this.seed, 'nonce', this.made).toString('base64');
    const claims = { Allow: permissionsOf(level), Nonce, ExpiresAt: expiresAt };
    return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(this.secret);
  }

  /** Permissions of a token; undefined for a malformed, foreign or expired one. */
  async read(token: string, nowMs: number): Promise<readonly string[] | undefined> {
    try {
      const { payload } = await compactVerify(token, this.secret, { algorithms: ['HS256'] });
      const claims = JSON.parse(new TextDecoder().decode(payload)) as { Allow: string[]; ExpiresAt: string };
      const isExpired = claims.ExpiresAt !== NEVER && Date.parse(claims.ExpiresAt) <= nowMs;
      return isExpired ? undefined : claims.Allow;
    } catch {
      return undefined;
    }
  }
}

export function permissionsOf(level: DaLevel): readonly DaLevel[] {
  return DA_LEVELS.slice(0, DA_LEVELS.indexOf(level) + 1);
}
