import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { findPostmaster } from '../../src/platform/embedded-postgres/postmaster.js';

/** A port on which nobody listens: a node that is down. */
const NODE_DOWN = 'gone=http://127.0.0.1:1';

describe('the command line', () => {
  let folder: string;
  const children: ChildProcess[] = [];

  const start = (args: string[], env: Record<string, string> = {}) => {
    const child = spawn(
      process.execPath,
      ['--import', './test/support/typescript.mjs', 'src/main.ts', ...args],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], HINDSIGHT_DATA_DIR: folder, HINDSIGHT_LOG_LEVEL: 'silent', ...env },
      },
    );
    children.push(child);
    return child;
  };

  const runToEnd = async (args: string[], env?: Record<string, string>) => {
    const child = start(args, env);
    const exit = once(child, 'exit') as Promise<[number | null]>;
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: (await exit)[0], out, error };
  };

  const startService = async (...args: string[]) => {
    const child = start(['start', '--node', NODE_DOWN, '--port', '0', ...args]);
    const complaint = text(child.stderr);
    const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
    const early = once(child, 'exit').then(async () => {
      throw new Error(`the service ended: ${await complaint}`);
    });
    early.catch(() => undefined);
    return { child, line: (await Promise.race([line, early]))[0] };
  };

  const stop = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
    const gone = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    return (await gone)[0];
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hindsight-cli-'));
    chmodSync(folder, 0o755);
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    const data = join(folder, 'postgres', 'data');
    const orphan = existsSync(data) ? findPostmaster(data) : undefined;
    if (orphan !== undefined) process.kill(orphan.pid, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('explains itself', async () => {
    expect(await runToEnd(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as unknown,
    });
    const help = await runToEnd(['--help']);
    expect(help.code).toBe(0);
    expect(help.out).toMatch(/^ {2}start +\S/m);
    expect((await runToEnd(['start', '--help'])).out).toContain('HINDSIGHT_POLL_FLOOR');
  });

  it.each([
    [['start', '--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['strat'], "unknown command 'strat'"],
    [['start', '--port', 'x', '--role', 'y'], '--port must be a port from 0 to 65535; --role must be one of'],
    [['start', '--config', '/nowhere.yaml'], 'Cannot read the settings file /nowhere.yaml'],
  ])('ends %j with code 2, a reason and a remedy', async (args, reason) => {
    const { code, error, out } = await runToEnd(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(reason);
    expect(error.trimEnd().split('\n')).toHaveLength(2);
  });

  it('ends with code 1 where the database cannot be reached, and keeps its password to itself', async () => {
    const { code, error } = await runToEnd(['migrate'], {
      DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:1/x',
    });
    expect(code).toBe(1);
    expect(error).toContain('Cannot use the database postgres://me:***@127.0.0.1:1/x');
    expect(error).not.toContain('s3cret');
  });

  it('migrates an embedded database without a service, and says so when there is nothing to do', async () => {
    expect((await runToEnd(['migrate'])).out).toMatch(/Applied \d+ migrations\.\n$/);
    expect(await runToEnd(['migrate'])).toMatchObject({ code: 0, out: 'The database is up to date.\n' });
    expect(findPostmaster(join(folder, 'postgres', 'data'))).toBeUndefined();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'serves until %s, then stops everything with code 0',
    async (signal) => {
      const { child, line } = await startService();
      const url = /^Hindsight is ready at (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1] ?? '';
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      expect(await stop(child, signal)).toBe(0);
      expect(findPostmaster(join(folder, 'postgres', 'data'))).toBeUndefined();
    },
  );

  it('starts again after it was killed, and refuses a second living start', async () => {
    const killed = await startService();
    expect(await stop(killed.child, 'SIGKILL')).toBeNull();
    const next = await startService();
    const second = await runToEnd(['start', '--node', NODE_DOWN, '--port', '0']);
    expect(second.code).toBe(1);
    expect(second.error).toContain(`process ${next.child.pid}, started `);
    expect(await stop(next.child, 'SIGTERM')).toBe(0);
  });

  it('says that the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? String(address.port) : '';
    const { code, error } = await runToEnd(['start', '--node', NODE_DOWN, '--port', port]);
    other.close();
    expect(code).toBe(1);
    expect(error).toContain(port);
    expect(findPostmaster(join(folder, 'postgres', 'data'))).toBeUndefined();
  });
});
