import { routeOf } from './http-exchange.js';

const OWN = { 'content-type': 'application/json', date: 'now', 'transfer-encoding': 'chunked' };

describe('what stands between us and a process', () => {
  it('is nothing where an answer has only headers that say what it is', () => {
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
  ])('is a proxy where it has %s', (name) =>
    expect(routeOf({ ...OWN, [name]: 'some' }, 3).isProxied).toBe(true),
  );

  it('is a cache where it has an age', () => {
    expect(routeOf({ ...OWN, age: '0' }, null)).toEqual({ connection: null, isProxied: true, isAged: true });
  });
});
