import type { ServerResponse } from 'node:http';
import type { Polls, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { ClaimsObserver } from '../../src/observe/claims/claims.observer.js';
import { describeNode } from '../../src/observe/node/describe-node.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { NodeBudget } from '../../src/observe/subject-recorder.js';
import { ProbesObserver } from '../../src/observe/probes/probes.observer.js';
import { HttpClient } from '../../src/platform/http.js';
import { DeafStore } from '../support/deaf-store.js';
import { startHostileServer, type HostileServer } from '../support/hostile-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { loadSamples, startSamplesNode } from '../support/samples-node.js';
import { useDatabase } from '../support/use-database.js';

interface Answer {
  status?: number;
  body: string | Buffer;
}

const http = new HttpClient();
const going = new AbortController().signal;
const dataSource = useDatabase();
const store = new EventStore(dataSource);
let server: HostileServer;
let answers: Record<string, Answer>;
let nodes = 0;

afterAll(() => http.close());
beforeEach(async () => {
  nodes += 1;
  answers = { '/health/live': { body: 'OK\n' }, '/health/ready': { body: 'READY\n' } };
  server = await startHostileServer((request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer?.status ?? (answer ? 200 : 404));
    response.end(answer?.body ?? '404 page not found\n');
  });
});
afterEach(() => server.close());

function partsOf(clock: ManualClock, statusUrl?: string, bytesPerDay = 1e9) {
  const access = { url: server.url, ...(statusUrl !== undefined && { statusUrl }) };
  const node = { id: `n${nodes}` };
  const budget = new NodeBudget(bytesPerDay);
  return { node, store, clock, book: new PollBook(), budget, api: new NodeApi(http, clock, access) };
}

async function eventsOf(subject: string): Promise<RecordedEvent[]> {
  return (await store.readStreamBack(`n${nodes}/${subject}`, [], 1_000)).reverse();
}

function bodies(events: RecordedEvent[], type: RecordedEvent['type']): Record<string, unknown>[] {
  return events
    .filter((event) => event.type === type)
    .map((event) => event.body as unknown as Record<string, unknown>);
}

describe('ProbesObserver', () => {
  it('records each probe at first, then only changes', async () => {
    const clock = new ManualClock();
    const observer = new ProbesObserver(partsOf(clock));
    for (let look = 0; look < 4; look += 1) {
      expect(await observer.poll(going)).toBe(5_000);
      await clock.advance(5_000);
    }
    answers['/health/ready'] = { status: 503, body: 'UNREADY: last block 12.5s ago\n' };
    await observer.poll(going);
    await clock.advance(5_000);
    answers['/health/ready'] = { status: 503, body: 'UNREADY: last block 17.5s ago\n' };
    await observer.poll(going);

    const changes = bodies(await eventsOf('probes'), 'ProbeChanged');
    expect(changes.map(({ probe, outcome, statusCode }) => [probe, outcome, statusCode])).toEqual([
      ['reachable', 'OK', null],
      ['live', 'OK', 200],
      ['ready', 'OK', 200],
      ['ready', 'FAILED', 503],
    ]);
    expect(changes[3]).toMatchObject({ detail: 'UNREADY: last block 12.5s ago', looks: { count: 4 } });
  });

  it('counts each poll once, however many events it makes', async () => {
    const observer = new ProbesObserver(partsOf(new ManualClock()));
    await observer.poll(going);
    const looks = bodies(await eventsOf('probes'), 'ProbeChanged').map(
      (body) => (body['looks'] as { count: number }).count,
    );
    expect(looks).toEqual([1, 0, 0]);
  });

  it('polls every second while the node is down, and notices its return', async () => {
    const clock = new ManualClock();
    const observer = new ProbesObserver(partsOf(clock));
    await observer.poll(going);
    server.answerWith((request) => request.socket.destroy());
    expect(await observer.poll(going)).toBe(1_000);
    await clock.advance(1_000);
    expect(await observer.poll(going)).toBe(1_000);
    server.answerWith((_request, response) => response.end('OK'));
    expect(await observer.poll(going)).toBe(5_000);

    const reached = bodies(await eventsOf('probes'), 'ProbeChanged').filter(
      ({ probe }) => probe === 'reachable',
    );
    expect(reached.map(({ outcome }) => outcome)).toEqual(['OK', 'FAILED', 'OK']);
  });

  it('sums up each minute', async () => {
    const clock = new ManualClock();
    const observer = new ProbesObserver(partsOf(clock));
    for (let look = 0; look < 25; look += 1) {
      await observer.poll(going);
      await clock.advance(5_000);
    }
    const summaries = bodies(await eventsOf('probes'), 'ProbesSummarised');
    expect(summaries).toHaveLength(1);
    expect(summaries[0]).toMatchObject({ probes: { live: { ok: 13, failed: 0, latency: { count: 13 } } } });
    expect((summaries[0]?.['to'] as number) - (summaries[0]?.['from'] as number)).toBe(60_000);
  });

  it('loses a known node when an ingress in its place says that nothing is there, but no unknown node', async () => {
    const nothing = (_request: unknown, response: ServerResponse): void => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html><h1>404 Not Found</h1></html>');
    };
    const reachable = async (): Promise<unknown[]> =>
      bodies(await eventsOf('probes'), 'ProbeChanged').flatMap(({ probe, outcome }) =>
        probe === 'reachable' ? [outcome] : [],
      );
    const known = new ProbesObserver(partsOf(new ManualClock()));
    await known.poll(going);
    server.answerWith(nothing);
    await known.poll(going);
    await known.poll(going);
    expect(await reachable()).toEqual(['OK', 'FAILED']);
    nodes += 1;
    await new ProbesObserver(partsOf(new ManualClock())).poll(going);
    expect(await reachable()).toEqual(['INVALID']);
  });

  it('knows nothing about a node whose address refuses its token, or that asks for fewer requests', async () => {
    for (const status of [401, 403, 407, 429]) {
      nodes += 1;
      server.answerWith((_request, response) => response.end('OK'));
      const observer = new ProbesObserver(partsOf(new ManualClock()));
      await observer.poll(going);
      server.answerWith(
        (_request, response) => void response.writeHead(status).end('{"code":"unavailable"}'),
      );
      await observer.poll(going);
      const changes = bodies(await eventsOf('probes'), 'ProbeChanged').slice(3);
      expect(changes.map(({ probe, outcome, statusCode }) => [probe, outcome, statusCode])).toEqual([
        ['reachable', 'INVALID', null],
        ['live', 'INVALID', status],
        ['ready', 'INVALID', status],
      ]);
    }
  });

  it('polls the status port only if there is one, and records catching up', async () => {
    const clock = new ManualClock();
    answers['/status'] = { body: '{"result":{"sync_info":{"catching_up":true}}}' };
    const observer = new ProbesObserver(partsOf(clock, server.url));
    await observer.poll(going);
    answers['/status'] = { body: '{"result":{"sync_info":{"catching_up":false}}}' };
    await observer.poll(going);
    answers['/status'] = { body: '<html>' };
    await observer.poll(going);

    const status = bodies(await eventsOf('probes'), 'ProbeChanged').filter(({ probe }) => probe === 'status');
    expect(status.map(({ outcome, catchingUp }) => [outcome, catchingUp])).toEqual([
      ['OK', true],
      ['OK', false],
      ['INVALID', null],
    ]);
  });

  it('continues from the recorded state after a restart', async () => {
    await new ProbesObserver(partsOf(new ManualClock())).poll(going);
    await new ProbesObserver(partsOf(new ManualClock())).poll(going);
    expect(await eventsOf('probes')).toHaveLength(3);
  });

  it('records nothing when it is stopped in the middle of a poll', async () => {
    const stop = new AbortController();
    server.answerWith(() => stop.abort());
    await new ProbesObserver(partsOf(new ManualClock())).poll(stop.signal);
    expect(await eventsOf('probes')).toEqual([]);
  });

  it('discards its answer when another process was first, and keeps its polls', async () => {
    const parts = partsOf(new ManualClock());
    const first = new ProbesObserver(parts);
    await first.poll(going);
    await new ProbesObserver(partsOf(new ManualClock())).poll(going);
    answers['/health/live'] = { status: 503, body: 'FAIL' };
    await new ProbesObserver(partsOf(new ManualClock())).poll(going);
    expect(await first.poll(going)).toBeLessThan(1_000);
    expect(parts.book.take()).toMatchObject({ count: 1 });
    expect(bodies(await eventsOf('probes'), 'ProbeChanged')).toHaveLength(4);
  });
});

/** Polls that are in the log or wait to be. */
async function looksOf(subject: string, book: PollBook): Promise<number> {
  const counts = (await eventsOf(subject)).map(({ body }) =>
    'looks' in body ? (body.looks as Polls).count : 0,
  );
  return counts.reduce((sum, count) => sum + count, 0) + (book.peek()?.count ?? 0);
}

describe('polls whose append happened but whose acknowledgement was lost', () => {
  it.each(['probes', 'claims'])('count once: %s', async (subject) => {
    const deaf = new DeafStore(dataSource);
    const clock = new ManualClock();
    const parts = { ...partsOf(clock), store: deaf };
    const observer = subject === 'probes' ? new ProbesObserver(parts) : new ClaimsObserver(parts);
    const say = (text: string) => {
      answers['/da/health'] = { body: JSON.stringify({ status: text, is_healthy: true }) };
      answers['/health/live'] = { status: 503, body: `FAIL ${text}` };
    };
    say('a');
    await observer.poll(going);
    say('b');
    deaf.isDeaf = true;
    await expect(observer.poll(going)).rejects.toThrow('the connection broke');
    deaf.isDeaf = false;
    await clock.advance(61_000);
    say('c');
    await observer.poll(going);
    expect(await looksOf(subject, parts.book)).toBe(3);
    const [minute] = bodies(await eventsOf('probes'), 'ProbesSummarised');
    if (subject === 'probes') expect(minute).toMatchObject({ probes: { ready: { ok: 3 } } });
  });

  it('are kept if the append did not happen', async () => {
    const parts = partsOf(new ManualClock());
    const failing = new EventStore(dataSource);
    const append = failing.append.bind(failing);
    const observer = new ProbesObserver({ ...parts, store: failing });
    failing.append = () => Promise.reject(new Error('the database is away'));
    await expect(observer.poll(going)).rejects.toThrow('away');
    failing.append = append;
    await observer.poll(going);
    expect(await looksOf('probes', parts.book)).toBe(2);
  });
});

describe('a node that has used its daily share', () => {
  it('has its claims cut, and no probe recorded for its text alone', async () => {
    const LOOKS = 200;
    const clock = new ManualClock();
    const parts = partsOf(clock, undefined, 1_000_000);
    const claims = new ClaimsObserver(parts);
    const probes = new ProbesObserver(parts);
    for (let look = 0; look < LOOKS; look += 1) {
      answers['/da/health'] = {
        body: JSON.stringify({ is_healthy: true, status: `s${look}`, noise: 'x'.repeat(50_000) }),
      };
      answers['/health/live'] = { status: 503, body: String.fromCharCode(0x4e00 + look).repeat(200) };
      await claims.poll(going);
      await probes.poll(going);
      await clock.advance(5_000);
    }
    const recorded = bodies(await eventsOf('claims'), 'DaHealthClaimed');
    expect(recorded.map(({ status }) => status)).toEqual(recorded.map((_, look) => `s${look}`));
    expect(recorded).toHaveLength(LOOKS);
    expect(recorded[0]?.['body']).toMatchObject({ noise: 'x'.repeat(50_000) });
    expect(recorded.at(-1)?.['body']).toEqual({
      hindsight_cut: { bytes: 50_046, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const details = bodies(await eventsOf('probes'), 'ProbeChanged').filter(({ probe }) => probe === 'live');
    // The budget that was too small for a claim still allows for the texts of some probes.
    expect(details.length).toBeGreaterThan(15);
    expect(details.length).toBeLessThan(LOOKS / 2);
    answers['/health/live'] = { body: 'OK' };
    await probes.poll(going);
    expect(bodies(await eventsOf('probes'), 'ProbeChanged').at(-1)).toMatchObject({ outcome: 'OK' });
    // Another process continues counting where this one stopped.
    answers['/da/health'] = {
      body: JSON.stringify({ is_healthy: true, status: 'last', noise: 'x'.repeat(50_000) }),
    };
    await new ClaimsObserver(partsOf(clock, undefined, 1_000_000)).poll(going);
    expect(bodies(await eventsOf('claims'), 'DaHealthClaimed').at(-1)?.['body']).toHaveProperty(
      'hindsight_cut',
    );
  });
});

describe('ClaimsObserver', () => {
  const health = (status: string, extra: Record<string, unknown> = {}): Answer => ({
    body: JSON.stringify({ status, issues: null, timestamp: String(Math.random()), ...extra }),
  });

  it('records a claim verbatim, then only changes, status at once and the rest once a minute', async () => {
    const clock = new ManualClock();
    const observer = new ClaimsObserver(partsOf(clock));
    answers['/da/health'] = health('healthy', { metrics: { total_submissions: 1 } });
    for (let look = 0; look < 3; look += 1) {
      await observer.poll(going);
      await clock.advance(5_000);
    }
    answers['/da/health'] = health('healthy', { metrics: { total_submissions: 2 } });
    await observer.poll(going);
    expect(bodies(await eventsOf('claims'), 'DaHealthClaimed')).toHaveLength(1);

    answers['/da/health'] = health('degraded', { metrics: { total_submissions: 2 } });
    await observer.poll(going);
    await clock.advance(60_000);
    answers['/da/health'] = health('degraded', { metrics: { total_submissions: 3 } });
    await observer.poll(going);

    const claims = bodies(await eventsOf('claims'), 'DaHealthClaimed');
    expect(claims.map(({ status }) => status)).toEqual(['healthy', 'degraded', 'degraded']);
    expect(claims[0]).toMatchObject({
      body: { status: 'healthy', issues: null, metrics: { total_submissions: 1 } },
    });
    expect(claims[1]).toMatchObject({ looks: { count: 4 } });
  });

  it('requests statistics once a minute and records them when they changed', async () => {
    const clock = new ManualClock();
    const observer = new ClaimsObserver(partsOf(clock));
    answers['/da/health'] = health('healthy');
    for (let look = 0; look < 30; look += 1) {
      answers['/da/stats'] = { body: `{"total_submissions":${look < 20 ? 1 : 2},"success_rate":"42.00%"}` };
      await observer.poll(going);
      await clock.advance(5_000);
    }
    expect(server.requests.filter((request) => request === 'GET /da/stats')).toHaveLength(3);
    expect(bodies(await eventsOf('claims'), 'DaStatsClaimed').map(({ body }) => body)).toEqual([
      { total_submissions: 1, success_rate: '42.00%' },
      { total_submissions: 2, success_rate: '42.00%' },
    ]);
  });

  it('polls once a minute if DA monitoring is switched off, and records nothing', async () => {
    answers['/da/health'] = { status: 503, body: 'DA visualization not available\n' };
    const observer = new ClaimsObserver(partsOf(new ManualClock()));
    expect(await observer.poll(going)).toBe(60_000);
    expect(await eventsOf('claims')).toEqual([]);
  });

  describe('about its services', () => {
    const call = (path: string): string => `/evnode.v1.${path}`;
    const asked = (path: string): number =>
      server.requests.filter((request) => request === `POST ${call(path)}`).length;
    const told = async (): Promise<unknown[]> =>
      bodies(await eventsOf('claims'), 'ServiceClaimed').map(({ kind, body }) => [kind, body]);
    beforeEach(() => {
      answers[call('StoreService/GetBlock')] = { status: 404, body: '{"code":"not_found"}' };
      answers[call('ConfigService/GetSignerInfo')] = { body: '{"address":"AQI="}' };
      answers[call('StoreService/GetState')] = { body: '{"state":{"lastBlockHeight":"1"}}' };
    });

    it('polls every five minutes, DA monitoring on or off, and records what has changed', async () => {
      const clock = new ManualClock();
      const observer = new ClaimsObserver(partsOf(clock));
      for (let look = 0; look < 121; look += 1) {
        const isOff = look % 2 === 0;
        answers['/da/health'] = isOff ? { status: 503, body: 'not available' } : health('healthy');
        if (look === 70) {
          answers[call('StoreService/GetState')] = { body: '{"state":{"lastBlockHeight":"2"}}' };
        }
        await observer.poll(going);
        await clock.advance(5_000);
      }
      expect([asked('StoreService/GetState'), asked('ConfigService/GetSignerInfo')]).toEqual([3, 3]);
      expect(await told()).toEqual([
        ['state', { state: { lastBlockHeight: '1' } }],
        ['signer', { address: 'AQI=' }],
        ['state', { state: { lastBlockHeight: '2' } }],
      ]);
      // Another process knows the recorded claims.
      await new ClaimsObserver(partsOf(clock)).poll(going);
      expect(await told()).toHaveLength(3);
    });

    it('records that there is no genesis DA height, and asks for it again before anything else', async () => {
      const lack = { code: 'not_found', message: 'datastore: key not found' };
      answers[call('StoreService/GetGenesisDaHeight')] = { status: 404, body: JSON.stringify(lack) };
      // A proxy in front of the node uses such words as well.
      answers[call('StoreService/GetMetadata')] = { status: 404, body: '{"message":"not found"}' };
      const clock = new ManualClock();
      const observer = new ClaimsObserver(partsOf(clock));
      for (let look = 0; look < 14; look += 1) {
        if (look === 7) answers[call('StoreService/GetGenesisDaHeight')] = { body: '{"height":"7"}' };
        await observer.poll(going);
        await clock.advance(5_000);
      }
      const claims = (await told()) as [string, unknown][];
      expect(claims.filter(([kind]) => kind === 'genesis')).toEqual([
        ['genesis', lack],
        ['genesis', { height: '7' }],
      ]);
      expect(claims.filter(([kind]) => kind === 'pruned')).toEqual([]);
      expect([asked('StoreService/GetGenesisDaHeight'), asked('ConfigService/GetSignerInfo')]).toEqual([
        3, 1,
      ]);
    });

    it('compares the clock of a node with the moment of its answer, however long its services take', async () => {
      const clock = new ManualClock();
      const answeredAt = clock.now();
      const date = new Date(answeredAt).toUTCString();
      server.answerWith(({ method }, response) => {
        const answer = (): unknown =>
          response.writeHead(200, { date }).end('{"status":"healthy","is_healthy":true}');
        if (method === 'POST') void clock.advance(900).then(answer);
        else answer();
      });
      const observer = new ClaimsObserver(partsOf(clock));
      await observer.poll(going);
      expect(clock.now() - answeredAt).toBeGreaterThan(5_000);
      expect(bodies(await eventsOf('claims'), 'DaHealthClaimed')).toMatchObject([
        { looks: { first: answeredAt, last: answeredAt, nodeClock: answeredAt } },
      ]);
    });

    it('leaves polls of its health to events about its health', async () => {
      answers['/da/health'] = { status: 503, body: 'not available' };
      const parts = partsOf(new ManualClock());
      parts.book.note(1);
      await new ClaimsObserver(parts).poll(going);
      expect(await told()).toHaveLength(2);
      expect(parts.book.peek()).toMatchObject({ count: 1 });
    });

    it('asks a node that is away for nothing, and asks nothing more after a broken answer', async () => {
      server.answerWith((request) => request.socket.destroy());
      const observer = new ClaimsObserver(partsOf(new ManualClock()));
      await observer.poll(going);
      expect(server.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
      server.answerWith((request, response) =>
        request.method === 'POST'
          ? request.socket.destroy()
          : response.end('{"status":"healthy","is_healthy":true}'),
      );
      await observer.poll(going);
      expect(server.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
    });

    it('asks again for answers that another process kept from being recorded', async () => {
      const clock = new ManualClock();
      const observer = new ClaimsObserver(partsOf(clock));
      await observer.poll(going);
      answers['/da/health'] = health('healthy');
      await new ClaimsObserver(partsOf(clock)).poll(going);
      await clock.advance(300_000);
      answers[call('StoreService/GetState')] = { body: '{"state":{"lastBlockHeight":"2"}}' };
      expect(await observer.poll(going)).toBe(200);
      expect(await told()).toHaveLength(2);
      await observer.poll(going);
      expect(await told()).toHaveLength(3);
    });
  });

  it('keeps the bytes of a claim that is not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"status":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    answers['/da/health'] = { body };
    await new ClaimsObserver(partsOf(new ManualClock())).poll(going);
    expect(bodies(await eventsOf('claims'), 'DaHealthClaimed')).toMatchObject([
      { status: '\ufffd', original: body.toString('base64') },
    ]);
  });
});

describe('describeNode', () => {
  const describeSamples = async (name: string) => {
    const node = await startSamplesNode(
      loadSamples().filter(({ node: of, method }) => of === name && method !== 'HEAD'),
    );
    const api = new NodeApi(http, new ManualClock(), { url: node.url });
    try {
      return await describeNode(api, {}, going);
    } finally {
      await node.close();
    }
  };

  it('recognises an aggregator', async () => {
    expect(await describeSamples('aggregator')).toEqual({
      chain: 'lab-1',
      servicePrefix: 'evnode.v1',
      shape: 'EV_NODE',
      aggregator: true,
      headerNamespace: '000000000000000000000000000000000000001628c730f46c460a762a',
      dataNamespace: '00000000000000000000000000000000000000657678d7514f28fead58',
    });
  });

  it('does not know the role of a node whose DA monitoring is switched off', async () => {
    expect(await describeSamples('DA monitoring disabled')).toMatchObject({
      chain: 'other-D',
      shape: 'EV_NODE',
      aggregator: null,
      headerNamespace: null,
    });
  });

  it('knows nothing about a node that is down', async () => {
    await server.close();
    expect(await describeNode(partsOf(new ManualClock()).api, {}, going)).toEqual({
      chain: null,
      servicePrefix: null,
      shape: null,
      aggregator: null,
      headerNamespace: null,
      dataNamespace: null,
    });
  });
});
