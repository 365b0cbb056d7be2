import fc from 'fast-check';
import { holdsSecret, maskUrl, redactText, redactUrl } from './redact.js';
import { tries } from '../../test/support/tries.js';

/** Sample keys in the forms that providers issue. */
const KEYS = [
  '9aa3d95b3bc440fa88ea12eaa4456161',
  'a1b2c3d4-e5f6-7890-abcd-ef1234567890',
  'xK3_9vTqLw8-ZpRm2YcHd5sGfJ1nB7uE',
  '4f8a0c2e6b1d3957f0e2a4c6d8b0913572468ace',
  'Aq0cXjRLk2yVbN8sTgHd',
  'wqzkxjvbpmhgfdrtlkjnqwzxcvbnm',
];

describe('a displayed URL', () => {
  it.each(KEYS)('does not contain the key %s wherever it was', (key) => {
    for (const url of [
      `https://rpc.example/v3/${key}`,
      `https://rpc.example/${key}/mainnet`,
      `https://rpc.example/?id=${key}`,
      `https://rpc.example/path?${key}`,
      `https://${key}@rpc.example/`,
      `https://${key}:@rpc.example/`,
      `https://rpc.example/#${key}`,
    ]) {
      expect(holdsSecret(url)).toBe(true);
      for (const shown of [maskUrl(url), redactUrl(url), redactText(`cannot reach ${url}, it says`)]) {
        expect(shown).not.toContain(key);
        expect(shown).toContain('rpc.example');
        expect(shown).toMatch(/…[0-9a-f]{8}/);
      }
      expect(maskUrl(maskUrl(url))).toBe(maskUrl(url));
    }
  });

  it('differs for two keys, and not for the same key', () => {
    const [one, two] = KEYS.map((key) => maskUrl(`https://rpc.example/${key}`));
    expect(one).toBe(maskUrl(`https://rpc.example/${KEYS[0]}`));
    expect(one).not.toBe(two);
  });

  it.each([
    'http://localhost:7331',
    'http://127.0.0.1:7331/',
    'https://rpc.example/celestia-mocha-4/sequencer-node-1/evnode.v1',
    'https://rpc.example/base/StoreService/getBlockByHeight',
    'https://rpc.example/2024/12345678',
    'http://[::1]:7331/status',
    'postgres://me@db:5432/hindsight_production_records?sslmode=require',
    'https://celestia-mocha-rpc.publicnode.example:443',
  ])('stays as it is if it holds no key: %s', (url) => {
    expect(maskUrl(url)).toBe(url);
    expect(redactText(`at ${url}, as told (${url}).`)).toBe(`at ${url}, as told (${url}).`);
  });

  it('has no password, and no parameter with the name of a secret', () => {
    expect(maskUrl('postgres://me:s3cret@db:5432/x')).toBe('postgres://me:***@db:5432/x');
    expect(maskUrl('postgres://me:s3@cr:et@db/x')).toBe('postgres://me:***@db/x');
    expect(maskUrl('redis://:s3cret@r:6379')).toBe('redis://:***@r:6379');
    expect(maskUrl('http://x/?token=abc&a=b&api_key=d')).toBe('http://x/?token=***&a=b&api_key=***');
    expect(maskUrl('https://x/api-key/abc/v1')).toMatch(/^https:\/\/x\/api-key\/…[0-9a-f]{8}\/v1$/);
    expect(redactText('at postgres://me:s3/cret@db:5432/x')).toBe('at (not a URL)');
    expect(redactUrl('s3cret')).toBe('(not a URL)');
  });

  it('hides long random words whatever they are made of', () => {
    const key = fc.oneof(
      fc.uint8Array({ minLength: 16, maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString('hex')),
      fc.uuid(),
    );
    fc.assert(
      fc.property(key, fc.constantFrom('https://h/', 'https://h/v3/', 'http://h:1/a?b='), (text, start) => {
        expect(maskUrl(start + text)).not.toContain(text);
      }),
      tries(100),
    );
  });
});
