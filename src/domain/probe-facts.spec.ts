import { reachabilityAfter, reachabilityOf, summariseLatency, type ProbeFact } from './probe-facts.js';

describe('summariseLatency', () => {
  it('knows nothing without values', () => {
    expect(summariseLatency([])).toBeNull();
  });

  it('returns the value itself if there is one', () => {
    expect(summariseLatency([4.2])).toEqual({
      count: 1,
      minMs: 4.2,
      meanMs: 4.2,
      p50Ms: 4.2,
      p99Ms: 4.2,
      maxMs: 4.2,
    });
  });

  it('takes percentiles from the values, in any order', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(summariseLatency(values)).toEqual({
      count: 100,
      minMs: 1,
      meanMs: 50.5,
      p50Ms: 50,
      p99Ms: 99,
      maxMs: 100,
    });
  });
});

const fact = (outcome: ProbeFact['outcome'], statusCode: number | null): ProbeFact => ({
  outcome,
  statusCode,
  detail: `${outcome} ${statusCode}`,
  latencyMs: 3,
});

describe('reachabilityOf', () => {
  it.each([
    [fact('OK', 200), fact('REFUSED', null)],
    [fact('FAILED', 503), fact('INVALID', 502)],
    [fact('TIMEOUT', null), fact('NOT_OFFERED', 404)],
  ])('is proven by an answer of the node, whatever it says', (live, ready) =>
    expect(reachabilityOf(live, ready)).toEqual({
      outcome: 'OK',
      statusCode: null,
      detail: '',
      latencyMs: 3,
    }),
  );

  it.each([
    ['a page', fact('INVALID', 200), fact('INVALID', 404), 'INVALID', 'INVALID 200'],
    ["a gateway's error", fact('INVALID', 404), fact('INVALID', 502), 'FAILED', 'INVALID 502'],
    [
      'a page beside a connection that failed',
      fact('INVALID', 200),
      fact('TIMEOUT', null),
      'TIMEOUT',
      'TIMEOUT null',
    ],
    ['no connection', fact('REFUSED', null), fact('REFUSED', null), 'REFUSED', 'REFUSED null'],
  ])('is not proven by %s', (_, live, ready, outcome, detail) =>
    expect(reachabilityOf(live, ready)).toEqual({ outcome, statusCode: null, detail, latencyMs: null }),
  );
});

describe('reachabilityAfter', () => {
  const gone = fact('INVALID', 404);
  const after = (before: ProbeFact | undefined, ...results: ProbeFact[]) =>
    reachabilityAfter(before, ...results).outcome;

  it('is lost if nothing is there any more of a node that answered, or was lost before', () => {
    expect([after(fact('OK', null), gone, gone), after(fact('FAILED', null), gone, gone)]).toEqual([
      'FAILED',
      'FAILED',
    ]);
  });

  it.each([
    ['no node ever answered', undefined, gone, gone],
    ['something hid the node before', fact('INVALID', null), gone, gone],
    ['one probe is refused', fact('OK', null), fact('INVALID', 401), gone],
    ['a page answers', fact('OK', null), fact('INVALID', 200), fact('INVALID', 200)],
  ])('is unknown if %s', (_, before, live, ready) => expect(after(before, live, ready)).toBe('INVALID'));

  it('is reported by the node itself, whatever is missing', () =>
    expect(after(fact('FAILED', null), fact('NOT_OFFERED', 404), gone)).toBe('OK'));
});
