import { sendRaw } from '../support/raw-http.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

const READ = '{ nodes { id } }';
const CHANGE = 'mutation { setPrices(chain: "a", entries: [{ gasPrice: "0.002" }]) { subject } }';
const BOTH = `query A ${READ} ${CHANGE.replace('mutation', 'mutation B')}`;

const JSON_BODY = 'content-type: application/json\r\n';
const ASKED = 'x-mercurius-operation-name: x\r\n';
const EVIL = 'origin: http://evil.example\r\n';

const question = (query: unknown, more = ''): string => `{"query":${JSON.stringify(query)}${more}}`;
const byAddress = (query: string, more = ''): string => `/graphql?query=${encodeURIComponent(query)}${more}`;

/** A whole request; its Host is that of the server unless another one is given. */
const request = (method: string, path: string, headers: string, body = '', host = 'localhost'): string => {
  const length =
    body !== '' || method === 'POST' ? `content-length: ${String(Buffer.byteLength(body))}\r\n` : '';
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${headers}${length}\r\n${body}`;
};
const get = (path: string, headers = '', host = 'localhost'): string =>
  request('GET', path, headers, '', host);
const post = (body: string, headers = JSON_BODY, host = 'localhost'): string =>
  request('POST', '/graphql', headers, body, host);
const head = (lines: readonly string[], body = ''): string => `${lines.join('\r\n')}\r\n\r\n${body}`;

/** The headers that a browser adds to a request of a page. */
const fetchOf = (site: string, mode: string, dest: string): string =>
  `sec-fetch-site: ${site}\r\nsec-fetch-mode: ${mode}\r\nsec-fetch-dest: ${dest}\r\n`;
const picture = (dest: string, site = 'cross-site'): string => fetchOf(site, 'no-cors', dest);

const LENGTH = `content-length: ${String(question(READ).length)}`;
const POST = 'POST /graphql HTTP/1.1';
const JSON_LINE = 'content-type: application/json';

/** The bytes that are sent, and the status that comes back. */
const CASES: readonly (readonly [string, string, number])[] = [
  ['POST of a query', post(question(READ)), 200],
  ['GET of a query, as a page could send it', get(byAddress(READ)), 400],
  ['GET of a query with a header that no page can send', get(byAddress(READ), ASKED), 200],
  ['GET of a query with the general header', get(byAddress(READ), 'graphql-require-preflight: 1\r\n'), 200],
  ['GET of a mutation', get(byAddress(CHANGE), ASKED), 405],
  ['GET of a mutation as JSON', get(byAddress(CHANGE), JSON_BODY), 405],
  ['HEAD of a query', request('HEAD', byAddress(READ), ASKED), 200],
  ['HEAD of a mutation', request('HEAD', byAddress(CHANGE), ASKED), 405],
  ['GET of two operations, the mutation named', get(byAddress(BOTH, '&operationName=B'), ASKED), 405],
  ['GET of two operations, the query named', get(byAddress(BOTH, '&operationName=A'), ASKED), 200],
  ['GET of two operations, none named', get(byAddress(BOTH), ASKED), 400],
  ['GET of a fragment', get(byAddress('fragment F on Node { id }'), ASKED), 400],
  ['POST of a fragment', post(question('fragment F on Node { id }')), 400],
  ['a form of text', post(question(CHANGE), `content-type: text/plain\r\n${EVIL}`), 400],
  [
    'a form',
    post(`query=${encodeURIComponent(CHANGE)}`, `content-type: application/x-www-form-urlencoded\r\n${EVIL}`),
    400,
  ],
  [
    'a form of parts',
    post(
      `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${CHANGE}\r\n--x--\r\n`,
      `content-type: multipart/form-data; boundary=x\r\n${EVIL}`,
    ),
    400,
  ],
  ['a POST without a type', post(question(CHANGE), EVIL), 400],
  ['a type behind another', post(question(CHANGE), 'content-type: text/plain; application/json\r\n'), 400],
  [
    'a type as a parameter',
    post(question(CHANGE), 'content-type: text/plain;charset=application/json\r\n'),
    400,
  ],
  ['a query as such from elsewhere', post(READ, `content-type: application/graphql\r\n${EVIL}`), 403],
  ['an empty type', post(question(CHANGE), 'content-type: \r\n'), 400],
  [
    'a preflight',
    request(
      'OPTIONS',
      '/graphql',
      `${EVIL}access-control-request-method: POST\r\naccess-control-request-headers: content-type\r\n`,
    ),
    404,
  ],
  ['JSON from elsewhere', post(question(CHANGE), `${JSON_BODY}${EVIL}sec-fetch-site: cross-site\r\n`), 403],
  ['a picture of a page of elsewhere', get('/nodes/alpha/da/submissions', picture('image')), 403],
  ['a picture of the metrics', get('/metrics', picture('image')), 403],
  ['a picture of the page of a node', get('/nodes/alpha/da', picture('image')), 403],
  ['a picture of a page of this computer', get('/openapi.json', picture('image', 'same-site')), 403],
  ['a frame of elsewhere', get('/nodes/alpha/da/stats', fetchOf('cross-site', 'navigate', 'iframe')), 403],
  ['a link of elsewhere', get('/', fetchOf('cross-site', 'navigate', 'document')), 200],
  [
    'a form of elsewhere',
    request('POST', '/nodes/alpha/da/submissions', fetchOf('cross-site', 'navigate', 'document')),
    403,
  ],
  ['a picture of our own page', get('/', fetchOf('same-origin', 'no-cors', 'image')), 200],
  ['JSON of a hidden origin', post(question(CHANGE), `${JSON_BODY}origin: null\r\n`), 403],
  [
    'JSON of a page of this computer',
    post(question(READ), `${JSON_BODY}origin: http://localhost:3000\r\n`),
    200,
  ],
  ['Host evil.example', post(question(CHANGE), JSON_BODY, 'evil.example'), 403],
  ['Host evil.example with a port', post(question(CHANGE), JSON_BODY, 'evil.example:4400'), 403],
  ['Host localhost with a dot', post(question(CHANGE), JSON_BODY, 'localhost.'), 403],
  ['Host 127.0.0.1.evil.example', post(question(CHANGE), JSON_BODY, '127.0.0.1.evil.example'), 403],
  ['Host 127.1', post(question(CHANGE), JSON_BODY, '127.1'), 403],
  ['Host 0.0.0.0', post(question(CHANGE), JSON_BODY, '0.0.0.0'), 403],
  ['Host LOCALHOST', post(question(READ), JSON_BODY, 'LOCALHOST:1'), 200],
  ['Host [::1]', post(question(READ), JSON_BODY, '[::1]:4610'), 200],
  ['Host with a user', post(question(CHANGE), JSON_BODY, 'evil@localhost'), 403],
  ['Host 127.999.999.999', post(question(CHANGE), JSON_BODY, '127.999.999.999'), 403],
  ['an empty Host', post(question(CHANGE), JSON_BODY, ''), 403],
  ['no Host', head([POST, 'connection: close', JSON_LINE, LENGTH], question(READ)), 400],
  ['HTTP/1.0 without a Host', head(['POST /graphql HTTP/1.0', JSON_LINE, LENGTH], question(READ)), 200],
  [
    'two Hosts',
    head([POST, 'host: localhost', 'host: evil', 'connection: close', JSON_LINE, LENGTH], question(READ)),
    400,
  ],
  [
    'a whole address as the target',
    head(
      [
        'POST http://evil.example/graphql HTTP/1.1',
        'host: localhost',
        'connection: close',
        JSON_LINE,
        LENGTH,
      ],
      question(READ),
    ),
    400,
  ],
  ['readiness by another name', get('/health/ready', '', 'evil.example'), 403],
  ['readiness from elsewhere', get('/health/ready', EVIL), 403],
  ['liveness by another name', get('/health/live', '', 'evil.example'), 200],
  ['the page by another name', get('/', '', 'evil.example'), 200],
  ['a batch', post(`[${question(READ)},${question(READ)}]`), 400],
  ['null', post('null'), 400],
  ['a string', post('"x"'), 400],
  ['a number', post('1'), 400],
  ['an empty body', post(''), 400],
  ['half a body', post('{"query":'), 400],
  ['__proto__', post(`{"__proto__":${question(READ)},"query":"${READ}"}`), 400],
  ['constructor.prototype', post(`{"constructor":{"prototype":{"x":1}},"query":"${READ}"}`), 400],
  [
    '__proto__ in variables',
    post(
      question(
        'query($f: SubmissionFilter){ submissions(filter:$f, first:1) { nodes { id } } }',
        ',"variables":{"f":{"__proto__":{"nodes":["x"]}}}',
      ),
    ),
    400,
  ],
  ['variables in a list', post(question(READ, ',"variables":[]')), 400],
  ['variables as text', post(question(READ, ',"variables":"x"')), 400],
  ['extensions as text', post(question(READ, ',"extensions":"x"')), 200],
  ['a number as a name', post(question(READ, ',"operationName":5')), 400],
  ['an unknown name', post(question(BOTH, ',"operationName":"C"')), 400],
  ['a query by its hash', post(question('abc', ',"persisted":true')), 400],
  ['a list as a query', post(question([CHANGE])), 400],
  ['a syntax tree', post(question({ kind: 'Document', definitions: [] })), 400],
  ['a syntax tree as text', post(question('{"kind":"Document","definitions":[]}')), 400],
  ['a syntax tree behind a mark', post(question('\ufeff{"kind":"Document","definitions":[]}')), 400],
  ['a syntax tree behind a comma', post(question(',{"kind":"Document","definitions":[]}')), 400],
  [
    'a body that says it is UTF-16',
    post(question(READ), 'content-type: application/json; charset=utf-16\r\n'),
    200,
  ],
  ['a body that says it is packed', post(question(READ), `${JSON_BODY}content-encoding: gzip\r\n`), 200],
  ['a subscription', post(question(`subscription ${READ}`)), 400],
  [
    'an upgrade to a web socket',
    head([
      'GET /graphql HTTP/1.1',
      'host: localhost',
      'upgrade: websocket',
      'connection: Upgrade',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version: 13',
      'sec-websocket-protocol: graphql-ws',
    ]),
    400,
  ],
  [
    'an upgrade to HTTP/2',
    head([
      'GET / HTTP/1.1',
      'host: localhost',
      'upgrade: h2c',
      'connection: Upgrade, HTTP2-Settings',
      'http2-settings: AAMAAABkAAQAAP__',
    ]),
    200,
  ],
  ['a beginning of HTTP/2 that is none', head(['PRJ * HTTP/2.0', '', 'SM']), 400],
  [
    'two lengths of one body',
    head(
      [POST, 'host: localhost', JSON_LINE, 'content-length: 5', 'transfer-encoding: chunked'],
      '0\r\n\r\nGET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ),
    400,
  ],
  [
    'an unknown encoding',
    head([POST, 'host: localhost', JSON_LINE, 'transfer-encoding: xchunked'], '0\r\n\r\n'),
    400,
  ],
  ['a negative length', head([POST, 'host: localhost', JSON_LINE, 'content-length: -1']), 400],
  ['a huge length', head([POST, 'host: localhost', JSON_LINE, 'content-length: 99999999999'], '{'), 413],
  ['200 kB', head([POST, 'host: localhost', JSON_LINE, 'content-length: 200000'], 'a'.repeat(90_000)), 413],
  [
    'a header of 20 kB',
    head(['GET /health/live HTTP/1.1', 'host: localhost', `x-a: ${'a'.repeat(20_000)}`]),
    431,
  ],
  [
    '1,500 headers',
    head([
      'GET /health/live HTTP/1.1',
      'host: localhost',
      ...Array.from({ length: 1_500 }, (_, n) => `a${String(n)}: b`),
    ]),
    200,
  ],
  ['what is no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a path upwards', get('/assets/../../../../etc/passwd'), 404],
  ['a path upwards in disguise', get('/%2e%2e%2f%2e%2e%2fetc/passwd'), 404],
  ['a script as a path', get('/<script>alert(1)</script>'), 404],
  ['a long path', get(`/${'a'.repeat(9_000)}`), 404],
  ['a path that cannot be read', get('/%zz'), 400],
  ['TRACE', request('TRACE', '/graphql', ''), 404],
  ['PUT', request('PUT', '/graphql', JSON_BODY, question(CHANGE)), 404],
  ['DELETE', request('DELETE', '/health/live', ''), 404],
  ['a console', get('/graphiql'), 404],
  [
    'a Host as proxies tell it',
    post(
      question(CHANGE),
      `${JSON_BODY}x-forwarded-host: localhost\r\nx-forwarded-for: 127.0.0.1\r\n`,
      'evil.example',
    ),
    403,
  ],
  ['another method in a header', post(question(READ), `${JSON_BODY}x-http-method-override: GET\r\n`), 200],
  [
    'a body for an unknown path',
    head(['POST /x HTTP/1.1', 'host: localhost', 'content-length: 9000'], '{'),
    404,
  ],
  [
    'a body for a path without',
    head(['POST /health/live HTTP/1.1', 'host: localhost', 'transfer-encoding: chunked']),
    404,
  ],
  [
    'a body with a GET',
    head(['GET /health/live HTTP/1.1', 'host: localhost', 'content-length: 9000'], '{'),
    400,
  ],
];

describe('malicious requests', () => {
  const api = useApi();
  let port: number;

  const countEvents = async (): Promise<bigint | undefined> =>
    (await api.dataSource.query<{ n: bigint }[]>('SELECT count(*) AS n FROM event'))[0]?.n;

  beforeAll(async () => {
    port = Number(new URL(api.url).port);
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'one', { chain_id: 'a' })]);
  });

  it.each(CASES)('%s', async (_what, text, status) => {
    const before = await countEvents();
    const { headers, body, ...answer } = await sendRaw(port, text);
    expect({ status: answer.status, body }).toEqual({ status, body: expect.any(String) });
    if (body !== '') {
      expect(headers.get('content-type')).toMatch(/^(?:application\/json|text\/html); charset=utf-8$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    if (status === 405) expect(headers.get('allow')).toBe('POST');
    // Every error has one form, whichever part of the server found it.
    if (status >= 400 && body !== '') {
      expect(JSON.parse(body)).toMatchObject({
        data: null,
        errors: [{ message: expect.any(String), extensions: { code: expect.any(String) } }],
      });
    }
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(await countEvents()).toBe(before);
  });

  it('change something when they are sent correctly', async () => {
    const before = await countEvents();
    expect((await sendRaw(port, post(question(CHANGE)))).status).toBe(200);
    expect(await countEvents()).not.toBe(before);
  });

  it('are answered with headers that let a browser do nothing with the answers, and without a promise of TLS', async () => {
    const { headers } = await sendRaw(port, post(question(READ)));
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers.has('strict-transport-security')).toBe(false);
    const page = await sendRaw(port, get('/'));
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  });
});
