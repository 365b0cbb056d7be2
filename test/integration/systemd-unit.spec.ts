import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS } from '../../src/settings/setting-list.js';

const text = readFileSync('packaging/hindsight.service', 'utf8');

/** Every `Name=value` of a section, in order. */
function readSection(section: string): [string, string][] {
  const lines = text.split(`[${section}]\n`)[1]?.split(/^\[/m)[0]?.split('\n') ?? [];
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name, value.join('=')];
    });
}

describe('the systemd unit', () => {
  const service = readSection('Service');
  const of = (name: string): string | undefined => service.find(([key]) => key === name)?.[1];

  it('starts the service again after a failure, but not for wrong settings', () => {
    expect(of('ExecStart')).toMatch(/^\/\S+ node \/opt\/hindsight\/dist\/main\.js start$/);
    expect(of('Restart')).toBe('on-failure');
    expect(of('RestartPreventExitStatus')).toBe('2');
    expect(readSection('Unit')).toContainEqual(['StartLimitIntervalSec', '0']);
    expect(readSection('Install')).toEqual([['WantedBy', 'multi-user.target']]);
  });

  it('gives it time to stop, and memory for its heap and its database', () => {
    expect(Number(of('TimeoutStopSec'))).toBeGreaterThan(10);
    expect(of('KillMode')).toBe('mixed');
    expect(of('MemoryMax')).toBe('3G');
    expect(service).toContainEqual(['Environment', 'NODE_OPTIONS=--max-old-space-size=1024']);
  });

  it('sets only variables that the program knows, and keeps secrets in a file', () => {
    const known = SETTINGS.map(({ variable }) => variable);
    const names = service.flatMap(([key, value]) =>
      key === 'Environment' ? [value.split('=')[0] ?? ''] : [],
    );
    for (const name of names)
      expect([...known, 'HINDSIGHT_CONFIG', 'NODE_ENV', 'NODE_OPTIONS']).toContain(name);
    expect(names.filter((name) => /KEY|PASSWORD|URL/.test(name))).toEqual([]);
    expect(of('EnvironmentFile')).toBe('-/etc/hindsight/environment');
  });

  it('runs as an ordinary user that can write to its own directory only', () => {
    expect(of('User')).toBe('hindsight');
    expect(of('StateDirectory')).toBe('hindsight');
    expect(service).toContainEqual(['Environment', 'HINDSIGHT_DATA_DIR=/var/lib/hindsight']);
    const hardening = {
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      PrivateTmp: 'yes',
    };
    expect(Object.fromEntries(service)).toMatchObject({ ...hardening, CapabilityBoundingSet: '' });
  });

  // Without systemd on the computer, the cases above have at least read the unit.
  if (spawnSync('systemd-analyze', ['--version']).status === 0) {
    it('is accepted by systemd', () => {
      const folder = mkdtempSync(join(tmpdir(), 'hindsight-unit-'));
      const unit = join(folder, 'hindsight.service');
      writeFileSync(unit, text);
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
        encoding: 'utf8',
      });
      rmSync(folder, { recursive: true });
      // systemd also complains about other units of the computer, in lines of their own.
      const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('hindsight'));
      expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    });
  }
});
