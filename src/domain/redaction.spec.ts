import fc from 'fast-check';
import { Redaction, redactTexts } from './redaction.js';
import { tries } from '../../test/support/tries.js';

describe('a redaction', () => {
  it.each([
    [
      'Post "http://bridge.internal:26658": dial tcp 10.0.0.7:26658: connect: connection refused',
      'Post "http://host-1": dial tcp host-2:26658: connect: connection refused',
    ],
    [
      'dial tcp [fd00::1]:26658: i/o timeout, then fe80::2',
      'dial tcp host-1:26658: i/o timeout, then host-2',
    ],
    [
      'lookup da.example on 10.0.0.2:53: no such host; da.example is away',
      'lookup host-2 on host-1:53: no such host; host-2 is away',
    ],
    [
      'dial tcp da-1.corp:26658: refused; DNS:*.corp.example; /dns4/seed.corp.example/tcp/1',
      'dial tcp host-1:26658: refused; DNS:host-2; /dns4/host-3/tcp/1',
    ],
    [
      '2001:db8:1:2:3:4:5:6 and ::ffff:10.0.0.1, DA-1.corp after http://da-1.corp',
      'host-3 and ::ffff:host-2, host-1 after http://host-1',
    ],
    ['a::b at 12:34:56', 'a::b at 12:34:56'],
    ['(see https://user:pa@ss@rpc.example/v1/key?x=1).', '(see https://host-1).'],
    [
      '{"url":"http://rpc.example:1/","at":"12:34:56","version":"1.2.3"}',
      '{"url":"http://host-1","at":"12:34:56","version":"1.2.3"}',
    ],
  ])('finds addresses in %j', (text, expected) => {
    expect(new Redaction().redact(text)).toBe(expected);
  });

  it('replaces given names as whole words, longer ones first, each by one stand-in', () => {
    const redaction = new Redaction({
      node: ['alpha', 'alpha-2', 'a.b'],
      chain: ['lab-1'],
      person: ['Kim', ''],
    });
    expect(redaction.redact('alpha-2 and alpha of lab-1, not alphabet; Kim: a.b, aXb, lab-12')).toBe(
      'node-2 and node-1 of chain-1, not alphabet; person-1: node-3, aXb, lab-12',
    );
    expect(redaction.redact(redaction.redact('alpha at http://alpha:1'))).toBe('node-1 at http://node-1');
  });

  it('leaves no host of a URL anywhere in later texts, and nothing else is changed', () => {
    fc.assert(
      fc.property(fc.domain(), fc.ipV4(), fc.nat(65_535), (host, ip, port) => {
        const redaction = new Redaction();
        const first = redaction.redact(`GET http://${host}:${port}/x failed`);
        const then = redaction.redact(`no answer of ${host} and ${ip}:${port}`);
        expect(first).toBe('GET http://host-1 failed');
        expect(then).toBe(`no answer of host-1 and host-2:${port}`);
      }),
      tries(200),
    );
  });

  it('reads texts of JSON without their escapes, and keeps numbers', () => {
    const json =
      '{"n":12345678901234567890,"t":"failed:\\n10.1.2.3:1\\thttps://x.y/?a=1\\u0026apikey=S3","u":"\\u00e9"}';
    expect(new Redaction().redactJson(json)).toBe(
      '{"n":12345678901234567890,"t":"failed:\\nhost-2:1\\thttps://host-1","u":"\\u00e9"}',
    );
  });

  it('of a value changes texts only, and knows a host before its URL', () => {
    expect(redactTexts(['da.internal is away', 'GET http://da.internal'], new Redaction())).toEqual([
      'host-1 is away',
      'GET http://host-1',
    ]);
    const when = new Date(0);
    const value = { alpha: ['alpha', 7n, null, { note: 'by alpha' }], when };
    expect(redactTexts(value, new Redaction({ node: ['alpha'] }))).toEqual({
      alpha: ['node-1', 7n, null, { note: 'by node-1' }],
      when,
    });
  });
});
