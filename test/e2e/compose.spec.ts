import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROLES } from '../../src/platform/role.js';
import { SETTINGS } from '../../src/settings/setting-list.js';
import { EXACT_IMAGE } from '../support/exact-image.js';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: {
    readonly replicas?: number;
    readonly resources?: { readonly limits: { readonly memory: string } };
  };
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> };
  readonly stop_grace_period?: string;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly volumes?: readonly (string | { readonly target: string; readonly read_only: boolean })[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
}

const text = readFileSync('docker-compose.yml', 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
};
const dockerfile = readFileSync('Dockerfile', 'utf8');

const services = (): [string, Service][] => Object.entries(compose.services);
const ours = (): [string, Service][] => services().filter(([, { build }]) => build !== undefined);

describe('docker-compose.yml', () => {
  it('runs one API, two observers and two workers of one image, on one Postgres and one Valkey', () => {
    const always = services().filter(([, { profiles }]) => profiles === undefined);
    const counts = always.map(([name, { image, deploy }]) => [
      name,
      image.split(':')[0],
      deploy?.replicas ?? 1,
    ]);
    expect(counts).toEqual([
      ['postgres', 'postgres', 1],
      ['valkey', 'valkey/valkey', 1],
      ['migrate', 'hindsight', 1],
      ['api', 'hindsight', 1],
      ['observer', 'hindsight', 2],
      ['worker', 'hindsight', 2],
    ]);
  });

  it('sets only what the program knows', () => {
    const variables = SETTINGS.map(({ variable }) => variable);
    const known = [...variables, 'HINDSIGHT_CONFIG', 'NODE_OPTIONS'];
    for (const [name, { environment }] of ours()) {
      const unknown = Object.keys(environment ?? {}).filter((variable) => !known.includes(variable));
      expect({ name, unknown }).toEqual({ name, unknown: [] });
    }
    for (const role of ['api', 'observer', 'worker']) {
      expect(ROLES).toContain(role);
      expect(compose.services[role]?.environment?.['HINDSIGHT_ROLE']).toBe(role);
    }
  });

  it('publishes only the API; all services listen beyond loopback for metrics scrapers, and therefore refuse to start without a key', () => {
    expect(ours().flatMap(([name, { ports }]) => (ports ? [name] : []))).toEqual(['api']);
    for (const [, { environment }] of ours()) {
      expect(environment).toMatchObject({
        HINDSIGHT_HOST: '0.0.0.0',
        HINDSIGHT_API_KEY: expect.stringMatching(/^\$\{HINDSIGHT_API_KEY:\?set it to .+\}$/),
      });
    }
  });

  it('migrates once, before everything else, and does not wait for Valkey', () => {
    expect(compose.services['migrate']?.command).toEqual(['migrate']);
    for (const name of ['api', 'observer', 'worker']) {
      const { depends_on: needs } = compose.services[name] ?? {};
      expect(needs?.['migrate']).toEqual({ condition: 'service_completed_successfully' });
      expect(needs?.['valkey']?.condition).not.toBe('service_healthy');
    }
  });

  it('mounts the settings read-only into containers that cannot be written to', () => {
    for (const [, { volumes, read_only: isReadOnly }] of ours()) {
      expect(isReadOnly).toBe(true);
      expect(volumes).toEqual([expect.objectContaining({ target: '/app/hindsight.yaml', read_only: true })]);
    }
  });

  it('has a health check for each long-running service', () => {
    for (const name of ['postgres', 'valkey']) expect(compose.services[name]?.healthcheck).toBeDefined();
    // Podman drops the health check from the images that it builds.
    const [, ofImage = ''] = /^HEALTHCHECK [^]*?CMD (\[.+\])$/m.exec(dockerfile) ?? [];
    for (const name of ['api', 'observer', 'worker']) {
      const { test = [] } = compose.services[name]?.healthcheck ?? {};
      expect(test.map((word) => word.replaceAll('$$', '$'))).toEqual([
        'CMD',
        ...(JSON.parse(ofImage) as string[]),
      ]);
    }
  });

  it('limits memory, log size and stop time of each service', () => {
    for (const [name, { deploy, logging, stop_grace_period: patience }] of services()) {
      expect([name, deploy?.resources?.limits.memory]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)]);
      expect([name, logging?.driver]).toEqual([name, 'json-file']);
      expect(logging?.options).toEqual({ 'max-size': '20m', 'max-file': '5' });
      expect([name, patience]).toEqual([name, expect.stringMatching(/^\d+[sm]$/)]);
    }
    for (const [name, { deploy, environment }] of ours()) {
      const heap = Number(/--max-old-space-size=(\d+)$/.exec(environment?.['NODE_OPTIONS'] ?? '')?.[1]);
      const memory = Number(/^(\d+)g$/.exec(deploy?.resources?.limits.memory ?? '')?.[1]) * 1_024;
      expect([name, heap > memory / 2 && heap <= (memory * 3) / 4]).toEqual([name, true]);
    }
  });

  it('contains no password, and asks for each', () => {
    const all = [...text.matchAll(/(?<!\$)\$\{(\w*(?:PASSWORD|KEY))([^}]*)\}/g)];
    // Passwords of profiles are asked for by the containers: see compose-profiles.spec.ts.
    const [secrets, ofProfiles] = [
      all.filter(([, , rest]) => rest !== ':-'),
      all.filter(([, , rest]) => rest === ':-'),
    ];
    const names = ['HINDSIGHT_API_KEY', 'POSTGRES_PASSWORD', 'REDIS_PASSWORD'];
    expect(new Set(secrets.map(([, name]) => name))).toEqual(new Set(names));
    const optional = ['GRAFANA_PASSWORD', 'GRAFANA_SQL_PASSWORD', 'METABASE_PASSWORD'];
    expect(new Set(ofProfiles.map(([, name]) => name))).toEqual(new Set(optional));
    for (const [, , rest] of secrets) expect(rest).toMatch(/^:\?set it to /);
    for (const name of ['api', 'observer', 'worker']) {
      const { environment } = compose.services[name] ?? {};
      expect(environment?.['DATABASE_URL']).toMatch(
        /^postgres:\/\/hindsight:\$\{POSTGRES_PASSWORD:\?.+\}@postgres:/,
      );
      expect(environment?.['REDIS_URL']).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?.+\}@valkey:6379$/);
    }
    expect(compose.services['valkey']?.command?.at(-1)).toContain('requirepass $$REDISCLI_AUTH');
  });

  it('names every third-party image by its exact version', () => {
    for (const [name, { image, build }] of services()) {
      if (build === undefined) expect([name, image]).toEqual([name, expect.stringMatching(EXACT_IMAGE)]);
    }
  });

  it('gives Valkey a volume of its own, since Valkey cannot read files of Redis', () => {
    expect(compose.services['valkey']?.volumes).toEqual(['valkey:/data']);
  });

  it('removes unneeded privileges from every container', () => {
    for (const [name, service] of services()) {
      expect([name, service.read_only, service.cap_drop, service.security_opt]).toEqual([
        name,
        true,
        ['ALL'],
        ['no-new-privileges:true'],
      ]);
    }
  });

  it('allows enough connections for every process', () => {
    const limit = compose.services['postgres']?.command?.find((word) => word.startsWith('max_connections='));
    const processes = ours().reduce((sum, [, { deploy }]) => sum + (deploy?.replicas ?? 1), 0);
    // A process has a pool of 20, and five connections for a queue in the database.
    expect(Number(limit?.split('=')[1])).toBeGreaterThan(processes * 25);
  });
});

describe('third-party images', () => {
  it('are watched by Dependabot, in both files', () => {
    const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
      updates: { 'package-ecosystem': string; directory: string }[];
    };
    const watched = updates.map((update) => update['package-ecosystem']);
    expect(watched).toEqual(['npm', 'github-actions', 'docker', 'docker-compose']);
  });

  it('are pinned to the digests of their tags, also when pinned again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pin-images-'));
    try {
      for (const file of ['Dockerfile', 'docker-compose.yml', '.ci/pin-images']) {
        cpSync(file, join(folder, file));
      }
      const pin = (digit: string): void => {
        writeFileSync(
          join(folder, 'docker'),
          `#!/bin/sh\n[ "$1 $2 $3" = "buildx imagetools inspect" ] && echo sha256:${digit.repeat(64)}\n`,
          { mode: 0o755 },
        );
        const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
        expect(spawnSync('bash', ['.ci/pin-images'], { cwd: folder, env, encoding: 'utf8' })).toMatchObject({
          status: 0,
          stderr: '',
        });
      };
      const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
      for (const digit of ['a', 'b']) {
        pin(digit);
        const digest = `@sha256:${digit.repeat(64)}`;
        expect(
          read('Dockerfile').match(new RegExp(`^FROM (?:--\\S+ )?node:\\S+${digest}(?: |$)`, 'gm')),
        ).toHaveLength(3);
        expect(read('Dockerfile').replaceAll(digest, '')).toBe(dockerfile);
        const images = services().filter(([, { build }]) => build === undefined);
        expect(read('docker-compose.yml').split(digest)).toHaveLength(images.length + 1);
        expect(read('docker-compose.yml').replaceAll(digest, '')).toBe(text);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
