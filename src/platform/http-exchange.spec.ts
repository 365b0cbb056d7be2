import { readRetryAfter, routeOf } from './http-exchange.js';

const OWN = { 'content-type': 'application/json', date: 'now', 'transfer-encoding': 'chunked' };

describe('the intermediary of a process', () => {
  it('is absent if an answer has only headers that describe the answer', () => {
    expect(routeOf(OWN, 3)).toEqual({ connection: 3, isProxied: false, isAged: false });
    expect(routeOf({ ...OWN, 'access-control-allow-origin': '*', vary: 'origin' }, 3).isProxied).toBe(false);
  });

  it.each([
    'server',
    'via',
    'x-cache',
    'cf-ray',
    'x-envoy-upstream-service-time',
    'strict-transport-security',
  ])('is a proxy if the answer has %s', (name) =>
    expect(routeOf({ ...OWN, [name]: 'some' }, 3).isProxied).toBe(true),
  );

  it('is a cache if the answer has an age', () => {
    expect(routeOf({ ...OWN, age: '0' }, null)).toEqual({ connection: null, isProxied: true, isAged: true });
  });
});

describe('readRetryAfter', () => {
  const now = Date.UTC(2026, 10, 28, 12);

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 28 Nov 2026 12:01:30 GMT', 90_000],
    ['Saturday, 28-Nov-26 12:01:30 GMT', 90_000],
    ['Sat, 28 Nov 2026 11:00:00 GMT', 0],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
  ])('of %j is %s', (text, ms) => expect(readRetryAfter(text, now)).toBe(ms));

  it('of a date is unknown if the server does not send its clock', () => {
    expect(readRetryAfter('Sat, 28 Nov 2026 12:01:30 GMT', undefined)).toBeUndefined();
    expect(readRetryAfter('7', undefined)).toBe(7_000);
  });
});
