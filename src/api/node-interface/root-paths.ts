import type { RoutedRequest } from '../http/routed-request.js';
import type { Paths } from '../openapi/described.js';

/** A node's own paths. `/health/…` at the root is our own. */
const NODE_PATH =
  /^\/(?:da|da\/[a-z]+|status|[A-Za-z0-9_.]{1,100}\.(?:Store|Config|P2P)Service\/[A-Za-z0-9]+)(?:\?|$)/;

/** Paths that nodes answer whatever the method. Capture 1 is set for paths whose POST body is ignored. */
const ANY_METHOD = /^\/nodes\/[^/?]+\/(?:(da\/[a-z]+)|da|status|health\/(?:live|ready))(?:\?|$)/;
const METHODS: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Routes a node's own paths at the root like those under `/nodes/{id}`, and ignores the method where nodes do.
 * @param node its id; when undefined, no node is served at the root
 */
export function routeAsNode(node: string | undefined): (request: RoutedRequest) => string {
  const base = node === undefined ? undefined : `/nodes/${encodeURIComponent(node)}`;
  return (request) => {
    const { url = '/' } = request;
    const path = base !== undefined && NODE_PATH.test(url) ? base + url : url;
    const found = ANY_METHOD.exec(path);
    if (found) {
      request.takesAnyMethod = true;
      if (METHODS.has(request.method)) request.method = found[1] === undefined ? 'GET' : 'POST';
    }
    return path;
  };
}

const BASE = '/nodes/{id}';

/** The node's own paths in the OpenAPI document: those under `/nodes/{id}`, without that prefix. */
export function pathsAtRoot(paths: Paths, node: string): Paths {
  const own = Object.entries(paths).filter(
    ([path]) => path.startsWith(`${BASE}/`) && !path.startsWith(`${BASE}/health/`),
  );
  return Object.fromEntries(own.map(([path, item]) => [path.slice(BASE.length), atRoot(item, node)]));
}

function atRoot({ get, post }: Paths[string], node: string): Paths[string] {
  const move = (operation: NonNullable<typeof get>): typeof operation => ({
    ...operation,
    operationId: `${operation.operationId}AtRoot`,
    summary: `${operation.summary} (of ${node})`,
    parameters: (operation.parameters ?? []).filter(
      (each) => !('name' in each && each.name === 'id' && each.in === 'path'),
    ),
  });
  return { ...(get && { get: move(get) }), ...(post && { post: move(post) }) };
}
