import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceHome, waitFor } from '../support/service-process.js';

/** Nothing listens there: a node that is down is an observation like any other. */
const NODE_DOWN = 'down=http://127.0.0.1:9';

const PATIENCE_MS = 120_000;

/** So that it has much to say. */
const DEBUG = { env: { HINDSIGHT_LOG_LEVEL: 'debug' } };

describe('a service at its end', () => {
  // A database is made once, and started again by each of them.
  const home = new ServiceHome();
  afterAll(() => home.clear(), PATIENCE_MS);

  it(
    'stops with code 0, and its database with it, though nobody can be told of it any more',
    async () => {
      const service = await home.start(NODE_DOWN, DEBUG);
      service.stopListening();
      expect(await service.kill('SIGTERM')).toBe(0);
      expect(home.findServer()).toBeUndefined();
    },
    PATIENCE_MS,
  );

  it(
    'stops with code 0 while whoever reads its log stands still',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'hindsight-pipe-'));
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
      expect(() => {
        for (;;) writeSync(writer, 'x'.repeat(1_000));
      }).toThrow('EAGAIN');
      // As a child gets it from a shell: whoever writes to it waits.
      const blocking = openSync(pipe, constants.O_WRONLY);
      const service = await home.start(NODE_DOWN, { ...DEBUG, stderr: blocking });
      expect(await service.kill('SIGTERM')).toBe(0);
      expect(home.findServer()).toBeUndefined();
      for (const file of [reader, writer, blocking]) closeSync(file);
      rmSync(folder, { recursive: true });
    },
    PATIENCE_MS,
  );

  if (existsSync('/dev/full')) {
    it(
      'stops with code 0 while the disk of its log is full',
      async () => {
        const full = openSync('/dev/full', 'w');
        const service = await home.start(NODE_DOWN, { ...DEBUG, stderr: full });
        expect(await service.kill('SIGTERM')).toBe(0);
        expect(home.findServer()).toBeUndefined();
        closeSync(full);
      },
      PATIENCE_MS,
    );
  }

  it.each([
    [
      'SIGKILL',
      'it was killed without a word',
      'See that this computer has memory to spare, then start Hindsight again.',
    ],
    ['SIGQUIT', 'received immediate shutdown request', 'Start Hindsight again.'],
  ] as const)(
    'says why its database ended, after %s',
    async (signal, reason, remedy) => {
      const service = await home.start(NODE_DOWN, { env: { HINDSIGHT_LOG_LEVEL: 'silent' } });
      process.kill(home.findServer()!, signal);
      expect(await service.exit).toBe(1);
      const [last, what] = service.log.trimEnd().split('\n').slice(-2);
      expect(last).toContain(`hindsight: The embedded Postgres in ${home.dataDir}/postgres ended: ${reason}`);
      expect(what).toContain(remedy);
      expect(what).toContain(`${home.dataDir}/postgres/server.log`);
    },
    PATIENCE_MS,
  );

  it(
    'says that the database is open only once it was reached',
    async () => {
      const nothing = await home.run(['start', '--node', NODE_DOWN, '--port', '0'], {
        databaseUrl: 'postgres://me:s3cret@127.0.0.1:1/x',
      });
      expect(nothing.code).toBe(1);
      expect(nothing.error).not.toContain('database is open');
      const service = await home.start(NODE_DOWN);
      await waitFor('the line', () => service.log.includes('database is open') || undefined);
      expect(await service.kill('SIGTERM')).toBe(0);
    },
    PATIENCE_MS,
  );

  it(
    'leaves no server behind when a command fails',
    async () => {
      writeFileSync(join(home.dataDir, 'postgres', 'password'), 'another\n');
      const { code, error } = await home.run(['report']);
      expect(code).toBe(1);
      expect(error).toContain('does not accept the password');
      expect(home.findServer()).toBeUndefined();
    },
    PATIENCE_MS,
  );
});
