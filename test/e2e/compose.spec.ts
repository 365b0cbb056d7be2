import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/platform/settings-table.js';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas: number };
  readonly healthcheck?: unknown;
  readonly volumes?: readonly (string | { readonly target: string; readonly read_only: boolean })[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const dockerfile = readFileSync('Dockerfile', 'utf8');

const services = (): [string, Service][] => Object.entries(compose.services);
const ours = (): [string, Service][] => services().filter(([, { build }]) => build !== undefined);

describe('docker-compose.yml', () => {
  it('runs one API, two observers and two workers of one image, on one Postgres and one Redis', () => {
    const counts = services().map(([name, { image, deploy }]) => [
      name,
      image.split(':')[0],
      deploy?.replicas ?? 1,
    ]);
    expect(counts).toEqual([
      ['postgres', 'postgres', 1],
      ['redis', 'redis', 1],
      ['migrate', 'hindsight', 1],
      ['api', 'hindsight', 1],
      ['observer', 'hindsight', 2],
      ['worker', 'hindsight', 2],
    ]);
  });

  it('sets only what the program knows', () => {
    const known = [...Object.values(SETTINGS).map(({ variable }) => variable), 'HINDSIGHT_CONFIG'];
    for (const [name, { environment }] of ours()) {
      const unknown = Object.keys(environment ?? {}).filter((variable) => !known.includes(variable as never));
      expect({ name, unknown }).toEqual({ name, unknown: [] });
    }
    for (const role of ['api', 'observer', 'worker']) {
      expect(SETTINGS.role.value.parse(compose.services[role]?.environment?.['HINDSIGHT_ROLE'])).toBe(role);
    }
  });

  it('publishes only the API, which listens beyond loopback and therefore refuses to start without a key', () => {
    expect(services().flatMap(([name, { ports }]) => (ports ? [name] : []))).toEqual(['api']);
    expect(compose.services['api']?.environment).toMatchObject({
      HINDSIGHT_HOST: '0.0.0.0',
      HINDSIGHT_API_KEY: expect.stringMatching(/^\$\{HINDSIGHT_API_KEY:\?set it to .+\}$/),
    });
  });

  it('migrates once, before everything else, and does not wait for Redis', () => {
    expect(compose.services['migrate']?.command).toEqual(['migrate']);
    for (const name of ['api', 'observer', 'worker']) {
      const { depends_on: needs } = compose.services[name] ?? {};
      expect(needs?.['migrate']).toEqual({ condition: 'service_completed_successfully' });
      expect(needs?.['redis']?.condition).not.toBe('service_healthy');
    }
  });

  it('mounts the settings read-only into containers that cannot be written to', () => {
    for (const [, { volumes, read_only: isReadOnly }] of ours()) {
      expect(isReadOnly).toBe(true);
      expect(volumes).toEqual([expect.objectContaining({ target: '/app/hindsight.yaml', read_only: true })]);
    }
  });

  it('knows of each server that stays whether it is healthy', () => {
    for (const name of ['postgres', 'redis']) expect(compose.services[name]?.healthcheck).toBeDefined();
    expect(dockerfile).toMatch(/^HEALTHCHECK [^]*\/health\/ready/m);
  });

  it('gives every process its connections', () => {
    const limit = compose.services['postgres']?.command?.find((word) => word.startsWith('max_connections='));
    const processes = ours().reduce((sum, [, { deploy }]) => sum + (deploy?.replicas ?? 1), 0);
    // A pool of 20, and five for the queue where that is in the database.
    expect(Number(limit?.split('=')[1])).toBeGreaterThan(processes * 25);
  });
});

describe('Dockerfile', () => {
  const lines = dockerfile.replaceAll('\\\n', ' ').split('\n');

  it('copies what there is, and what its context lets through', () => {
    const sources = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    const context = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(sources).toContain('migrations');
    for (const source of sources) {
      expect({ source, exists: existsSync(source) }).toEqual({ source, exists: true });
      expect(context).toContain(`!${source.split('/')[0]}`);
    }
  });

  it('runs the program as an ordinary user, without development packages', () => {
    expect(lines).toContain('USER node');
    expect(lines).toContain('ENTRYPOINT ["node", "dist/main.js"]');
    expect(lines.findLast((line) => line.includes('npm ci'))).toMatch(/--omit=dev --omit=optional/);
  });

  it.each([
    [200, 0],
    [503, 1],
  ])('has a check of its health that takes %i as %i', async (status, code) => {
    const line = lines.find((line) => line.startsWith('HEALTHCHECK')) ?? '';
    const [program = '', ...args] = JSON.parse(/CMD (\[.+\])\s*$/.exec(line)?.[1] ?? '[]') as string[];
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const check = spawn(program, args, { env: { ...process.env, HINDSIGHT_PORT: String(port) } });
    expect(await once(check, 'exit')).toEqual([code, null]);
    expect(asked).toEqual(['/health/ready']);
    server.close();
  });
});
