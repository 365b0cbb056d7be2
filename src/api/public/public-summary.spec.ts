import { uptimePercent, uuidOf, worstState, WorstDays } from './public-summary.js';

const HOUR = 3_600_000;

/** A day of a node by hours in which it was up, down and not monitored. */
const day = (node: string, number: number, up: number, down: number, unknown: number) => ({
  node,
  time: BigInt(number),
  healthyMs: (up * HOUR) / 2,
  warningMs: (up * HOUR) / 2,
  criticalMs: down * HOUR,
  unknownMs: unknown * HOUR,
  uptime: null,
});

/** Hours up, down and unknown of each day. */
function worstOf(...lines: ReturnType<typeof day>[][]): number[][] {
  const days = new WorstDays();
  for (const line of lines) days.add(line);
  return days.list().map(({ upMs, downMs, unknownMs }) => [upMs / HOUR, downMs / HOUR, unknownMs / HOUR]);
}

describe('the public state of a chain', () => {
  it('is the worst of its nodes, and unknown is never healthy', () => {
    expect(worstState(['HEALTHY', 'HEALTHY'])).toBe('healthy');
    expect(worstState(['HEALTHY', 'UNKNOWN'])).toBe('unknown');
    expect(worstState(['UNKNOWN', 'WARNING', 'HEALTHY'])).toBe('degraded');
    expect(worstState(['WARNING', 'CRITICAL', 'UNKNOWN'])).toBe('down');
    expect(worstState([])).toBe('unknown');
  });
});

describe('the public days of a chain', () => {
  it('show the node with the most down time, then the node with the most unknown time', () => {
    const alpha = [day('a', 1, 24, 0, 0), day('a', 2, 20, 4, 0), day('a', 3, 24, 0, 0)];
    const beta = [day('b', 1, 23, 1, 0), day('b', 2, 22, 0, 2), day('b', 3, 0, 0, 24)];
    const expected = [
      [23, 1, 0],
      [20, 4, 0],
      [0, 0, 24],
    ];
    expect(worstOf([...alpha, ...beta])).toEqual(expected);
    expect(worstOf(beta, alpha)).toEqual(expected);
  });

  it('leave out the days before a node was first monitored, unless no node was', () => {
    const alpha = [day('a', 1, 0, 0, 24), day('a', 2, 24, 0, 0), day('a', 3, 24, 0, 0)];
    const added = [day('b', 1, 0, 0, 24), day('b', 2, 0, 0, 24), day('b', 3, 12, 0, 12)];
    const expected = [
      [0, 0, 24],
      [24, 0, 0],
      [12, 0, 12],
    ];
    expect(worstOf(alpha, added)).toEqual(expected);
    expect(worstOf(added, alpha)).toEqual(expected);
  });
});

describe('the share of uptime', () => {
  const share = (upMs: number, downMs: number, unknownMs: number) =>
    uptimePercent([{ upMs, downMs, unknownMs }]);

  it('leaves out unknown time, and is rounded down', () => {
    expect(share(50, 50, 900)).toBe(50);
    expect(share(999_999, 1, 0)).toBe(99.99);
    expect(share(7, 0, 0)).toBe(100);
    expect(share(0, 0, 7)).toBeNull();
  });
});

it('a UUID of a name is well formed, and differs by name', () => {
  expect(uuidOf('a')).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  expect(uuidOf('a')).not.toBe(uuidOf('b'));
});
