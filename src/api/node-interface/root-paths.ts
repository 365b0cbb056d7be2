import type { OpenAPIObject } from '@nestjs/swagger';

/** A node's own paths. `/health/…` at the root is ours. */
const NODE_PATH =
  /^\/(?:da|da\/[a-z]+|status|[A-Za-z0-9_.]{1,100}\.(?:Store|Config)Service\/[A-Za-z0-9]+)(?:\?|$)/;

/**
 * Has a node's own paths at the root answered as those under `/nodes/{id}`.
 * @param node its id; without one nothing of a node is answered at the root
 */
export function rewriteToNode(node: string | undefined): (url: string) => string {
  if (node === undefined) return (url) => url;
  const base = `/nodes/${encodeURIComponent(node)}`;
  return (url) => (NODE_PATH.test(url) ? base + url : url);
}

type Paths = OpenAPIObject['paths'];

const BASE = '/nodes/{id}';

/** The same paths in the OpenAPI document: those under `/nodes/{id}` without it. */
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
