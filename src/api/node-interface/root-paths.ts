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
