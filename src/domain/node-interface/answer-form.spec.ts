import { daForm, isServiceError, isVouchedFor, isWebPage, probeForm } from './answer-form.js';

/** Answers of others in the place of a node, as seen on the wire. */
const NGINX_404 =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>';
const LOGIN = '<!DOCTYPE html><html lang="en"><head><title>Sign in</title></head>';
const GO_404 = '404 page not found\n';

const STRANGERS: readonly (readonly [what: string, status: number, text: string])[] = [
  ["nginx's default page", 404, NGINX_404],
  ['a login page', 200, LOGIN],
  ['a parking page', 200, '\n<div>This domain is for sale</div>'],
  ['a redirect to a login', 302, ''],
  ['a request to log in', 401, '{"message":"Unauthorized"}'],
  ['a token that is not enough', 403, 'Forbidden'],
  ['a proxy that asks for a token', 407, ''],
  ['a limit of requests', 429, 'Too Many Requests'],
  ["a limit of requests in Connect's form", 429, '{"code":"resource_exhausted"}'],
  ["a gateway's page", 502, '<html><head><title>502 Bad Gateway</title></head>'],
];

const OPEN: readonly (readonly [what: string, status: number, text: string])[] = [
  ["Go's 404, of a node and of Traefik alike", 404, GO_404],
  ['an empty answer', 200, ''],
  ['JSON of anybody', 200, '{"status":"ok"}'],
  ["a gateway's JSON", 404, '{"message":"no Route matched with those values"}'],
  ['a Traefik without servers', 503, 'no available server\n'],
  ['a parking text', 200, 'This domain is for sale.'],
];

describe('the form of a probe', () => {
  it.each([
    [200, 'OK\n'],
    [200, 'READY\n'],
    [200, 'ok'],
    [503, 'FAIL\n'],
    [503, 'UNREADY: no blocks yet\n'],
  ])('belongs to a node for %i %j', (status, text) => expect(probeForm({ status, text })).toBe('OWN'));

  it.each(STRANGERS)('belongs to someone else for %s', (_, status, text) =>
    expect(probeForm({ status, text })).toBe('FOREIGN'),
  );

  it.each(OPEN)('is open for %s', (_, status, text) => expect(probeForm({ status, text })).toBe('OPEN'));

  it('is open for a word of health under another status', () =>
    expect([probeForm({ status: 404, text: 'OK' }), probeForm({ status: 200, text: 'FAIL' })]).toEqual([
      'OPEN',
      'OPEN',
    ]));
});

describe('the form of an answer of the DA monitoring', () => {
  it.each([
    [200, '{"submissions":[],"total":0}'],
    [200, '{"is_aggregator":false,"message":"not an aggregator"}'],
    [200, '{"connection_status":"connected","is_healthy":true}'],
    [200, '{"totalSubmissions":7}'],
    [503, 'DA visualization not available\n'],
  ])('belongs to a node for %i %j', (status, text) => expect(daForm({ status, text })).toBe('OWN'));

  it.each(STRANGERS)('belongs to someone else for %s', (_, status, text) =>
    expect(daForm({ status, text })).toBe('FOREIGN'),
  );

  it.each(OPEN)('is open for %s', (_, status, text) => expect(daForm({ status, text })).toBe('OPEN'));

  it('is open for a service that is switched off and does not say which service', () =>
    expect(daForm({ status: 503, text: 'Service not available' })).toBe('OPEN'));
});

describe('an open answer', () => {
  it("is the node's if its address has since returned what only a node returns", () => {
    expect(isVouchedFor(100_000, 100_000, 100_000)).toBe(true);
    expect(isVouchedFor(100_000, 110_000, 125_000)).toBe(true);
  });

  it('belongs to no one if the proof came before it', () =>
    expect(isVouchedFor(100_000, 99_999, 100_001)).toBe(false));

  it('belongs to no one if the proof is old, or missing', () => {
    expect(isVouchedFor(100_000, 110_000, 125_001)).toBe(false);
    expect(isVouchedFor(100_000, null, 100_000)).toBe(false);
  });
});

describe('an error of a service', () => {
  it.each(['{"code":"not_found","message":"no"}', '{ "message" : "x", "code": "internal" }'])(
    'is %s',
    (text) => expect(isServiceError(text)).toBe(true),
  );

  it.each([
    '{"code":404,"message":"no"}',
    '{"code":"NoSuchBucket"}',
    'not_found',
    '{"message":"not_found"}',
    '',
  ])('is not %j', (text) => expect(isServiceError(text)).toBe(false));
});

it('a web page begins with a tag, behind blanks and a byte order mark', () => {
  expect(['\ufeff <html>', '\u00ef\u00bb\u00bf<!-- x -->', ' <p>'].map(isWebPage)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['', 'OK', '{"a":"<html>"}'].map(isWebPage)).toEqual([false, false, false]);
});
