import { readJson } from '../node-api/answer.js';
import { BLOB, BLOCK, SMALL, SUBMISSIONS } from '../node-api/limits.js';
import { NodeServer } from '../node-api/node-server.js';
import { isObject, member, snakeCase, type WireObject } from '../node-api/wire-values.js';
import { SystemClock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import type { HttpResult } from '../platform/http-messages.js';

/** A node's answers to each request of the specification, each made once. */
export interface NodeAnswers {
  /** The prefix of the block service, e.g. `node.v1`; null if no known one answered. */
  readonly service: string | null;
  readonly block: HttpResult;
  /** A block with transactions; null if none of the tried heights has one. */
  readonly filledBlock: HttpResult | null;
  /** The same block by its hash; null if its successor does not name the hash. */
  readonly blockByHash: HttpResult | null;
  readonly live: HttpResult;
  readonly ready: HttpResult;
  /** Null if no status endpoint was given. */
  readonly status: HttpResult | null;
  readonly daPage: HttpResult;
  readonly submissions: HttpResult;
  /** The blob of the newest submission with one; null if there is none. */
  readonly blob: HttpResult | null;
  readonly stats: HttpResult;
  readonly health: HttpResult;
}

/** The addresses of a node. */
export interface RunningNode {
  readonly url: string;
  readonly statusUrl?: string | undefined;
  /** The prefix of its block service, e.g. `evnode.v1`; undefined: it is searched for. */
  readonly service?: string | undefined;
  /** For a Hindsight server: the requested `shape`, `spec` or `ev-node`. */
  readonly shape?: string | undefined;
}

/** The specification's prefix comes first. */
const SERVICES = ['node.v1', 'evnode.v1', 'rollkit.v1'];

/** A server whose requests name one of the shapes in which it can answer. */
class ShapedServer extends NodeServer {
  constructor(
    http: HttpClient,
    url: string,
    private readonly shape: string | undefined,
  ) {
    super(http, new SystemClock(), url);
  }

  override get(path: string, ...how: OtherParameters<'get'>): Promise<HttpResult> {
    return super.get(this.inShape(path), ...how);
  }

  override post(path: string, ...how: OtherParameters<'post'>): Promise<HttpResult> {
    return super.post(this.inShape(path), ...how);
  }

  private inShape(path: string): string {
    return this.shape === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}shape=${this.shape}`;
  }
}

type OtherParameters<Name extends 'get' | 'post'> =
  Parameters<NodeServer[Name]> extends [string, ...infer Rest] ? Rest : never;

/** Makes every request of the specification to a node, one after the other. Never rejects. */
export async function askNode(
  http: HttpClient,
  node: RunningNode,
  signal?: AbortSignal,
): Promise<NodeAnswers> {
  const server = new ShapedServer(http, node.url, node.shape);
  const get = (path: string, limits = SMALL) => server.get(path, limits, signal);
  const { service, block } = await findBlock(server, node.service, signal);
  const submissions = await get('/da/submissions', SUBMISSIONS);
  const blobId = newestBlobId(submissions);
  return {
    service,
    block,
    filledBlock: service === null ? null : await findFilled(server, service, block, signal),
    blockByHash: service === null ? null : await askByHash(server, service, signal),
    live: await get('/health/live'),
    ready: await get('/health/ready'),
    status:
      node.statusUrl === undefined
        ? null
        : await new ShapedServer(http, node.statusUrl, node.shape).get('/status', SMALL, signal),
    daPage: await get('/da'),
    submissions,
    blob: blobId === null ? null : await get(`/da/blob?id=${encodeURIComponent(blobId)}`, BLOB),
    stats: await get('/da/stats'),
    health: await get('/da/health'),
  };
}

/** The second block, because the first has no hashes of a previous one; else one that a young or a pruned node has. */
const BLOCKS_ASKED = ['{"height":2}', '{"height":1}', '{"height":0}'];

async function findBlock(
  server: NodeServer,
  service: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Pick<NodeAnswers, 'service' | 'block'>> {
  let refusal: HttpResult | undefined;
  for (const candidate of service === undefined ? SERVICES : [service]) {
    for (const json of BLOCKS_ASKED) {
      const block = await askBlock(server, candidate, json, signal);
      if (isServed(block)) return { service: candidate, block };
      refusal ??= block;
    }
  }
  return { service: null, block: refusal as HttpResult };
}

/** The newest block first: many chains begin with empty blocks. */
const FILLED_SOUGHT = [0, 3, 4, 5, 6, 7, 8, 9, 10].map((height) => JSON.stringify({ height }));

async function findFilled(
  server: NodeServer,
  service: string,
  block: HttpResult,
  signal: AbortSignal | undefined,
): Promise<HttpResult | null> {
  if (isFilled(block)) return block;
  for (const json of FILLED_SOUGHT) {
    const other = await askBlock(server, service, json, signal);
    if (isFilled(other)) return other;
  }
  return null;
}

function isFilled(block: HttpResult): boolean {
  const object = objectOf(block);
  const transactions = object && memberAt(object, 'block.data.txs');
  return Array.isArray(transactions) ? transactions.length > 0 : transactions !== undefined;
}

function askBlock(
  server: NodeServer,
  service: string,
  json: string,
  signal: AbortSignal | undefined,
): Promise<HttpResult> {
  return server.post(`/${service}.StoreService/GetBlock`, json, BLOCK, signal);
}

/** The hash of a block's header is in the next block. */
async function askByHash(
  server: NodeServer,
  service: string,
  signal: AbortSignal | undefined,
): Promise<HttpResult | null> {
  for (const json of BLOCKS_ASKED) {
    const block = objectOf(await askBlock(server, service, json, signal));
    const hash = block && memberAt(block, 'block.header.header.lastHeaderHash');
    if (typeof hash === 'string' && hash !== '') {
      return askBlock(server, service, JSON.stringify({ hash }), signal);
    }
  }
  return null;
}

/** The JSON object of a response with status 200; undefined for anything else. */
export function objectOf(result: HttpResult | null): WireObject | undefined {
  if (result?.kind !== 'response' || result.status !== 200) return undefined;
  const json = parse(result);
  return isObject(json) ? json : undefined;
}

/** The JSON of a body with large integers as `bigint`, which distinguishes them from text that a node sent in their place. */
function parse(result: HttpResult & { readonly kind: 'response' }): unknown {
  const body = readJson(result);
  return body.ok ? withIntegers(body.json, JSON.parse(body.text)) : undefined;
}

/**
 * @param exact as read, with large numbers as text
 * @param plain the same, with large numbers that have lost digits
 */
function withIntegers(exact: unknown, plain: unknown): unknown {
  if (typeof plain === 'number' && typeof exact === 'string') {
    return /^-?\d+$/.test(exact) ? BigInt(exact) : plain;
  }
  if (Array.isArray(plain))
    return plain.map((each, index) => withIntegers((exact as unknown[])[index], each));
  if (!isObject(plain)) return plain;
  const members = Object.entries(plain).map(([name, each]) => [
    name,
    withIntegers((exact as WireObject)[name], each),
  ]);
  return Object.fromEntries(members);
}

/** A member by its path of camelCase names, each of which may also be in snake_case; undefined if absent or null. */
export function memberAt(object: WireObject, path: string): unknown {
  return findAt(object, path)?.value;
}

/** A member as {@link memberAt} finds it, and its path as the node spells it. */
export function findAt(
  object: WireObject,
  path: string,
): { readonly value: unknown; readonly spelled: string } | undefined {
  const found = walkTo(object, path);
  return found === undefined || found.value === null ? undefined : found;
}

/** Whether the node sends the member as null: there is no value now. */
export function isNullAt(object: WireObject, path: string): boolean {
  return walkTo(object, path)?.value === null;
}

function walkTo(
  object: WireObject,
  path: string,
): { readonly value: unknown; readonly spelled: string } | undefined {
  let value: unknown = object;
  const spelled: string[] = [];
  for (const name of path.split('.')) {
    if (!isObject(value)) return undefined;
    const own = value[name] === undefined ? snakeCase(name) : name;
    spelled.push(own);
    value = value[own];
  }
  return value === undefined ? undefined : { value, spelled: spelled.join('.') };
}

/** The rows of the list of submissions; undefined if it has none to show. */
export function rowsOf(submissions: HttpResult): readonly WireObject[] | undefined {
  if (submissions.kind !== 'response' || submissions.status !== 200) return undefined;
  const json = parse(submissions);
  if (json === undefined) return undefined;
  const list = Array.isArray(json) ? json : isObject(json) ? json['submissions'] : [];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function newestBlobId(submissions: HttpResult): string | null {
  for (const row of rowsOf(submissions) ?? []) {
    const ids = member(row, 'blobIds') ?? member(row, 'blobId');
    const id = Array.isArray(ids) ? ids[0] : ids;
    if (typeof id === 'string' && id !== '') return id;
  }
  return null;
}

function isServed(result: HttpResult): boolean {
  const object = objectOf(result);
  return object !== undefined && memberAt(object, 'block') !== undefined;
}
