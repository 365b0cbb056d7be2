import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from './free-port.js';
import { askRedis, type TestRedis } from './redis.js';

const PROGRAM = 'redis-server';

/** A `redis-server` without disk storage, so that killing it loses everything. */
export class LocalRedis implements TestRedis {
  private constructor(
    private readonly port: number,
    private child: ChildProcess,
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  static async start(): Promise<LocalRedis> {
    const port = await findFreePort();
    const redis = new LocalRedis(port, launch(port));
    await redis.answers();
    return redis;
  }

  async flush(): Promise<void> {
    await askRedis(this.url, (redis) => redis.flushall());
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  async revive(): Promise<void> {
    this.child = launch(this.port);
    await this.answers();
  }

  hang(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  stop(): Promise<void> {
    return this.kill();
  }

  private async answers(): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      if (this.child.exitCode !== null) break;
      const isThere = await askRedis(this.url, (redis) => redis.ping()).catch(() => undefined);
      if (isThere) return;
      await sleep(50);
    }
    throw new Error('redis-server does not start');
  }
}

/** `global-teardown.mjs` stops servers that killed specs left behind, by their files with the process id. */
function launch(port: number): ChildProcess {
  const folder = mkdtempSync(join(process.env['HINDSIGHT_TEST_FOLDER'] ?? tmpdir(), 'redis-'));
  const settings = {
    port,
    bind: '127.0.0.1',
    save: '',
    appendonly: 'no',
    dir: folder,
    'set-proc-title': 'no',
  };
  const child = spawn(
    PROGRAM,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: 'ignore' },
  );
  writeFileSync(join(folder, 'pid'), String(child.pid));
  return child;
}
