import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ManualClock } from '../support/manual-clock.js';
import { canonicalText } from '../support/truth/hold-against-truth.js';
import { ScriptedAddress, type Front } from '../support/truth/scripted-address.js';
import { ScriptedProcess } from '../support/truth/scripted-process.js';
import { seededRandom } from '../support/seeded-random.js';

const REQUEST = 'GET /da/submissions HTTP/1.1\r\nhost: node\r\n\r\n';
/** Longer than Node's servers keep a connection by default. */
const LONG_MS = 6_500;

interface List {
  readonly submissions: readonly Record<string, unknown>[];
}

describe('an address of scripted processes', () => {
  const clock = new ManualClock();
  const addresses: ScriptedAddress[] = [];
  afterAll(() => Promise.all(addresses.map((address) => address.close())));

  const make = (name: string, size = 100): ScriptedProcess =>
    new ScriptedProcess(name, clock, seededRandom(1), { ringSize: size }).start();

  async function open(front: Front): Promise<ScriptedAddress> {
    const address = await ScriptedAddress.open('a', front, clock);
    addresses.push(address);
    return address;
  }

  async function ask({ url }: ScriptedAddress): Promise<{ list: List; headers: Headers; status: number }> {
    const response = await fetch(`${url}/da/submissions`);
    const text = await response.text();
    const list = text.startsWith('{') ? (JSON.parse(text) as List) : { submissions: [] };
    return { list, headers: response.headers, status: response.status };
  }

  /** The bytes that come over one connection, and whether it was closed. */
  function dial({ url }: ScriptedAddress): { socket: Socket; heard: () => string; isClosed: () => boolean } {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let [heard, isClosed] = ['', false];
    socket.on('data', (bytes) => (heard += String(bytes)));
    socket.on('error', () => undefined).on('close', () => (isClosed = true));
    return { socket, heard: () => heard, isClosed: () => isClosed };
  }

  it('shows the newest row first, forgets its rows at the end of its life, and records everything', async () => {
    const process = make('p', 3);
    const address = await open({ processes: [process] });
    process.post(5);
    const { list } = await ask(address);
    expect(list.submissions.map((row) => canonicalText(row))).toEqual(
      process.posted
        .map(({ text }) => text)
        .slice(2)
        .toReversed(),
    );
    process.die();
    process.start();
    expect((await ask(address)).list.submissions).toEqual([]);
    expect(process.posted).toHaveLength(5);
    expect(new Set(process.posted.map(({ text }) => text)).size).toBe(5);
  });

  it('has rows enter when they are due, whether or not it is polled, and none while the process is dead', async () => {
    const process = make('p').postEvery(1_000);
    await clock.advance(60_000);
    const { length } = process.posted;
    expect(length).toBeGreaterThan(40);
    const times = process.posted.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(clock.now());
    process.die();
    await clock.advance(60_000);
    expect(process.posted).toHaveLength(length);
  });

  it('writes equal rows within a second as one text', async () => {
    const process = make('p');
    await clock.advance(1_000);
    const { posted } = process.post(3, { alike: true });
    expect(posted).toHaveLength(3);
    expect(new Set(posted.map(({ text }) => text)).size).toBe(1);
  });

  it('sends no header but its own, and keeps a connection for as long as its client', async () => {
    const address = await open({ processes: [make('p')] });
    const { socket, heard, isClosed } = dial(address);
    socket.write(REQUEST);
    await sleep(LONG_MS);
    socket.write(REQUEST);
    await sleep(100);
    const answers = heard().split('HTTP/1.1 200 OK\r\n').slice(1);
    expect(answers).toHaveLength(2);
    for (const answer of answers) {
      const names = [...answer.matchAll(/^([\w-]+): /gm)].map(([, name]) => name);
      expect(names).toEqual(['Content-Type', 'Date', 'Content-Length']);
    }
    expect(isClosed()).toBe(false);
    socket.destroy();
  });

  it('closes its connections and its port, and comes back under the same URL', async () => {
    const address = await open({ processes: [make('p')] });
    const { socket, isClosed } = dial(address);
    socket.write(REQUEST);
    await sleep(50);
    await address.close();
    await sleep(50);
    expect(isClosed()).toBe(true);
    await expect(ask(address)).rejects.toThrow('fetch failed');
    await address.listen();
    expect((await ask(address)).status).toBe(200);
  });

  it('closes each connection after its answer if configured', async () => {
    const { socket, heard, isClosed } = dial(await open({ processes: [make('p')], closes: true }));
    socket.write(REQUEST);
    await sleep(100);
    expect(heard()).toContain('Connection: close');
    expect(isClosed()).toBe(true);
  });

  it('is seen as a proxy by its headers, and by its own page while there is no process behind it', async () => {
    const process = make('p');
    const address = await open({ processes: [process], headers: { via: '1.1 edge' } });
    expect((await ask(address)).headers.get('via')).toBe('1.1 edge');
    process.die();
    expect((await ask(address)).status).toBe(502);
  });

  it('repeats a kept answer, with its date and its age, and does not count it as a poll', async () => {
    const process = make('p').post(1);
    const address = await open({ processes: [process], headers: { via: '1.1 cache' } });
    const first = await ask(address);
    const looks = address.looks.length;
    address.freeze(true);
    process.post(1);
    await clock.advance(7_000);
    const kept = await ask(address);
    expect([kept.list, kept.headers.get('date'), kept.headers.get('age')]).toEqual([
      first.list,
      first.headers.get('date'),
      '7',
    ]);
    expect(address.looks).toHaveLength(looks);
    address.thaw();
    expect((await ask(address)).list.submissions).toHaveLength(2);
  });

  it('ties a connection to one process if connections are balanced, until that process dies', async () => {
    const [p, q] = [make('p').post(1), make('q').post(2)];
    let chosen = p;
    const address = await open({ processes: [p, q], byConnection: true, pick: () => chosen });
    const { socket, heard, isClosed } = dial(address);
    socket.write(REQUEST);
    await sleep(50);
    chosen = q;
    socket.write(REQUEST);
    await sleep(50);
    expect([...heard().matchAll(/"total":(\d)/g)].map(([, total]) => total)).toEqual(['1', '1']);
    p.die();
    await address.dropConnections(p);
    await sleep(50);
    expect(isClosed()).toBe(true);
    expect((await ask(address)).list.submissions).toHaveLength(2);
  });
});
