import { RecordProjection } from '../../src/projections/record/projection.js';
import { request } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { getIntrospectionQuery, type GraphQLObjectType, printSchema } from 'graphql';
import { SystemClock } from '../../src/platform/clock.js';
import { startApi, type Answer, type ApiServer } from '../support/api-server.js';
import { BlackHoleProxy } from '../support/black-hole-proxy.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { availabilityRow, insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { waitFor } from '../support/service-process.js';

const SCHEMA_FILE = new URL('../../src/api/schema.gql', import.meta.url);

/** The computer's clock, which can be moved forward. */
class ShiftedClock extends SystemClock {
  shiftMs = 0;

  override now(): number {
    return super.now() + this.shiftMs;
  }

  override monotonic(): number {
    return super.monotonic() + this.shiftMs;
  }
}

/** Readiness without the tasks that the process runs by time, which have a spec of their own. */
function withoutRunning(answer: unknown): unknown {
  const { loops, calendar, ...readiness } = answer as Record<string, unknown>;
  expect([loops, calendar]).toEqual([expect.anything(), expect.anything()]);
  return readiness;
}

describe('the GraphQL server', () => {
  const clock = new ShiftedClock();
  let database: TestDatabase;
  let api: ApiServer;

  const post = (body: unknown, headers: Record<string, string> = {}, url = api.url): Promise<Response> =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const codeOf = async (response: Response): Promise<string | undefined> =>
    ((await response.json()) as Answer<unknown>).errors?.[0]?.extensions.code;

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { clock });
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha')]);
    await insertRows(api.dataSource, 'submission', [submissionRow(1, { lineage_key: null })]);
  });

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  it('serves the schema of src/api/schema.gql (UPDATE_SCHEMA=1 writes it again)', () => {
    const running = `# The schema as it is served; test/integration/graphql-server.spec.ts keeps the two equal.\n\n${printSchema(api.app.get(GraphQLSchemaHost).schema)}\n`;
    if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync(SCHEMA_FILE, running);
    expect(running).toBe(readFileSync(SCHEMA_FILE, 'utf8'));
  });

  it('answers the introspection queries of tools', async () => {
    const answer = await api.ask<{ __schema: object }>(getIntrospectionQuery());
    expect(answer.errors).toBeUndefined();
    expect(answer.extensions?.cost.requested).toBe(8_272);
  });

  it('gives the same answer when the query is compiled', async () => {
    const query =
      'query ($first: Int!, $more: Boolean!, $from: DateTime = null) { submissions(first: $first, filter: {from: $from}) { nodes { id raw blocks node { id da { state } } message @include(if: $more) } pageInfo { hasNextPage } } }';
    const answers = [];
    for (let round = 0; round < 4; round += 1)
      answers.push(await api.ask(query, { first: 5, more: round % 2 === 0, from: '2020-01-01T00:00:00Z' }));
    expect(answers[0]?.data).toMatchObject({
      submissions: { nodes: [{ id: 'alpha~1', node: { id: 'alpha' }, message: null }] },
    });
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[3]).toEqual(answers[1]);
    for (let round = 0; round < 3; round += 1) {
      expect(await api.codesOf(query, { first: 'x', more: true })).toEqual(['BAD_USER_INPUT']);
      expect(await api.codesOf(query, { first: 1001, more: true })).toEqual(['BAD_USER_INPUT']);
      expect(await api.codesOf(query, { first: 5 })).toEqual(['BAD_USER_INPUT']);
    }
  });

  it('reads plain columns of a row in place, so a compiled query calls no resolver for them', () => {
    const { schema } = api.app.get(GraphQLSchemaHost);
    const { daHeight, raw } = (schema.getType('Submission') as GraphQLObjectType).getFields();
    expect(daHeight).toMatchObject({ name: 'daHeight', resolve: undefined });
    expect(raw?.resolve).toEqual(expect.any(Function));
  });

  it('runs the named operation, also on later requests', async () => {
    const query = 'query A { a: node(id: "alpha") { id } } query B { b: node(id: "alpha") { url } }';
    for (let round = 0; round < 3; round += 1) {
      const a = (await (await post({ query, operationName: 'A' })).json()) as Answer<unknown>;
      const b = (await (await post({ query, operationName: 'B' })).json()) as Answer<unknown>;
      expect([a.data, b.data]).toEqual([
        { a: { id: 'alpha' } },
        { b: { url: expect.any(String) as unknown } },
      ]);
      expect(await codeOf(await post({ query, operationName: 'C' }))).toBe('BAD_USER_INPUT');
      expect(await codeOf(await post({ query }))).toBe('BAD_USER_INPUT');
    }
  });

  it.each([
    '',
    '{',
    '{ nothing }',
    '{ nodes { id',
    'mutation { a }',
    '{ node { id } }',
    '1',
    'null',
    '{"kind":"Document","definitions":[]}',
    '[]',
    '{ submissions(first: "5") { nodes { id } } }',
    '{ blocks(filter: {heightFrom: 1.5}) { nodes { height } } }',
  ])('refuses the query %p as BAD_USER_INPUT, twice', async (query) => {
    for (let round = 0; round < 2; round += 1) {
      const answer = await api.ask(query);
      expect(answer.status).toBe(400);
      expect(answer.errors?.map((error) => error.extensions.code)).toEqual(
        expect.arrayContaining(['BAD_USER_INPUT']),
      );
    }
  });

  it.each([
    ['not JSON', '{"query":'],
    ['an array', '[{"query":"{ nodes { id } }"}]'],
    ['no query', '{}'],
    ['a syntax tree', '{"query":{"kind":"Document"}}'],
    ['variables that are no object', '{"query":"{ nodes { id } }","variables":[1]}'],
  ])('refuses %s as a body', async (_what, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await codeOf(response)).toBe('BAD_USER_INPUT');
  });

  it('gives the number of the list item in which an error happened, and no details of internal errors', async () => {
    await insertRows(api.dataSource, 'availability_interval', [
      availabilityRow('2026-11-21T03:00:00Z', null, 'NONSENSE'),
    ]);
    const answer = await api.ask('{ availability(node: "alpha") { state } }');
    expect(answer.errors?.[0]).toMatchObject({
      message: 'Internal error; the log of the server has the details.',
      path: ['availability', 0, 'state'],
      extensions: { code: 'INTERNAL' },
    });
  });

  it('reports the cost of each query', async () => {
    const answer = await api.ask('{ submissions(first: 10) { nodes { id raw } } }');
    expect(answer.extensions?.cost).toEqual({ requested: 5_000 + 10 * (10 + 1 + 1 + 150), limit: 2_000_000 });
  });

  it.each([
    [
      'too many rows at once',
      `{ ${[1, 2, 3, 4, 5].map((n) => `a${n}: submissions(first: 1000) { nodes { raw blobIds statusText occurredAtText blocks node { id } id } edges { node { id raw blobIds statusText } } }`).join(' ')} }`,
    ],
    ['400 aliases', `{ ${Array.from({ length: 400 }, (_, n) => `a${n}: nodes { id }`).join(' ')} }`],
    [
      'nested introspection',
      '{ __schema { types { fields { type { fields { type { fields { type { fields { type { fields { name } } } } } } } } } } } }',
    ],
    [
      'fragments that double',
      `query { submissions(first: 1000) { nodes { ...f1 } } } ${Array.from({ length: 16 }, (_, n) => `fragment f${n + 1} on Submission { ${n < 15 ? `...f${n + 2} ...f${n + 2}` : 'id raw'} }`).join(' ')}`,
    ],
  ])('refuses %s as TOO_EXPENSIVE', async (_what, query) => {
    const answer = await api.ask(query);
    expect(answer.errors?.map((error) => error.extensions.code)).toEqual(['TOO_EXPENSIVE']);
    expect(answer.status).toBe(400);
  });

  it('counts the rows that variables request', async () => {
    const query =
      'query ($n: Int) { a: submissions(first: $n) { nodes { raw blobIds statusText occurredAtText blocks } } b: submissions(last: $n) { nodes { raw blobIds statusText occurredAtText blocks } } c: submissions(first: $n) { nodes { raw blobIds statusText occurredAtText blocks } } d: submissions(first: $n) { edges { node { raw blobIds statusText occurredAtText blocks node { da { state } node { state } } } } nodes { raw blobIds statusText occurredAtText blocks node { da { state } } } } e: submissions(first: $n) { edges { node { raw blobIds statusText occurredAtText blocks } } } f: submissions(first: $n) { nodes { raw blobIds statusText occurredAtText blocks } } }';
    expect(await api.codesOf(query, { n: 10 })).toEqual([]);
    expect(await api.codesOf(query, { n: 1000 })).toEqual(['TOO_EXPENSIVE']);
  });

  it('refuses a subscription by POST, which needs a WebSocket', async () => {
    expect(await api.codesOf('subscription { healthChanged { nodeId } }')).toEqual(['BAD_USER_INPUT']);
  });

  it('refuses queries that are too deep, too long or too big', async () => {
    const deep = `{ __type(name: "A") { ${'ofType { '.repeat(25)} name ${'}'.repeat(25)} } }`;
    expect(await api.codesOf(deep)).toEqual(['TOO_EXPENSIVE']);
    expect(await api.codesOf(`{ nodes { ${'id '.repeat(2_100)} } }`)).toEqual(['TOO_EXPENSIVE']);
    const response = await post({ query: '{ nodes { id } }', variables: { text: 'x'.repeat(200_000) } });
    expect([response.status, await codeOf(response)]).toEqual([413, 'TOO_EXPENSIVE']);
  });

  it('ignores variables that no operation declares, however deeply they are nested', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (let round = 0; round < 2; round += 1) {
      const response = await post(
        `{"query":"query ($n: Int) { nodes { id } submissions(first: $n) { nodes { id } } }","variables":{"n":1,"x":${deep}}}`,
        { 'content-type': 'application/json' },
      );
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { data: { nodes: [{ id: 'alpha' }] } },
      ]);
    }
  });

  it('cannot be tricked by a page of another origin', async () => {
    const form = await post('query=%7Bnodes%7Bid%7D%7D', {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://evil.example',
    });
    expect([form.status, await codeOf(form)]).toEqual([400, 'BAD_USER_INPUT']);
    const text = await post('{"query":"{ nodes { id } }"}', { 'content-type': 'text/plain' });
    expect(text.status).toBe(400);
    const get = await fetch(`${api.url}/graphql?query=${encodeURIComponent('{ nodes { id } }')}`);
    expect(get.status).toBe(400);
    const script = await fetch(`${api.url}/graphql?query=${encodeURIComponent('{ nodes { id } }')}`, {
      headers: { accept: 'application/graphql-response+json', 'sec-fetch-site': 'cross-site' },
    });
    expect([script.status, await codeOf(script)]).toEqual([400, 'BAD_USER_INPUT']);
    const json = await post({ query: '{ nodes { id } }' }, { origin: 'http://evil.example' });
    expect(json.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answers queries by GET to clients of GraphQL over HTTP, and uses their media type', async () => {
    // This is what urql sends with `preferGetMethod`.
    const accept =
      'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';
    const ask = (query: string, variables: object = {}): Promise<Response> =>
      fetch(
        `${api.url}/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString()}`,
        { headers: { accept } },
      );
    const answer = await ask('query ($id: ID!) { node(id: $id) { id } }', { id: 'alpha' });
    expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toMatchObject([
      200,
      'application/graphql-response+json; charset=utf-8',
      { data: { node: { id: 'alpha' } } },
    ]);
    const wrong = await ask('{ nothing }');
    expect([wrong.status, await codeOf(wrong)]).toEqual([400, 'BAD_USER_INPUT']);
    const change = await ask('mutation { retryJob(id: "1") { id } }');
    expect([change.status, change.headers.get('allow')]).toEqual([405, 'POST']);
    const posted = await post({ query: '{ nodes { id } }' });
    expect(posted.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('compresses its answers for clients that accept it, and sends no encoding header to others', async () => {
    const ask = async (
      path: string,
      encoding: string,
      init: object = {},
    ): Promise<[string | undefined, Buffer]> =>
      new Promise((resolve, reject) => {
        const { port } = new URL(api.url);
        const sent = request(
          {
            host: '127.0.0.1',
            port,
            path,
            headers: { 'accept-encoding': encoding, 'content-type': 'application/json' },
            ...init,
          },
          (response) => {
            const pieces: Buffer[] = [];
            response.on('data', (piece: Buffer) => pieces.push(piece));
            response.on('end', () => resolve([response.headers['content-encoding'], Buffer.concat(pieces)]));
          },
        );
        sent.on('error', reject);
        sent.end('method' in init ? JSON.stringify({ query: getIntrospectionQuery() }) : undefined);
      });
    for (const [path, init] of [
      ['/graphql', { method: 'POST' }],
      ['/openapi.json', {}],
      ['/export/submissions.csv', {}],
    ] as const) {
      const [none, plain] = await ask(path, 'identity', init);
      expect([path, none]).toEqual([path, undefined]);
      const [packed, bytes] = await ask(path, 'br, gzip', init);
      if (plain.length < 1_024 && packed === undefined) expect(bytes).toEqual(plain);
      else expect([path, packed, gunzipSync(bytes).equals(plain)]).toEqual([path, 'gzip', true]);
      if (path !== '/export/submissions.csv') expect(bytes.length).toBeLessThan(plain.length / 4);
    }
  });

  it('requires a key where keys are configured, before it reads the query', async () => {
    const locked = await startApi(database.url, { keys: ['first-key', 'second-key'] });
    try {
      const query = { query: '{ nodes { id } }' };
      for (const headers of <Record<string, string>[]>[
        {},
        { 'x-api-key': 'wrong' },
        { authorization: 'Bearer wrong' },
        { authorization: 'Basic first-key' },
        { 'x-api-key': '' },
      ]) {
        const response = await post(query, headers, locked.url);
        expect([response.status, await codeOf(response)]).toEqual([401, 'UNAUTHENTICATED']);
      }
      expect(await codeOf(await post('{"query":', {}, locked.url))).toBe('UNAUTHENTICATED');
      for (const headers of <Record<string, string>[]>[
        { 'x-api-key': 'first-key' },
        { authorization: 'Bearer second-key' },
        { authorization: 'bearer first-key' },
      ]) {
        expect((await post(query, headers, locked.url)).status).toBe(200);
      }
      expect((await fetch(locked.url)).status).toBe(200);
      expect((await fetch(`${locked.url}/health/live`)).status).toBe(200);
    } finally {
      await locked.stop();
    }
  });

  it('without keys answers only requests for this computer, so no web page reads it by a name of its own', async () => {
    const ask = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const { port } = new URL(api.url);
        const headers = { host, 'content-type': 'application/json' };
        const sent = request(
          { host: '127.0.0.1', port, path: '/graphql', method: 'POST', headers },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        sent.on('error', reject);
        sent.end('{"query":"{ nodes { id } }"}');
      });
    expect(await ask('evil.example')).toBe(403);
    expect(await ask('127.0.0.1.evil.example')).toBe(403);
    expect(await ask('localhost:4400')).toBe(200);
    expect(await ask('[::1]:4400')).toBe(200);
  });

  it('refuses a query that is nested beyond the stack', async () => {
    const deep = `{ submissions(filter: { nodes: ${'['.repeat(1_900)}"a"${']'.repeat(1_900)} }) { nodes { id } } }`;
    expect(['TOO_EXPENSIVE', 'BAD_USER_INPUT']).toContain((await api.codesOf(deep))[0]);
  });

  it('is live, and ready while its read models progress, for any client', async () => {
    expect(await (await fetch(`${api.url}/health/live`)).json()).toEqual({ live: true });
    const { version } = new RecordProjection();
    await insertRows(api.dataSource, 'projection_checkpoint', [{ name: 'record', position: 3, version }]);
    await api.dataSource.query('UPDATE log_head SET position = 5');
    const ready = async (): Promise<[number, unknown]> => {
      const response = await fetch(`${api.url}/health/ready`);
      return [response.status, withoutRunning(await response.json())];
    };
    const progress = { name: 'record', position: '3', behind: '2', behindSeconds: 0 };
    expect(await ready()).toEqual([
      200,
      {
        ready: true,
        database: 'reachable',
        degraded: ['No process observes the nodes.'],
        logPosition: '5',
        projections: [{ ...progress, stuck: false }],
        statisticsBehindSeconds: 0,
        disk: expect.objectContaining({ readModels: expect.any(Number) as number }) as object,
      },
    ]);
    await api.dataSource.query("UPDATE projection_checkpoint SET moved_at = now() - interval '61 s'");
    const fresh = await startApi(database.url);
    try {
      const response = await fetch(`${fresh.url}/health/ready`);
      expect([response.status, withoutRunning(await response.json())]).toEqual([
        503,
        {
          ready: false,
          database: 'reachable',
          reason: 'These projections make no progress: record.',
          degraded: ['No process observes the nodes.'],
          logPosition: '5',
          projections: [{ ...progress, stuck: true }],
          statisticsBehindSeconds: 0,
          disk: expect.objectContaining({ readModels: expect.any(Number) as number }) as object,
        },
      ]);
    } finally {
      await fresh.stop();
    }
    await api.dataSource.query('UPDATE projection_checkpoint SET position = 5');
    expect((await ready())[0]).toBe(200);
  });

  it('reports readiness in general words to clients without a key, if a key is required', async () => {
    const key = 'a-key-of-16-chars';
    const locked = await startApi(database.url, { keys: [key] });
    const ready = async (headers: Record<string, string>) => {
      const response = await fetch(`${locked.url}/health/ready`, { headers });
      return [response.status, Object.keys((await response.json()) as object).toSorted()];
    };
    try {
      const few = ['database', 'degraded', 'ready'];
      const more = ['calendar', 'disk', 'logPosition', 'loops', 'projections', 'statisticsBehindSeconds'];
      const all = [...few, ...more].toSorted();
      expect(await ready({})).toEqual([200, few]);
      expect(await ready({ 'x-api-key': 'another-key-of-16' })).toEqual([200, few]);
      expect(await ready({ 'x-api-key': key })).toEqual([200, all]);
      await locked.dataSource.destroy();
      const refused = await fetch(`${locked.url}/health/ready`);
      expect([refused.status, await refused.json()]).toEqual([
        503,
        { ready: false, database: 'unreachable', reason: 'The database does not answer.' },
      ]);
    } finally {
      await locked.stop();
    }
  });

  it('returns UNAVAILABLE, and is not ready, while the database is away', async () => {
    const proxy = await BlackHoleProxy.start(database.url);
    const lonely = await startApi(proxy.url);
    try {
      proxy.refuse(true);
      const answer = await lonely.ask('{ nodes { id } }');
      expect([answer.status, answer.errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE']);
      const response = await fetch(`${lonely.url}/health/ready`);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ ready: false, database: 'unreachable' });
      expect((await fetch(`${lonely.url}/health/live`)).status).toBe(200);
    } finally {
      await lonely.stop();
      await proxy.stop();
    }
  });

  it('returns UNAVAILABLE when the server cuts the connection, and recovers when the database is back', async () => {
    await api.dataSource.query('ALTER TABLE node RENAME TO node_away');
    await api.dataSource.query(
      `CREATE VIEW node AS SELECT n.* FROM node_away n, (SELECT pg_terminate_backend(pg_backend_pid())) cut`,
    );
    const away = await api.ask('{ nodes { id } }');
    expect([away.status, away.errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE']);
    await api.dataSource.query('DROP VIEW node');
    await api.dataSource.query('ALTER TABLE node_away RENAME TO node');
    // A pool may hand out each dying connection once more.
    const answer = await waitFor('an answer', async () => {
      const { data } = await api.ask('{ nodes { id } }');
      return data ?? undefined;
    });
    expect(answer).toEqual({ nodes: [{ id: 'alpha' }] });
  });
});
