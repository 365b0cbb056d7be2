import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolder, readPassword } from '../../src/platform/embedded-postgres/cluster.js';
import { placeCluster } from '../../src/platform/embedded-postgres/home.js';
import { findPostmaster } from '../../src/platform/embedded-postgres/postmaster.js';
import { toUrl } from '../../src/platform/embedded-postgres/session.js';
import { runHere, type CommandResult } from './command-here.js';

/** The built program, if `global-setup.mjs` found it up to date. */
export const BUILT = process.env['HINDSIGHT_TEST_PROGRAM'];
/** The built program, or the program from its sources, so that a test needs no build. */
const PROGRAM = BUILT
  ? [resolve(BUILT)]
  : ['--import', resolve('test/support/typescript.mjs'), resolve('src/main.ts')];

/** Long enough for a busy machine. */
const PATIENCE_MS = 150_000;

/** Most waits end at once; longer waits are checked less often. */
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

const READY = /^Hindsight is ready at (http:\/\/\S+)$/;

/** How a program is started. */
export interface LaunchOptions {
  /** Another built program: the path of its `main.js`. */
  readonly program?: string;
  /** The current folder; that of the tests when left out. */
  readonly cwd?: string;
  /** A database on a server; by default the embedded database of the home. */
  readonly databaseUrl?: string | undefined;
  /** Variables in addition to `PATH`, the data directory and the log level. */
  readonly env?: Readonly<Record<string, string>>;
  /** Starts it in its own process group, so that `interrupt` reaches it and its children, like Ctrl-C in a terminal. */
  readonly ownGroup?: boolean;
  /** The file descriptor of its standard error; by default it is kept in `log`. */
  readonly stderr?: number;
  /** Runs it in a terminal with this typed input; needs `script`. */
  readonly typed?: string;
}

/** A data directory, and every process that a test starts on it: both end with `clear`. */
export class ServiceHome {
  readonly dataDir: string;
  private readonly children: ChildProcess[] = [];
  private isCleared = false;

  constructor() {
    this.dataDir = mkdtempSync(join(tmpdir(), 'hindsight-e2e-'));
    // As root, the server runs under another account, which needs access.
    chmodSync(this.dataDir, 0o755);
  }

  /** Starts `hindsight <args>` without waiting for it. */
  launch(args: readonly string[], options: LaunchOptions = {}): ServiceProcess {
    return new ServiceProcess(this.spawn(args, options));
  }

  /** Starts `hindsight start` for a node and waits until it serves. */
  async start(node: string, options: LaunchOptions = {}): Promise<ServiceProcess> {
    const service = this.launch(['start', '--node', node, '--port', '0'], options);
    await service.ready;
    return service;
  }

  /** Runs a command to its end. */
  run(args: readonly string[], options: LaunchOptions = {}): Promise<CommandResult> {
    return resultOf(this.spawn(args, options));
  }

  /** Runs a line of bash, in which `$HINDSIGHT` is the program, to its end. */
  runLine(line: string, options: LaunchOptions = {}): Promise<CommandResult> {
    const env = { ...options.env, HINDSIGHT: [process.execPath, ...PROGRAM].join(' ') };
    return resultOf(this.spawnWords(['bash', '-c', line], { ...options, env }));
  }

  /** Runs a command in this process, on a database of a server: for many calls of a command that was once run as a process. */
  runHere(args: readonly string[], databaseUrl: string): Promise<CommandResult> {
    return runHere(args, { dataDir: this.dataDir, databaseUrl });
  }

  /** Command lines of the living processes that name the data directory. */
  getProcesses(): string[] {
    const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
    return lines.filter((line) => line.includes(this.dataDir) && !/^\s*\d+\s+Z/.test(line));
  }

  /** The running embedded server of the data directory, if any, whichever process started it. */
  findServer(): number | undefined {
    const data = join(this.dataDir, 'postgres', 'data');
    return existsSync(data) ? findPostmaster(data)?.pid : undefined;
  }

  /** The address of that server, which must run. */
  get embeddedUrl(): string {
    const cluster = placeCluster(this.dataDir);
    const port = findPostmaster(dataFolder(cluster))?.port ?? 0;
    return toUrl({ port, password: readPassword(cluster) }, 'hindsight');
  }

  /** Ends all running processes, the database server too, and removes the directory. */
  async clear(): Promise<void> {
    this.isCleared = true;
    const living = this.children.filter((child) => child.exitCode === null && child.signalCode === null);
    const gone = Promise.all(living.map(exitOf));
    for (const child of living) child.kill('SIGKILL');
    await gone;
    const server = this.findServer();
    if (server !== undefined) process.kill(server, 'SIGQUIT');
    while (this.findServer() !== undefined) await sleep(20);
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  private spawn(args: readonly string[], options: LaunchOptions): ChildProcess {
    const { program, typed } = options;
    const command = [process.execPath, ...(program === undefined ? PROGRAM : [program]), ...args];
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    return this.spawnWords(typed === undefined ? command : ['script', '-qec', quoted, '/dev/null'], options);
  }

  private spawnWords(
    [program = '', ...words]: readonly string[],
    { cwd, databaseUrl, env, ownGroup = false, stderr, typed }: LaunchOptions,
  ): ChildProcess {
    // A test that ran out of time may still be running.
    if (this.isCleared) throw new Error('the home of this process is gone');
    const child = spawn(program, words, {
      cwd,
      stdio: [typed === undefined ? 'ignore' : 'pipe', 'pipe', stderr ?? 'pipe'],
      detached: ownGroup,
      env: {
        PATH: process.env['PATH'],
        HINDSIGHT_DATA_DIR: this.dataDir,
        HINDSIGHT_LOG_LEVEL: 'info',
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
        ...env,
      },
    });
    if (typed !== undefined) child.stdin?.write(typed);
    this.children.push(child);
    return child;
  }
}

/** A service in its own process. */
export class ServiceProcess {
  /** Resolves when it serves; rejects with its log when it ends before. */
  readonly ready: Promise<void>;
  /** Resolves with its exit code when it has ended; null after a signal that it could not catch. */
  readonly exit: Promise<number | null>;
  /** What it wrote to standard error so far. */
  log = '';
  /** What it wrote to standard output so far. */
  output = '';
  private url: string | undefined;

  constructor(private readonly child: ChildProcess) {
    this.exit = exitOf(child);
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.log += chunk));
    this.ready = new Promise((resolve, reject) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        this.output += `${line}\n`;
        this.url ??= READY.exec(line)?.[1];
        if (this.url !== undefined) resolve();
      });
      void this.exit.then((code) =>
        reject(new Error(`the service ended with ${code} before it was ready:\n${this.log}`)),
      );
    });
    // A test that kills it during its start does not wait for `ready`.
    this.ready.catch(() => undefined);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The address of the service. */
  get address(): string {
    if (this.url === undefined) throw new Error('the service is not ready');
    return this.url;
  }

  /** Runs a GraphQL query; rejects when the answer has errors. */
  async graphql<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
    const response = await fetch(`${this.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const answer = (await response.json()) as { data: Data; errors?: unknown };
    if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
    return answer.data;
  }

  /** Every row of a connection. The query takes `$after` and requests the connection's `nodes` and `pageInfo`. */
  async readAll<Row>(query: string, variables: Record<string, unknown> = {}): Promise<Row[]> {
    const rows: Row[] = [];
    let after: string | null = null;
    do {
      type Page = { nodes: Row[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
      const data: Record<string, Page> = await this.graphql(query, { ...variables, after });
      const [page] = Object.values(data);
      rows.push(...(page?.nodes ?? []));
      after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null);
    return rows;
  }

  /** Stops reading its log. */
  stopListening(): void {
    this.child.stderr?.destroy();
  }

  /** Signals only the process, and waits until it has ended. */
  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }

  /** Signals its process group, like Ctrl-C in a terminal, and waits until it has ended. Needs `ownGroup`. */
  interrupt(): Promise<number | null> {
    process.kill(-this.pid, 'SIGINT');
    return this.exit;
  }
}

/** Tries until `attempt` returns a value other than undefined; an error counts as undefined. */
export async function waitFor<T>(
  what: string,
  attempt: () => Promise<T | undefined> | T | undefined,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  let trouble: unknown;
  let pauseMs = SHORTEST_PAUSE_MS;
  do {
    try {
      const result = await attempt();
      if (result !== undefined) return result;
      trouble = undefined;
    } catch (error) {
      trouble = error;
    }
    await sleep(pauseMs);
    pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS);
  } while (performance.now() < deadline);
  throw new Error(`waited in vain for ${what}`, { cause: trouble });
}

async function resultOf(child: ChildProcess): Promise<CommandResult> {
  const exit = exitOf(child);
  const [out, error] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return { code: await exit, out, error };
}

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}
