import { randomBytes } from 'node:crypto';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { pino } from 'pino';
import { addKey, listKeys, revokeKey } from '../../src/api/keys/stored-keys.js';
import { hashKey, KEY_BYTES, KEY_SCOPES, toKeyText, type KeyScope } from '../../src/api/keys/key-text.js';
import { NEEDED_SCOPE } from '../../src/api/keys/api-keys.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { waitFor } from '../support/service-process.js';

const OF_SETTINGS = 'a-key-of-16-chars';
const QUESTION = '{ nodes { id } }';
const CHANGE =
  'mutation { setPrices(chain: "alpha-1", entries: [{ gasPrice: "0.002" }], replace: true) { by } }';

/** The table is read again after this time. */
const READ_EVERY_MS = 2_000;

type Headers = Record<string, string>;

describe('API keys', () => {
  let database: TestDatabase;
  let open: ApiServer[];
  let clock: ManualClock;
  let api: ApiServer;

  const start = async (options: Parameters<typeof startApi>[1] = {}): Promise<ApiServer> => {
    const server = await startApi(database.url, { clock, ...options });
    open.push(server);
    return server;
  };
  /** Adds a key, and waits until a server uses it. */
  const make = async (name: string, scope: KeyScope, server = api): Promise<Headers> => {
    const text = toKeyText(randomBytes(KEY_BYTES));
    await addKey(server.dataSource, { name, scope, hash: hashKey(text) });
    const headers = { authorization: `Bearer ${text}` };
    await becomes(server, headers, 'fine');
    return headers;
  };
  const codeOf = async (server: ApiServer, query: string, headers: Headers): Promise<string> => {
    const { status, errors } = await server.ask(query, {}, headers);
    if (!errors) return 'fine';
    return `${status} ${errors.map(({ extensions }) => extensions.code).join()}`;
  };
  const becomes = async (
    server: ApiServer,
    headers: Headers,
    code: string,
    query = QUESTION,
  ): Promise<void> => {
    await clock.advance(READ_EVERY_MS);
    await waitFor(
      `the answer ${code}`,
      async () => (await codeOf(server, query, headers)) === code || undefined,
    );
  };

  beforeEach(async () => {
    database = await startTestDatabase();
    open = [];
    clock = new ManualClock();
    api = await start();
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'one', { chain_id: 'alpha-1' })]);
  });

  afterEach(async () => {
    await Promise.all(open.map((server) => server.stop()));
    await database.stop();
  });

  it('are declared by every mutation, so that each one needs a scope', () => {
    const { schema } = api.app.get(GraphQLSchemaHost);
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    expect(mutations.length).toBeGreaterThan(4);
    const needs = mutations.map(({ name, extensions }) => [name, extensions[NEEDED_SCOPE]]);
    for (const [name, scope] of needs)
      expect([name, KEY_SCOPES]).toEqual([name, expect.arrayContaining([scope])]);
    expect(needs).toEqual(
      expect.arrayContaining(
        [
          'setPrices',
          'importFees',
          'recomputeStatistics',
          'rebuildProjection',
          'retryJob',
          'silence',
          'liftSilence',
        ].map((name) => [name, 'write']),
      ),
    );
  });

  it('are not required on loopback while there is no key, but a wrong key is refused', async () => {
    expect(await codeOf(api, QUESTION, {})).toBe('fine');
    expect(await api.read(CHANGE)).toEqual({ setPrices: [{ by: 'loopback' }] });
    expect(await codeOf(api, QUESTION, { 'x-api-key': 'wrong' })).toBe('401 UNAUTHENTICATED');
    expect(await codeOf(api, QUESTION, { authorization: 'Bearer wrong' })).toBe('401 UNAUTHENTICATED');
  });

  it('of the table alone leave reading on loopback to all clients, and changes to keys with the scope', async () => {
    const reader = await make('reader', 'read');
    const writer = await make('writer', 'write');
    const admin = await make('admin', 'admin');
    // The third time, the mutation is compiled.
    for (let round = 0; round < 3; round += 1) {
      expect(await codeOf(api, QUESTION, {})).toBe('fine');
      expect(await codeOf(api, CHANGE, {})).toBe('200 UNAUTHENTICATED');
      expect(await codeOf(api, CHANGE, reader)).toBe('200 FORBIDDEN');
      expect(await codeOf(api, CHANGE, writer)).toBe('fine');
      expect(await codeOf(api, CHANGE, admin)).toBe('fine');
    }
    expect(await codeOf(api, QUESTION, { 'x-api-key': 'wrong' })).toBe('401 UNAUTHENTICATED');
    const { errors } = await api.ask(CHANGE, {}, reader);
    expect(errors?.[0]?.message).toBe('This needs an API key with the scope `write`; reader has `read`.');
    const events = await api.dataSource.query("SELECT body ->> 'by' AS by FROM event");
    expect(events).toEqual([{ by: 'writer' }]);
  });

  it('of the settings may do everything, and make keys required for all clients', async () => {
    const locked = await start({ keys: [OF_SETTINGS, `${OF_SETTINGS}-too`] });
    const reader = await make('reader', 'read', locked);
    expect(await codeOf(locked, QUESTION, {})).toBe('401 UNAUTHENTICATED');
    expect(await codeOf(locked, QUESTION, reader)).toBe('fine');
    expect(await codeOf(locked, CHANGE, reader)).toBe('200 FORBIDDEN');
    const { data } = await locked.ask(CHANGE, {}, { 'x-api-key': `${OF_SETTINGS}-too` });
    expect(data).toEqual({ setPrices: [{ by: 'settings-2' }] });
  });

  it('are needed to learn from the page of a node whether it exists', async () => {
    const locked = await start({ keys: [OF_SETTINGS] });
    const statusOf = async (node: string, headers: Headers): Promise<number> =>
      (await fetch(`${locked.url}/nodes/${node}/da`, { headers })).status;
    const strangers: Headers[] = [{}, { 'x-api-key': 'wrong' }];
    for (const headers of strangers) {
      expect([await statusOf('one', headers), await statusOf('two', headers)]).toEqual([200, 200]);
    }
    const known = { 'x-api-key': OF_SETTINGS };
    expect([await statusOf('one', known), await statusOf('two', known)]).toEqual([200, 404]);
  });

  it('are required beyond loopback, even if the last one is revoked', async () => {
    const exposed = await start({ isExposed: true });
    const writer = await make('writer', 'write', exposed);
    expect(await codeOf(exposed, QUESTION, {})).toBe('401 UNAUTHENTICATED');
    expect(await codeOf(exposed, CHANGE, writer)).toBe('fine');
    expect(await revokeKey(exposed.dataSource, 'writer')).toBe(true);
    await becomes(exposed, writer, '401 UNAUTHENTICATED');
    expect(await codeOf(exposed, QUESTION, {})).toBe('401 UNAUTHENTICATED');
    expect(await codeOf(exposed, CHANGE, {})).toBe('401 UNAUTHENTICATED');
  });

  it('keep the row of a name that is used again, and store no key', async () => {
    const first = await make('grafana', 'read');
    const twin = { name: 'grafana', scope: 'admin', hash: hashKey('another') } as const;
    await expect(addKey(api.dataSource, twin)).rejects.toThrow('There is already a key called grafana.');
    await revokeKey(api.dataSource, 'grafana');
    expect(await revokeKey(api.dataSource, 'grafana')).toBe(false);
    await addKey(api.dataSource, twin);
    const { total, keys } = await listKeys(api.dataSource);
    expect(total).toBe(2);
    expect(keys).toMatchObject([
      { name: 'grafana', scope: 'admin', revokedAt: null },
      { name: 'grafana', scope: 'read', revokedAt: expect.any(BigInt) as unknown },
    ]);
    const [row] = await api.dataSource.query('SELECT string_agg(k::text, $1) AS text FROM api_key k', [' ']);
    expect(row.text).not.toContain(first['authorization']?.slice('Bearer '.length));
  });

  it('stay valid for a minute while they cannot be read; then those of the table are refused', async () => {
    const locked = await start({ keys: [OF_SETTINGS] });
    const writer = await make('writer', 'write', locked);
    await becomes(api, writer, 'fine');
    await api.dataSource.query('ALTER TABLE api_key RENAME TO api_key_away');
    await clock.advance(57_000);
    expect(await codeOf(locked, QUESTION, writer)).toBe('fine');
    expect(await codeOf(api, CHANGE, {})).toBe('200 UNAUTHENTICATED');
    await clock.advance(5_000);
    expect(await codeOf(locked, QUESTION, writer)).toBe('503 UNAVAILABLE');
    expect(await codeOf(locked, QUESTION, { 'x-api-key': OF_SETTINGS })).toBe('fine');
    expect(await codeOf(locked, QUESTION, {})).toBe('401 UNAUTHENTICATED');
    expect(await codeOf(api, QUESTION, {})).toBe('fine');
    expect(await codeOf(api, CHANGE, {})).toBe('503 UNAVAILABLE');
    await api.dataSource.query('ALTER TABLE api_key_away RENAME TO api_key');
    await becomes(locked, writer, 'fine');
  });

  it('record their use once a minute at most, and let a request in if that fails', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const watched = await start({ logger, keys: [OF_SETTINGS] });
    await api.dataSource.query(`
      CREATE TABLE written (at timestamptz DEFAULT clock_timestamp());
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO written DEFAULT VALUES; RETURN new; END $$;
      CREATE TRIGGER noted BEFORE UPDATE ON api_key FOR EACH ROW EXECUTE FUNCTION note()`);
    const written = async (): Promise<number> =>
      (await api.dataSource.query('SELECT count(*)::int AS n FROM written'))[0].n as number;
    const reader = await make('reader', 'read', watched);
    for (let second = 0; second < 40; second += READ_EVERY_MS / 1_000) {
      expect(await codeOf(watched, QUESTION, reader)).toBe('fine');
      await clock.advance(READ_EVERY_MS);
    }
    await waitFor('the use to be written down', async () => (await written()) > 0 || undefined);
    const [{ lastUsedAt } = { lastUsedAt: null }] = (await listKeys(api.dataSource)).keys;
    expect(lastUsedAt).toEqual(expect.any(BigInt));
    expect(await written()).toBe(1);
    await api.dataSource.query("UPDATE api_key SET last_used_at = now() - interval '2 min'");
    await api.dataSource.query(`
      CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$`);
    const codes: string[] = [];
    await waitFor('a complaint', async () => {
      codes.push(await codeOf(watched, QUESTION, reader));
      await clock.advance(30_000);
      return lines.some((line) => line.includes('the last use of API keys cannot be stored')) || undefined;
    });
    expect(new Set(codes)).toEqual(new Set(['fine']));
  });
});
