import { SystemPace } from './system-pace.js';

const head = (height: number, seconds: number) => ({ height: String(height), timeNs: `${seconds}000000000` });

describe('the pace of polls of a system', () => {
  it('is three blocks, by two heads', () => {
    const pace = new SystemPace();
    pace.learn(head(10, 100), head(14, 108));
    expect(pace.everyMs).toBe(6_000);
  });

  it('is at most 20 s and at least half a second', () => {
    const pace = new SystemPace();
    pace.learn(head(10, 100), head(11, 160));
    expect(pace.everyMs).toBe(20_000);
    pace.learn(head(10, 100), head(1_000, 101));
    expect(pace.everyMs).toBe(500);
  });

  it('is not slowed down by one halt, and by blocks that stay slow', () => {
    const pace = new SystemPace();
    pace.learn(head(10, 100), head(11, 104));
    pace.learn(head(11, 104), head(12, 164));
    expect(pace.everyMs).toBe(12_000);
    pace.learn(head(12, 164), head(13, 170));
    pace.learn(head(13, 170), head(14, 176));
    expect(pace.everyMs).toBe(18_000);
  });

  it('is not learned from a head that does not move, or moves back', () => {
    const pace = new SystemPace();
    pace.learn(head(10, 100), head(11, 112));
    pace.learn(head(10, 100), head(10, 100));
    pace.learn(head(10, 100), head(5, 90));
    pace.learn(undefined, head(5, 90));
    expect(pace.everyMs).toBe(20_000);
  });

  it('confirms a first failure soon, and spares a system that refuses', () => {
    const pace = new SystemPace();
    pace.learn(head(10, 100), head(11, 112));
    expect([pace.after('OK'), pace.after('UNREACHABLE'), pace.after('UNREACHABLE')]).toEqual([
      20_000, 5_000, 20_000,
    ]);
    expect(pace.after('REFUSED')).toBe(120_000);
    expect(pace.after('OK')).toBe(20_000);
  });
});
