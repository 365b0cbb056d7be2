import fc from 'fast-check';
import { AlertLedger, type Alert } from './alert-ledger.js';
import { QUIET_MS } from '../health/trouble.js';
import { decideAlerts, type HealthSpan } from './decide-alerts.js';
import { tries } from '../../../test/support/tries.js';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

/** An interval in minutes before {@link NOW}. */
function span(
  node: string,
  rule: string,
  from: number,
  to: number | null = null,
  more: Partial<HealthSpan> = {},
): HealthSpan {
  return {
    node,
    chain: 'alpha-1',
    component: 'DA',
    rule,
    reason: `${node} is ${rule}`,
    from: NOW - from * MINUTE,
    to: to === null ? null : NOW - to * MINUTE,
    position: BigInt(Math.round(10_000 - from * 100)),
    ...more,
  };
}

const raise = (spans: HealthSpan[], now = NOW): readonly Alert[] => decideAlerts(spans, [], now).raised;

describe('which alerts begin', () => {
  it('raises one for all nodes of a chain, since the first of them, and one for each other chain', () => {
    const spans = [
      ...Array.from({ length: 10 }, (_, index) => span(`n${index}`, 'failing', 3 + index)),
      span('b1', 'failing', 4, null, { chain: 'beta-1' }),
    ];
    const alerts = raise(spans);
    expect(alerts.map(({ owner, nodes, since }) => [owner, nodes.length, since])).toEqual([
      ['alpha-1', 10, NOW - 12 * MINUTE],
      ['beta-1', 1, NOW - 4 * MINUTE],
    ]);
    expect(alerts[0]?.reason).toBe('n9 is failing');
  });

  it('says of finality that stands still something else than of submissions that fail', () => {
    expect(raise([span('n1', 'frozen', 5)]).map(({ rule }) => rule)).toEqual(['finality-frozen']);
    expect(raise([span('n1', 'silent', 5)]).map(({ rule }) => rule)).toEqual(['da-silent']);
  });

  it('waits until it has held for its time, flapping joined', () => {
    expect(raise([span('n1', 'failing', 0.99)])).toEqual([]);
    expect(raise([span('n1', 'failing', 1)])).toHaveLength(1);
    const flaps = [span('n1', 'failing', 4, 3), span('n1', 'healthy', 3, 0.1), span('n1', 'failing', 0.1)];
    expect(raise(flaps)[0]?.since).toBe(NOW - 4 * MINUTE);
    expect(raise([span('n1', 'failing', 9, 8), span('n1', 'failing', 0.1)])).toEqual([]);
  });

  it('says nothing of the DA layer of a node that is down', () => {
    const spans = [span('n1', 'unreachable', 9), span('n1', 'unreachable', 9, null, { component: 'NODE' })];
    expect(raise(spans).map(({ rule }) => rule)).toEqual(['node-unreachable']);
  });

  it('stands for a node where the chain is not known', () => {
    expect(raise([span('n1', 'failing', 9, null, { chain: null })])[0]).toMatchObject({
      owner: 'n1',
      chain: null,
    });
  });
});

describe('which alerts end', () => {
  const open = raise([span('n1', 'failing', 60), span('n2', 'failing', 50)]);
  const resolve = (spans: HealthSpan[]) => decideAlerts(spans, open, NOW).resolved;

  it('ends one when all its nodes have been calm for five minutes, at the end of the trouble', () => {
    const first = [span('n1', 'failing', 60, 20), span('n1', 'healthy', 20)];
    expect(resolve([...first, span('n2', 'failing', 50)])).toEqual([]);
    expect(resolve([...first, span('n2', 'failing', 50, 4.9)])).toEqual([]);
    expect(resolve([...first, span('n2', 'failing', 50, 5)])).toEqual([
      { alert: open[0]?.id, until: NOW - 5 * MINUTE },
    ]);
  });

  it('ends none while nothing is known of a node of it', () => {
    const second = [span('n2', 'failing', 50, 20), span('n2', 'healthy', 20)];
    expect(resolve([span('n1', 'failing', 60, 20), span('n1', 'unreachable', 20), ...second])).toEqual([]);
    expect(resolve([span('n1', 'failing', 60, 20), span('n1', 'healthy', 20), ...second])).toHaveLength(1);
  });

  it('ends those of nodes that are not watched any more', () => {
    expect(resolve([])).toHaveLength(1);
  });
});

describe('an hour of flapping', () => {
  it('is one alert however it flaps, which ends once, five minutes after it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 240 }), fc.integer({ min: 1, max: 299 })), {
          minLength: 1,
          maxLength: 40,
        }),
        (flaps) => {
          const ledger = new AlertLedger();
          const told: string[] = [];
          const spans: HealthSpan[] = [];
          let at = NOW;
          for (const [bad, calm] of [[120, 1] as const, ...flaps]) {
            for (const [rule, seconds] of [
              ['failing', bad],
              ['healthy', calm],
            ] as const) {
              spans.push({
                ...span('n1', rule, 0),
                from: at,
                to: at + seconds * 1_000,
                position: BigInt(spans.length),
              });
              at += seconds * 1_000;
            }
          }
          const last = spans.pop();
          const end = last?.from ?? 0;
          if (last) spans.push({ ...last, to: null });
          for (let now = NOW; now <= end + 2 * QUIET_MS; now += 10_000) {
            const seen = spans
              .filter(({ from }) => from <= now)
              .map((one) => ({ ...one, to: one.to !== null && one.to <= now ? one.to : null }));
            const { raised, resolved } = decideAlerts(seen, ledger.open, now);
            for (const alert of raised) {
              told.push(`raised ${alert.since - NOW}`);
              ledger.take({ type: 'AlertRaised', at: now, body: { alert, destinations: [] } });
            }
            for (const body of resolved) {
              told.push(`resolved ${body.until - end}`);
              expect(now - end).toBeGreaterThanOrEqual(QUIET_MS);
              ledger.take({ type: 'AlertResolved', at: now, body: { ...body, destinations: [] } });
            }
          }
          expect(told).toEqual(['raised 0', 'resolved 0']);
        },
      ),
      tries(30),
    );
  });
});
