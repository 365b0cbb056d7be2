/** The server of a test that receives the request. */
type AskedServer = 'open' | 'locked' | 'hurried' | 'away';

/** A request as bytes, and its server. */
export interface OddRequest {
  readonly server: AskedServer;
  readonly text: string;
}

/** Query strings that are wrong, or valid only for some routes. */
const QUERIES = ['', '?at=yesterday', '?x=1', '?limit=1', '?bucket=DAY', '?shape=spec', '?id=zz', '?id=0a'];
const MUTATION = 'mutation { setPrices(chain: "a", entries: [{ gasPrice: "0.002" }]) { subject } }';
const QUESTIONS = ['{ nodes { id } }', '{ nope }', '{', MUTATION];

const HOST = 'host: localhost';
const JSON_TYPE = 'content-type: application/json';
/** A page of another origin cannot send this header. */
const PREFLIGHT = 'graphql-require-preflight: 1';
/** Headers of an image request from a page of another origin. */
const PICTURE = ['sec-fetch-site: cross-site', 'sec-fetch-mode: no-cors'];
/** More than any route accepts. */
const HUGE = 'content-length: 999999999';

function toText(method: string, path: string, headers: readonly string[], body = ''): string {
  const length = body === '' && method !== 'POST' ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const given = headers.some((header) => header.startsWith('content-length:')) ? [] : length;
  return [`${method} ${path} HTTP/1.1`, 'connection: close', ...headers, ...given, '', body].join('\r\n');
}

/**
 * Requests that make a route answer with each of its statuses: proper requests, and wrong ones.
 *
 * @param path with its parts filled in
 * @param key of the servers `locked` and `hurried`; the latter refuses a second request
 */
export function oddRequests(method: string, path: string, key: string): OddRequest[] {
  const bearer = `authorization: Bearer ${key}`;
  const bodies = method === 'POST' ? toBodies(path) : [''];
  const queries =
    path === '/graphql' && method === 'GET'
      ? QUESTIONS.map((query) => `?query=${encodeURIComponent(query)}`)
      : QUERIES;
  const type = method === 'POST' ? [JSON_TYPE] : [];
  const proper = [HOST, ...type, PREFLIGHT];
  const on = (
    server: AskedServer,
    query: string,
    headers: readonly string[],
    body = bodies[0],
  ): OddRequest => ({
    server,
    text: toText(method, `${path}${query}`, headers, body),
  });
  const first = queries[0] ?? '';
  return [
    ...queries.flatMap((query) => bodies.map((body) => on('open', query, proper, body))),
    ...queries.map((query) => on('open', query, ['host: evil.example', ...type, PREFLIGHT])),
    on('open', first, [...proper, ...PICTURE]),
    on('open', first, [HOST, ...proper]),
    on('open', first, [HOST, ...type]),
    ...(method === 'GET'
      ? [
          on('open', first, proper, '{}'),
          { server: 'open', text: toText('HEAD', path + first, proper) } as const,
        ]
      : [
          on('open', first, [HOST, 'content-type: text/plain', PREFLIGHT]),
          on('open', first, [...proper, HUGE]),
        ]),
    on('locked', first, proper),
    on('locked', first, [...proper, 'authorization: Bearer wrong']),
    on('hurried', first, [...proper, bearer]),
    on('hurried', first, [...proper, bearer]),
    on('away', first, proper),
    on('away', '?bucket=DAY', proper),
    on('away', first, [...proper, 'authorization: Bearer unknown']),
  ];
}

function toBodies(path: string): string[] {
  if (path !== '/graphql') return ['{}', '{'];
  return [...QUESTIONS.map((query) => JSON.stringify({ query })), '{', '[]'];
}
