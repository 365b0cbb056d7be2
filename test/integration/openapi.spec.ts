import { readdirSync } from 'node:fs';
import { validate } from '@readme/openapi-parser';
import { EXPORT_NAMES } from '../../src/api/export/exports.js';
import { PUBLIC_PARTS } from '../../src/domain/public-parts.js';
import { PROVENANCE_HEADERS } from '../../src/api/node-interface/node-answer.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startEmptyDatabase, startTestDatabase, type TestDatabase } from '../support/database.js';
import { oddRequests } from '../support/odd-requests.js';
import { sendRaw } from '../support/raw-http.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: { readonly enum?: readonly string[] };
  }[];
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, unknown>>;
        readonly headers?: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const publicChains = new Map([['lab-1', new Set(PUBLIC_PARTS)]]);

let database: TestDatabase;
let api: ApiServer;
let document: Document;

beforeAll(async () => {
  database = await startTestDatabase();
  api = await startApi(database.url, { publicChains });
  document = (await (await fetch(`${api.url}/openapi.json`)).json()) as Document;
});

afterAll(async () => {
  await api?.stop();
  await database?.stop();
});

/** Every route of the web server, such as `GET /health/live`. HEAD counts as GET, and OPTIONS reports what pages may do. */
function routesOf(): string[] {
  const tree = api.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] =
      /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (part === '') return [];
    const depth = indent.length / 4;
    const path = (parents[depth - 1] ?? '') + part;
    parents.splice(depth, Infinity, path);
    const asked = methods?.split(', ').filter((method) => method !== 'HEAD' && method !== 'OPTIONS') ?? [];
    return asked.map((method) => `${method} ${path.replace(/(.)\/$/, '$1').replaceAll(/:(\w+)/g, '{$1}')}`);
  });
}

/** The route that serves all files, and the paths that represent it. */
const FILES = 'GET /export/{file}';
const FILE_PATHS = EXPORT_NAMES.map((name) => `GET /export/${name}.{format}`);

/** A file that a page loads. */
const [ASSET] = readdirSync('dist/pages/assets') as [string];

/** Parts of paths: existing ones and missing ones. */
const PARTS = [
  {
    id: 'beta',
    chain: 'lab-1',
    name: ASSET,
    page: 'da-failing',
    format: 'csv',
    service: 'evnode.v1.StoreService',
    method: 'GetBlock',
  },
  {
    id: 'beta',
    chain: 'lab-1',
    name: 'da.js',
    format: 'ndjson',
    service: 'evnode.v1.StoreService',
    method: 'GetState',
  },
  {
    id: 'nobody',
    chain: 'nobody',
    name: 'no.js',
    format: 'xml',
    service: 'evnode.v1.StoreService',
    method: 'GetNothing',
  },
] as const;

const queryOf = ({ parameters = [] }: Operation): string[] =>
  parameters.filter((one) => one.in === 'query').map(({ name }) => name);

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

describe('the OpenAPI document', () => {
  it('is a valid one of version 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(await validate(structuredClone(document) as never)).toEqual({
      valid: true,
      warnings: [],
      specification: 'OpenAPI',
    });
    const broken = { ...document, paths: { ...document.paths, '/broken': { get: { responses: 7 } } } };
    expect(await validate(structuredClone(broken) as never)).toMatchObject({ valid: false });
  });

  it('names where it is served, and for each operation whether it needs a key', () => {
    expect(document.servers.map(({ url }) => url)).toEqual(['/']);
    const silent = operations().filter(([, { security }]) => security === undefined);
    expect(silent).toEqual([]);
    const names = operations().map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has every route of the server, and no others', () => {
    const routes = routesOf();
    expect(routes).toEqual(
      expect.arrayContaining(['GET /', 'POST /graphql', 'GET /health/ready', 'GET /metrics']),
    );
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toEqual([...new Set(routes.flatMap((route) => (route === FILES ? FILE_PATHS : [route])))].sort());
  });

  it('has the parameters of each kind of file, and no others', async () => {
    const files = operations().filter(([name]) => name.startsWith('GET /export/'));
    expect(files).toHaveLength(9);
    const all = new Set(files.flatMap(([, operation]) => queryOf(operation)));
    for (const [name, operation] of files) {
      const path = name.slice('GET '.length).replace('{format}', 'ndjson');
      for (const parameter of all) {
        const answer = await fetch(`${api.url}${path}?${parameter}=%00`);
        const { errors } = (await answer.json()) as { errors: { message: string }[] };
        const isUnknown = errors[0]?.message.startsWith(`There is no parameter "${parameter}" here`);
        expect({ path, parameter, isUnknown }).toEqual({
          path,
          parameter,
          isUnknown: !queryOf(operation).includes(parameter),
        });
      }
    }
    const needed = files.flatMap(([, { parameters = [] }]) => parameters.filter(({ required }) => required));
    expect(needed.filter((one) => one.in === 'query').map((one) => one.name)).toEqual(['bucket', 'bucket']);
  });

  it('documents the refusals of files', async () => {
    const files = operations().filter(([name]) => name.startsWith('GET /export/'));
    for (const [name, { responses }] of files) {
      const path = name.slice('GET '.length);
      for (const [asked, status] of [
        [path.replace('{format}', 'csv?fruit=apple'), 400],
        [path.replace('{format}', 'csv?cursor=apple'), 400],
        [path.replace('{format}', 'xls'), 404],
      ] as const) {
        const response = await fetch(api.url + asked);
        expect({ asked, status: response.status }).toEqual({ asked, status });
        expect(Object.keys(responses)).toContain(String(status));
      }
    }
  });

  it('describes each operation, and says which need a key', async () => {
    const locked = await startApi(database.url, { keys: ['a-key-of-16-chars'] });
    try {
      for (const [name, operation] of operations()) {
        expect({ name, summary: operation.summary, tags: operation.tags?.length }).toEqual({
          name,
          summary: expect.any(String) as unknown,
          tags: 1,
        });
        const [method = '', path = ''] = name.split(' ');
        const headers = { 'graphql-require-preflight': '1', 'content-type': 'application/json' };
        const body = method === 'POST' ? '{}' : null;
        const response = await fetch(`${locked.url}${path}`, { method, headers, body });
        await response.body?.cancel();
        expect({ name, isRefused: response.status === 401 }).toEqual({
          name,
          isRefused: operation.security?.length !== 0,
        });
        if (response.status !== 200) continue;
        const type = response.headers.get('content-type')?.split(';')[0] ?? '';
        expect({ name, types: Object.keys(operation.responses['200']?.content ?? {}) }).toEqual({
          name,
          types: [type],
        });
      }
    } finally {
      await locked.stop();
    }
  });

  it('documents all statuses, headers and shapes of the answers of nodes', async () => {
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha')]);
    const ofNodes = operations().filter(([, { tags }]) => tags?.[0] === 'Nodes');
    expect(ofNodes.length).toBeGreaterThan(8);
    for (const [name, { parameters = [], responses }] of ofNodes) {
      const shapes = parameters.find((each) => each.name === 'shape')?.schema.enum;
      const headers = Object.keys(responses['200']?.headers ?? {});
      expect({ name, shapes, headers }).toEqual({
        name,
        shapes: ['spec', 'ev-node'],
        headers: expect.arrayContaining([...PROVENANCE_HEADERS]) as unknown,
      });
      const [method = '', path = ''] = name.split(' ');
      for (const id of ['alpha', 'nobody']) {
        for (const query of ['', '?at=yesterday', '?shape=spec', '?id=zz', '?id=0a']) {
          const part = { id, name: 'blob', service: 'evnode.v1.StoreService', method: 'GetBlock' };
          const asked = path.replaceAll(/\{(\w+)\}/g, (_, each: keyof typeof part) => part[each]);
          for (const type of method === 'POST' ? ['application/json', 'text/plain'] : [undefined]) {
            const init = type === undefined ? {} : { method, headers: { 'content-type': type }, body: '{}' };
            const response = await fetch(api.url + asked + query, init);
            await response.body?.cancel();
            expect([name, asked + query, Object.keys(responses)]).toEqual([
              name,
              asked + query,
              expect.arrayContaining([String(response.status)]),
            ]);
          }
        }
      }
    }
  });

  it('names every status that a route returns, whatever the request', async () => {
    await insertRows(api.dataSource, 'node', [nodeRow(2, 'beta')]);
    const key = 'a-key-of-16-chars';
    const locked = await startApi(database.url, { keys: [key], publicChains });
    const hurried = await startApi(database.url, { keys: [key], rateLimit: 1, publicChains });
    // A server without tables, whose queries fail.
    const empty = await startEmptyDatabase();
    const away = await startApi(empty.url, {
      readUrl: 'postgres://nobody@127.0.0.1:1/nothing',
      publicChains,
    });
    const servers = { open: api, locked, hurried, away };
    try {
      for (const [name, { responses, tags }] of operations()) {
        const seen = new Map<string, string>();
        const [method = '', path = ''] = name.split(' ');
        const paths = PARTS.map((parts) =>
          path.replaceAll(/\{(\w+)\}/g, (_, part: keyof typeof parts) => parts[part]),
        );
        for (const asked of new Set(paths)) {
          for (const { server, text } of oddRequests(method, asked, key)) {
            const { status } = await sendRaw(Number(new URL(servers[server].url).port), text);
            seen.set(String(status), `${server}: ${text}`);
          }
        }
        const named = Object.keys(responses);
        const unnamed = [...seen].filter(([status]) => !named.includes(status));
        expect({ name, unnamed }).toEqual({ name, unnamed: [] });
        // Answers in a node's words need a node that says them.
        if (tags?.[0] === 'Nodes' || path.startsWith('/nodes/')) continue;
        expect({ name, unseen: named.filter((status) => !seen.has(status)) }).toEqual({ name, unseen: [] });
      }
    } finally {
      await Promise.all([locked, hurried, away].map((server) => server.stop()));
      await empty.stop();
    }
  });
});
