import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectTo } from './raw-http.js';

/** What many clients do to a server, over and over. */
export interface Attack {
  /** To read all answers, to take nothing of them, or to say nothing at all. */
  readonly kind: 'READ' | 'HOLD' | 'IDLE';
  readonly url: string;
  /** What they ask: a POST of this JSON, a GET without it. */
  readonly path?: string;
  readonly body?: string;
  readonly clients: number;
  readonly ms: number;
}

/** How often each status came; 0 for a connection that ended without one. */
export type Statuses = Readonly<Record<number, number>>;

/** Attacks a server from a process of its own, so that whoever watches the server meanwhile is not held up. */
export async function attack(given: Attack): Promise<Statuses> {
  const loader = ['--no-warnings', '--import', './test/support/typescript.mjs'];
  const child = spawn(process.execPath, [...loader, fileURLToPath(import.meta.url), JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Statuses;
}

/** Each asks for one thing after the other, and reads it. */
async function read({ url, path = '', body, clients, ms }: Attack): Promise<Statuses> {
  const until = performance.now() + ms;
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const statuses: Record<number, number> = {};
  const ask = (): Promise<number> =>
    new Promise((resolve) => {
      const method = body === undefined ? 'GET' : 'POST';
      const headers = { 'content-type': 'application/json' };
      const asking = request(url + path, { agent, method, headers }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.on('error', () => resolve(0));
      });
      asking.on('error', () => resolve(0));
      asking.end(body);
    });
  await together(clients, async () => {
    while (performance.now() < until) {
      const status = await Promise.race([ask(), sleep(until - performance.now(), undefined)]);
      if (status !== undefined) count(statuses, status);
      if (status !== 200) await sleep(50);
    }
  });
  return statuses;
}

/** Each wants one answer and takes nothing of it; who is refused, or ended, comes again. */
async function hold({ url, path = '', clients, ms }: Attack): Promise<Statuses> {
  const statuses: Record<number, number> = {};
  await keepOpen(url, clients, ms, (socket) => {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    socket.once('data', (data) => {
      const status = Number(data.toString('latin1', 9, 12));
      count(statuses, status);
      if (status === 200) socket.pause();
      else socket.destroy();
    });
  });
  return statuses;
}

/** Each is opened and says nothing; when it is closed, it is opened again. */
async function stayIdle({ url, clients, ms }: Attack): Promise<Statuses> {
  await keepOpen(url, clients, ms, (socket) => void socket.resume());
  return {};
}

async function keepOpen(
  url: string,
  clients: number,
  ms: number,
  use: (socket: ReturnType<typeof connectTo>) => void,
): Promise<void> {
  const port = Number(new URL(url).port);
  const until = performance.now() + ms;
  await together(clients, async (index) => {
    await sleep(index / 2);
    while (performance.now() < until) {
      const socket = connectTo(port);
      const isClosed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.once('connect', () => use(socket));
      await Promise.race([isClosed, sleep(until - performance.now())]);
      socket.destroy();
      await sleep(200 + (index % 10) * 80);
    }
  });
}

function together(clients: number, work: (index: number) => Promise<void>): Promise<void[]> {
  return Promise.all(Array.from({ length: clients }, (_, index) => work(index)));
}

function count(statuses: Record<number, number>, status: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

const KINDS = { READ: read, HOLD: hold, IDLE: stayIdle };

const [, program, given] = process.argv;
if (program === fileURLToPath(import.meta.url) && given !== undefined) {
  const asked = JSON.parse(given) as Attack;
  process.stdout.write(JSON.stringify(await KINDS[asked.kind](asked)), () => process.exit(0));
}
