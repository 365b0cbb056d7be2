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
import { itAtOnce } from '../support/at-once.js';
import { ServiceHome, waitFor } from '../support/service-process.js';

/** No server listens there: the service records the node as down. */
const NODE_DOWN = 'down=http://127.0.0.1:9';

/** For all cases together. */
const PATIENCE_MS = 300_000;

/** Makes the service write many lines. */
const DEBUG = { env: { HINDSIGHT_LOG_LEVEL: 'debug' } };

/** A data directory whose database is created once: cases start it one after the other. */
class Turns {
  readonly home = new ServiceHome();
  private last: Promise<unknown> = Promise.resolve();

  /** Runs a case after all earlier cases. */
  take(use: (home: ServiceHome) => Promise<void>): () => Promise<void> {
    return () => {
      const run = this.last.then(() => use(this.home));
      this.last = run.catch(() => undefined);
      return run;
    };
  }
}

async function stopsUnheard(home: ServiceHome): Promise<void> {
  const service = await home.start(NODE_DOWN, DEBUG);
  service.stopListening();
  expect(await service.kill('SIGTERM')).toBe(0);
  expect(home.findServer()).toBeUndefined();
}

/** Gives a service a log pipe whose reader is open but never reads. */
async function beforeReader(use: (stderr: number) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-pipe-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  expect(() => {
    for (;;) writeSync(writer, 'x'.repeat(1_000));
  }).toThrow('EAGAIN');
  // A child gets such a pipe from a shell: writes to it block.
  const blocking = openSync(pipe, constants.O_WRONLY);
  await use(blocking);
  for (const file of [reader, writer, blocking]) closeSync(file);
  rmSync(folder, { recursive: true });
}

const stopsBeforeReader = (home: ServiceHome): Promise<void> =>
  beforeReader(async (stderr) => {
    const service = await home.start(NODE_DOWN, { ...DEBUG, stderr });
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(home.findServer()).toBeUndefined();
  });

/** The service must exit by itself, or nothing would start it again. */
const failsBeforeReader = (home: ServiceHome): Promise<void> =>
  beforeReader(async (stderr) => {
    const service = await home.start(NODE_DOWN, { ...DEBUG, stderr });
    process.kill(home.findServer()!, 'SIGKILL');
    expect(await service.exit).toBe(1);
  });

async function stopsOnFullDisk(home: ServiceHome): Promise<void> {
  const full = openSync('/dev/full', 'w');
  const service = await home.start(NODE_DOWN, { ...DEBUG, stderr: full });
  expect(await service.kill('SIGTERM')).toBe(0);
  expect(home.findServer()).toBeUndefined();
  closeSync(full);
}

/** @param reason why the database ended, as reported @param remedy the reported remedy */
const saysWhy =
  (signal: NodeJS.Signals, reason: string, remedy: string) =>
  async (home: ServiceHome): Promise<void> => {
    const service = await home.start(NODE_DOWN, { env: { HINDSIGHT_LOG_LEVEL: 'silent' } });
    process.kill(home.findServer()!, signal);
    expect(await service.exit).toBe(1);
    const [last, what] = service.log.trimEnd().split('\n').slice(-2);
    expect(last).toContain(`hindsight: The embedded Postgres in ${home.dataDir}/postgres ended: ${reason}`);
    expect(what).toContain(remedy);
    expect(what).toContain(`${home.dataDir}/postgres/server.log`);
  };

async function saysOpenOnceReached(home: ServiceHome): Promise<void> {
  const nothing = await home.run(['start', '--node', NODE_DOWN, '--port', '0'], {
    databaseUrl: 'postgres://me:s3cret@127.0.0.1:1/x',
  });
  expect(nothing.code).toBe(1);
  expect(nothing.error).not.toContain('database is open');
  const service = await home.start(NODE_DOWN);
  await waitFor('the line', () => service.log.includes('database is open') || undefined);
  expect(await service.kill('SIGTERM')).toBe(0);
}

async function leavesNoServer(home: ServiceHome): Promise<void> {
  writeFileSync(join(home.dataDir, 'postgres', 'password'), 'another\n');
  const { code, error } = await home.run(['report']);
  expect(code).toBe(1);
  expect(error).toContain('does not accept the password');
  expect(home.findServer()).toBeUndefined();
}

describe('a service at its end', () => {
  const [stopped, failed] = [new Turns(), new Turns()];
  afterAll(() => Promise.all([stopped.home.clear(), failed.home.clear()]), PATIENCE_MS);

  itAtOnce(
    {
      'stops with code 0, together with its database, although it can no longer report this':
        stopped.take(stopsUnheard),
      'stops with code 0 while the reader of its log is stopped': stopped.take(stopsBeforeReader),
      ...(existsSync('/dev/full') && {
        'stops with code 0 while the disk of its log is full': stopped.take(stopsOnFullDisk),
      }),
      'ends with code 1 when its database ended, while the reader of its log is stopped':
        failed.take(failsBeforeReader),
      'says why its database ended, after SIGKILL': failed.take(
        saysWhy(
          'SIGKILL',
          'it was killed without a log message',
          'Free memory on this computer, then start Hindsight again.',
        ),
      ),
      'says why its database ended, after SIGQUIT': failed.take(
        saysWhy('SIGQUIT', 'received immediate shutdown request', 'Start Hindsight again.'),
      ),
      'says that the database is open only once it has been reached': failed.take(saysOpenOnceReached),
      'leaves no server behind when a command fails': failed.take(leavesNoServer),
    },
    PATIENCE_MS,
  );
});
