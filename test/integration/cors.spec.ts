import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';

const DASHBOARD = 'https://dash.example.org';
const ELSEWHERE = 'https://evil.example';

describe('pages of other origins', () => {
  let database: TestDatabase;
  let open: ApiServer;
  let closed: ApiServer;

  const preflight = (api: ApiServer, origin: string): Promise<Response> =>
    fetch(`${api.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
  const ask = (api: ApiServer, origin: string, path = '/graphql'): Promise<Response> =>
    fetch(api.url + path, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: '{"query":"{ nodes { id } }"}',
    });
  const allowed = ({ headers }: Response): string | null => headers.get('access-control-allow-origin');

  beforeAll(async () => {
    database = await startTestDatabase();
    open = await startApi(database.url, { corsOrigins: [DASHBOARD, 'http://localhost:3000'] });
    closed = await startApi(database.url);
  });

  afterAll(async () => {
    await open?.stop();
    await closed?.stop();
    await database?.stop();
  });

  it('may send requests and read answers where their origin is named, and nowhere else', async () => {
    const asked = await preflight(open, DASHBOARD);
    expect([asked.status, allowed(asked)]).toEqual([204, DASHBOARD]);
    for (const header of ['authorization', 'x-api-key', 'graphql-require-preflight']) {
      expect(asked.headers.get('access-control-allow-headers')).toContain(header);
    }
    expect(asked.headers.get('access-control-allow-methods')).not.toMatch(/DELETE|PUT|PATCH/);
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    const answer = await ask(open, DASHBOARD);
    expect([answer.status, allowed(answer)]).toEqual([200, DASHBOARD]);
    for (const origin of [
      ELSEWHERE,
      'null',
      `${DASHBOARD}.evil.example`,
      DASHBOARD.replace('https', 'http'),
    ]) {
      expect(allowed(await preflight(open, origin))).toBeNull();
      expect(allowed(await ask(open, origin))).toBeNull();
    }
  });

  it('may read nothing if no origin is named', async () => {
    for (const origin of [DASHBOARD, ELSEWHERE, 'http://localhost:3000']) {
      expect(allowed(await preflight(closed, origin))).toBeNull();
      expect(allowed(await ask(closed, origin))).toBeNull();
    }
  });
});
