import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectTo } from './raw-http.js';

/** An action that many clients repeat against a server. */
export interface Attack {
  /** READ reads all answers, HOLD reads nothing of them, IDLE sends nothing. */
  readonly kind: 'READ' | 'HOLD' | 'IDLE';
  readonly url: string;
  /** The request: a POST of this JSON, or a GET without it. */
  readonly path?: string;
  readonly body?: string;
  readonly clients: number;
  readonly ms: number;
}

/** The number of answers of each status; 0 for a connection that ended without one. */
export type Statuses = Readonly<Record<number, number>>;

/** Attacks a server from a separate process, so that monitoring of the server is not delayed. */
export async function attack(given: Attack): Promise<Statuses> {
  const loader = ['--no-warnings', '--import', './test/support/typescript.mjs'];
  const child = spawn(process.execPath, [...loader, fileURLToPath(import.meta.url), JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Statuses;
}

/** Each client sends one request after the other, and reads the answers. */
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

/** Each client requests one answer and reads nothing of it; a client that is refused or disconnected comes back. */
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

/** Each connection sends nothing, and is opened again when it is closed. */
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
