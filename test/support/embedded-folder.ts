import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SystemClock } from '../../src/platform/clock.js';
import { findPostmaster } from '../../src/platform/embedded-postgres/postmaster.js';
import { createLogger, type Logger } from '../../src/platform/logger.js';
import { openDatabase, type OpenedDatabase } from '../../src/platform/open-database.js';
import { giveCluster } from './made-cluster.js';

/** An account without rights. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** A folder that every account may pass through, and its embedded databases, which all end with `clear`. */
export class EmbeddedFolder {
  readonly path: string;
  readonly dataDir: string;
  private readonly opened: OpenedDatabase[] = [];
  private readonly strangers: ChildProcess[] = [];

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'hindsight-embedded-'));
    chmodSync(this.path, 0o755);
    this.dataDir = join(this.path, 'data');
  }

  /** A file of the cluster in the data directory. */
  file(name: string): string {
    return join(this.dataDir, 'postgres', name);
  }

  /** Creates a cluster there that was never started. */
  fill(): Promise<void> {
    return giveCluster(this.dataDir);
  }

  async open(
    options: { exclusive?: boolean; clock?: SystemClock; logger?: Logger } = {},
  ): Promise<OpenedDatabase> {
    const database = await openDatabase({
      exclusive: true,
      dataDir: this.dataDir,
      clock: new SystemClock(),
      logger: createLogger('silent'),
      ...options,
    });
    this.opened.push(database);
    return database;
  }

  /** The main process of the server in the data directory. */
  findServer(): number | undefined {
    return findPostmaster(this.file('data'))?.pid;
  }

  /** Runs a shell line in the folder, as an account without rights. */
  asNobody(script: string): void {
    execFileSync('sh', ['-ec', script], { ...NOBODY, cwd: this.path });
  }

  /** Starts a Node program in the folder, as an account without rights, and waits for its first line. */
  async startAsNobody(program: string, ...args: string[]): Promise<string> {
    const child = spawn(process.execPath, ['-e', program, ...args], {
      ...NOBODY,
      cwd: this.path,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.strangers.push(child);
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return line;
  }

  async clear(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((database) => database.close()));
    for (const child of this.strangers.splice(0)) child.kill('SIGKILL');
    const server = this.findServer();
    if (server !== undefined) process.kill(server, 'SIGQUIT');
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
