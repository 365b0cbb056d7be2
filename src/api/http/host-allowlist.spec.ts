import { requireAllowedHost } from './host-allowlist.js';

describe('the names of this computer', () => {
  it.each([
    'localhost',
    'LOCALHOST:1',
    'localhost:4400',
    '127.0.0.1',
    '127.0.0.1:4400',
    '127.255.255.254',
    '[::1]',
    '[::1]:4400',
    undefined,
  ])('include the host %p', (host) => {
    expect(() => requireAllowedHost({ headers: { host } }, [])).not.toThrow();
  });

  it.each([
    '',
    'evil.example',
    'evil.example:4400',
    'localhost.',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.999.999.999',
    '127.1',
    '127.0.0.01',
    '0.0.0.0',
    '10.0.0.1',
    '[::2]',
    '::1',
    'evil@localhost',
    'localhost:4400:1',
    'localhost:',
    'localhost/evil',
    'localhost evil',
    ' localhost',
  ])('do not include the host %p', (host) => {
    expect(() => requireAllowedHost({ headers: { host } }, [])).toThrow('only as localhost');
  });

  it.each(['http://localhost:4400', 'https://127.0.0.1', 'http://[::1]:3000', undefined])(
    'include the origin %p',
    (origin) => {
      expect(() => requireAllowedHost({ headers: { host: 'localhost', origin } }, [])).not.toThrow();
    },
  );

  it.each([
    'null',
    '',
    'http://evil.example',
    'https://localhost.evil.example',
    'http://evil@localhost',
    'file://localhost',
    'chrome-extension://localhost',
    'localhost',
  ])('do not include the origin %p', (origin) => {
    expect(() => requireAllowedHost({ headers: { host: 'localhost', origin } }, [])).toThrow('other origins');
  });
});
