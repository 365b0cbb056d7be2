import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './free-port.js';
import { findProgram } from './programs.js';
import { waitFor } from './service-process.js';

/** PgBouncer does not run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** A PgBouncer in front of a database, with the settings that docs/running.md requires. */
export class PgBouncer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(databaseUrl: string, mode: 'session' | 'transaction'): Promise<PgBouncer> {
    const { hostname, port, username, password, pathname } = new URL(databaseUrl);
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-pgbouncer-'));
    chmodSync(folder, 0o755);
    const own = await findFreePort();
    const file = join(folder, 'pgbouncer.ini');
    const login = `host=${hostname} port=${port || 5432} user=${username} password=${decodeURIComponent(password)}`;
    writeFileSync(
      file,
      `[databases]\n* = ${login}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =\n` +
        `auth_type = any\npool_mode = ${mode}\ndefault_pool_size = 60\nignore_startup_parameters = options\n`,
      { mode: 0o600 },
    );
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(file, NOBODY.uid, NOBODY.gid);
    const child = spawn(findProgram('pgbouncer') ?? 'pgbouncer', ['-q', file], {
      stdio: 'ignore',
      ...(isRoot && NOBODY),
    });
    const bouncer = new PgBouncer(`postgres://${username}:any@127.0.0.1:${own}${pathname}`, child, folder);
    await waitFor('PgBouncer', () => bouncer.answers(own));
    return bouncer;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async answers(port: number): Promise<true> {
    if (this.child.exitCode !== null) throw new Error(`PgBouncer ended with ${this.child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } finally {
      socket.destroy();
    }
  }
}
