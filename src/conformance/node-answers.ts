import { readJson } from '../node-api/answer.js';
import { BLOB, BLOCK, SMALL, SUBMISSIONS } from '../node-api/limits.js';
import { NodeServer } from '../node-api/node-server.js';
import { isObject, member, snakeCase, type WireObject } from '../node-api/wire-values.js';
import { SystemClock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import type { HttpResult } from '../platform/http-messages.js';

/** What a node answered to each request of the specification, asked once. */
export interface NodeAnswers {
  /** Of the block service, as `node.v1`; null where none of the known ones answered. */
  readonly service: string | null;
  readonly block: HttpResult;
  /** One with transactions; null where none was found near it. */
  readonly filledBlock: HttpResult | null;
  /** The same block by its hash; null where its successor does not tell one. */
  readonly blockByHash: HttpResult | null;
  readonly live: HttpResult;
  readonly ready: HttpResult;
  /** Null: no status endpoint was given. */
  readonly status: HttpResult | null;
  readonly daPage: HttpResult;
  readonly submissions: HttpResult;
  /** Of the newest submission with a blob; null where there is none. */
  readonly blob: HttpResult | null;
  readonly stats: HttpResult;
  readonly health: HttpResult;
}

/** Where a node is asked. */
export interface RunningNode {
  readonly url: string;
  readonly statusUrl?: string | undefined;
  /** The prefix of its block service, as `evnode.v1`; looked for when left out. */
  readonly service?: string | undefined;
  /** Of a Hindsight: the `shape` that it is asked for, `spec` or `ev-node`. */
  readonly shape?: string | undefined;
}

/** That of the specification first. */
const SERVICES = ['node.v1', 'evnode.v1', 'rollkit.v1'];

/** A server that is asked for one of the shapes in which it can answer. */
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

/** Asks a node everything that the specification names, one request after the other. Never rejects. */
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

/** The second block: the first has no hashes of one before it. Else what a young or a pruned node has. */
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

/** The newest first: many a chain begins with empty blocks. */
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

/** The hash of a block's header stands in the block behind it. */
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

/** A body that is a JSON object, of an answer with status 200. */
export function objectOf(result: HttpResult | null): WireObject | undefined {
  if (result?.kind !== 'response' || result.status !== 200) return undefined;
  const json = parse(result);
  return isObject(json) ? json : undefined;
}

/** The JSON of a body, in which integers of many digits are `bigint`: unlike text that a node has written in their place. */
function parse(result: HttpResult & { readonly kind: 'response' }): unknown {
  const body = readJson(result);
  return body.ok ? withIntegers(body.json, JSON.parse(body.text)) : undefined;
}

/** @param exact as read, where numbers of many digits are text; @param plain the same, where they have lost some */
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

/** A member by its path of camelCase names, each or its snake_case twin; undefined when left out. */
export function memberAt(object: WireObject, path: string): unknown {
  return findAt(object, path)?.value;
}

/** The same with its path as the node spells it. */
export function findAt(
  object: WireObject,
  path: string,
): { readonly value: unknown; readonly spelled: string } | undefined {
  const found = walkTo(object, path);
  return found === undefined || found.value === null ? undefined : found;
}

/** Whether the node has the member and says null: there is none now. */
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

/** The rows of the list of submissions; undefined where it has none to show. */
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
