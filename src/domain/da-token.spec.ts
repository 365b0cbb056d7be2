import { mayWrite, readDaToken } from './da-token.js';

const tokenOf = (payload: unknown): string =>
  `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;

describe('a token of a DA node', () => {
  it('says its permissions and its end', () => {
    const token = tokenOf({ Allow: ['public', 'read'], Nonce: 'x', ExpiresAt: '2026-12-01T10:00:00Z' });
    expect(readDaToken(token)).toEqual({
      permissions: ['public', 'read'],
      expiresAt: '2026-12-01T10:00:00.000Z',
    });
  });

  it('without an end never expires', () => {
    const token = readDaToken(
      tokenOf({ Allow: ['public', 'read', 'write'], ExpiresAt: '0001-01-01T00:00:00Z' }),
    );
    expect(token).toEqual({ permissions: ['public', 'read', 'write'], expiresAt: null });
    expect(token && mayWrite(token)).toBe(true);
  });

  it.each(['', 'word', 'a.b.c', tokenOf({ Allow: 'read' }), tokenOf(null), `a.${'x'.repeat(20_000)}.b`])(
    'is not read from %.20s',
    (text) => {
      expect(readDaToken(text)).toBeNull();
    },
  );
});
