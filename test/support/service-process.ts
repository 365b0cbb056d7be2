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

/** The built program, where `global-setup.mjs` found it up to date. */
export const BUILT = process.env['HINDSIGHT_TEST_PROGRAM'];
/** The built one, or the program from its sources, so that a test needs no build. */
const PROGRAM = BUILT
  ? [resolve(BUILT)]
  : ['--import', resolve('test/support/typescript.mjs'), resolve('src/main.ts')];

/** A machine that does much else at the same time takes longer than one may think. */
const PATIENCE_MS = 150_000;

/** What is waited for comes most often at once; what takes longer is not asked more often for that. */
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

const READY = /^Hindsight is ready at (http:\/\/\S+)$/;

/** How a program is started. */
export interface LaunchOptions {
  /** A program that is built and lies elsewhere: the path of its `main.js`. */
  readonly program?: string;
  /** A database on a server; without it the embedded one of the home. */
  readonly databaseUrl?: string | undefined;
  /** Variables beside `PATH`, the data directory and the log level. */
  readonly env?: Readonly<Record<string, string>>;
  /** In a process group of its own, so that `interrupt` reaches it and its children as a terminal's Ctrl-C would. */
  readonly ownGroup?: boolean;
  /** Where its standard error goes; else it is kept in `log`. */
  readonly stderr?: number;
  /** Runs it at a terminal, at which somebody has typed this; needs `script`. */
  readonly typed?: string;
}

/** A data directory, and every process that a test starts on it: nothing of either survives `clear`. */
export class ServiceHome {
  readonly dataDir: string;
  private readonly children: ChildProcess[] = [];
  private isCleared = false;

  constructor() {
    this.dataDir = mkdtempSync(join(tmpdir(), 'hindsight-e2e-'));
    // Under root the server runs under another account, which must get in.
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

  /** The same in this process, on a database of a server: for the many ways to call a command of which one was run as a process. */
  runHere(args: readonly string[], databaseUrl: string): Promise<CommandResult> {
    return runHere(args, { dataDir: this.dataDir, databaseUrl });
  }

  /** Command lines of the living processes that name the data directory. */
  getProcesses(): string[] {
    const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
    return lines.filter((line) => line.includes(this.dataDir) && !/^\s*\d+\s+Z/.test(line));
  }

  /** The embedded server of the data directory, if one runs, whoever left it there. */
  findServer(): number | undefined {
    const data = join(this.dataDir, 'postgres', 'data');
    return existsSync(data) ? findPostmaster(data)?.pid : undefined;
  }

  /** Where that server takes connections, which must run. */
  get embeddedUrl(): string {
    const cluster = placeCluster(this.dataDir);
    const port = findPostmaster(dataFolder(cluster))?.port ?? 0;
    return toUrl({ port, password: readPassword(cluster) }, 'hindsight');
  }

  /** Ends whatever still runs, the database server too, and removes the directory. */
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
    { databaseUrl, env, ownGroup = false, stderr, typed }: LaunchOptions,
  ): ChildProcess {
    // A test that ran out of time may still be at it.
    if (this.isCleared) throw new Error('the home of this process is gone');
    const child = spawn(program, words, {
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

/** A service in a process of its own. */
export class ServiceProcess {
  /** Resolves when it serves; rejects, with all it said, when it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when it is gone, with its exit code; null after a signal that it could not catch. */
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
    // A test that kills it in the middle of its start does not wait for it.
    this.ready.catch(() => undefined);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Where it serves. */
  get address(): string {
    if (this.url === undefined) throw new Error('the service is not ready');
    return this.url;
  }

  /** Asks its GraphQL; rejects when the answer holds errors. */
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

  /** Every row of a connection. The query takes `$after` and asks the connection for `nodes` and `pageInfo`. */
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

  /** From now on nobody reads its log. */
  stopListening(): void {
    this.child.stderr?.destroy();
  }

  /** Signals the process alone, and waits until it is gone. */
  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }

  /** Signals its process group, as a terminal does at Ctrl-C, and waits until it is gone. Needs `ownGroup`. */
  interrupt(): Promise<number | null> {
    process.kill(-this.pid, 'SIGINT');
    return this.exit;
  }
}

/** Tries until `attempt` gives something but undefined; what it throws on the way counts as nothing yet. */
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
