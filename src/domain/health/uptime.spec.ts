import fc from 'fast-check';
import { accountUptime } from './uptime.js';
import { tries } from '../../../test/support/tries.js';

const HOUR_US = 3_600_000_000n;

describe('the account of uptime', () => {
  it('counts unknown time neither as up nor as down', () => {
    const times = { HEALTHY: HOUR_US / 4n, WARNING: HOUR_US / 8n, CRITICAL: HOUR_US / 8n };
    expect(accountUptime(times, HOUR_US)).toEqual({
      healthyMs: 900_000,
      warningMs: 450_000,
      criticalMs: 450_000,
      unknownMs: 1_800_000,
      uptime: 0.75,
    });
  });

  it('has no share if nothing is known', () => {
    expect(accountUptime({ UNKNOWN: HOUR_US }, HOUR_US)).toMatchObject({
      unknownMs: 3_600_000,
      uptime: null,
    });
  });

  it('adds up to the whole, whatever the states', () => {
    const length = fc.bigInt(0n, 10n ** 12n);
    fc.assert(
      fc.property(length, length, length, length, (healthy, warning, critical, unknown) => {
        const whole = healthy + warning + critical + unknown;
        const account = accountUptime(
          { HEALTHY: healthy, WARNING: warning, CRITICAL: critical, UNKNOWN: unknown },
          whole,
        );
        const { healthyMs, warningMs, criticalMs, unknownMs, uptime } = account;
        expect(healthyMs + warningMs + criticalMs + unknownMs).toBe(Number(whole / 1_000n));
        if (uptime !== null) expect(uptime >= 0 && uptime <= 1).toBe(true);
      }),
      tries(100),
    );
  });
});
