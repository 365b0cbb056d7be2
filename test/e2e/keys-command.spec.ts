import { startTestDatabase, type TestDatabase } from '../support/database.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 180_000;

/** A node that is unreachable. */
const NODE_DOWN = 'dev=http://127.0.0.1:1';
const QUESTION = '{ nodes { id } }';
const CHANGE = 'mutation { rebuildProjection(name: "coverage") { id } }';

describe('hindsight keys', () => {
  let home: ServiceHome;
  let database: TestDatabase;

  const codeOf = async (service: ServiceProcess, query: string, key?: string): Promise<string> => {
    const response = await fetch(`${service.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
      body: JSON.stringify({ query }),
    });
    const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    return errors?.[0]?.extensions.code ?? 'fine';
  };
  const becomes = (service: ServiceProcess, code: string, query: string, key: string): Promise<true> =>
    waitFor(`the answer ${code}`, async () => (await codeOf(service, query, key)) === code || undefined);

  beforeAll(async () => {
    home = new ServiceHome();
    database = await startTestDatabase();
  });

  afterAll(async () => {
    await home?.clear();
    await database?.stop();
  }, PATIENCE_MS);

  it(
    'make, list and revoke keys next to a running service on the embedded database',
    async () => {
      const runAsProcess = (...args: string[]): Promise<CommandResult> =>
        home.run(['keys', ...args], { env: { HINDSIGHT_LOG_LEVEL: 'silent' } });
      const service = await home.start(NODE_DOWN);
      const run = (...args: string[]): Promise<CommandResult> =>
        home.runHere(['keys', ...args], home.embeddedUrl);
      expect((await run()).out).toContain('There are no keys yet');
      const reader = await runAsProcess('add', 'grafana', '--scope', 'read');
      expect(reader).toEqual({
        code: 0,
        out: expect.stringMatching(/^hs_[A-Za-z0-9_-]{43}\n$/) as unknown,
        error: 'The key grafana (read) is shown only once: Hindsight keeps only its hash.\n',
      });
      const writer = await run('add', 'ops', '--scope', 'write');
      const [read, write] = [reader.out.trim(), writer.out.trim()];
      await becomes(service, 'FORBIDDEN', CHANGE, read);
      await becomes(service, 'fine', CHANGE, write);
      expect(await codeOf(service, QUESTION)).toBe('fine');
      expect(await codeOf(service, CHANGE)).toBe('UNAUTHENTICATED');
      const listed = await waitFor('the uses to be noted', async () => {
        const { out } = await run('list');
        return out.includes('never') ? undefined : out;
      });
      const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
      expect(listed.split('\n')).toEqual([
        expect.stringMatching(/^NAME +SCOPE +CREATED +LAST USED +REVOKED$/),
        expect.stringMatching(new RegExp(`^grafana  read   ${time}  ${time}$`)),
        expect.stringMatching(new RegExp(`^ops      write  ${time}  ${time}$`)),
        '',
      ]);
      expect(listed).not.toContain(read);
      const json = JSON.parse((await run('list', '--json')).out) as { keys: Record<string, unknown>[] };
      expect(json).toMatchObject({
        total: 2,
        keys: [
          { name: 'grafana', scope: 'read', revokedAt: null },
          { name: 'ops', scope: 'write', revokedAt: null },
        ],
      });
      expect(json.keys.map((key) => Object.keys(key))).toEqual(
        Array.from({ length: 2 }, () => ['name', 'scope', 'createdAt', 'lastUsedAt', 'revokedAt']),
      );
      expect((await run('add', 'ops', '--scope', 'read')).error).toContain(
        'There is already a key called ops.',
      );
      expect(await run('revoke', 'ops')).toEqual({
        code: 0,
        error: '',
        out: 'Revoked ops. A running service refuses it within 5 s.\n',
      });
      await becomes(service, 'UNAUTHENTICATED', CHANGE, write);
      expect(await run('revoke', 'ops')).toMatchObject({ code: 2, out: '' });
      expect((await run('add', 'ops', '--scope', 'admin')).code).toBe(0);
      expect((await run()).out.match(/^ops/gm)).toHaveLength(2);
      expect(await service.kill('SIGTERM')).toBe(0);
      expect((await runAsProcess('list')).out).toContain('grafana');
    },
    PATIENCE_MS,
  );

  it.each([
    [['add', 'grafana'], "required option '--scope <SCOPE>' not specified"],
    [['add', 'grafana', '--scope', 'root'], 'Allowed choices are read, write, admin'],
    [['add', 'settings', '--scope', 'read'], 'settings and loopback are reserved'],
    [['add', 'settings-2', '--scope', 'read'], 'settings and loopback are reserved'],
    [['add', '-x', '--scope', 'read'], 'unknown option'],
    [['add', 'a b', '--scope', 'read'], '1 to 64 of A-Z'],
    [['add', 'x'.repeat(65), '--scope', 'read'], '1 to 64 of A-Z'],
  ])('refuse %j with a reason', async (args, reason) => {
    const { code, error, out } = await home.runHere(['keys', ...args], database.url);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(reason);
  });

  it(
    'are required by a server that listens beyond loopback',
    async () => {
      const options = { databaseUrl: database.url, env: { HINDSIGHT_LOG_LEVEL: 'silent' } };
      const args = ['start', '--node', NODE_DOWN, '--port', '0', '--host', '0.0.0.0'];
      const refused = await home.run(args, options);
      expect({ code: refused.code, out: refused.out }).toEqual({ code: 2, out: '' });
      expect(refused.error).toContain(
        'host is not a loopback address, so an API key is required, and there is none.',
      );
      expect(refused.error).toContain('hindsight keys add');
      const { out } = await home.run(['keys', 'add', 'grafana', '--scope', 'read'], options);
      const service = home.launch(args, options);
      await service.ready;
      expect(await codeOf(service, QUESTION, out.trim())).toBe('fine');
      expect(await codeOf(service, QUESTION)).toBe('UNAUTHENTICATED');
      expect(await service.kill('SIGTERM')).toBe(0);
    },
    PATIENCE_MS,
  );
});
