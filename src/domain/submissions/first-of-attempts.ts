/** Of more equal rows of one node than this each counts: to tell which of another node's they are, all would have to be read. */
export const MOST_EQUAL = 1_000;

/**
 * Which of the rows that are equal in every field count for their chain.
 *
 * Rows of several nodes are one attempt: the k-th of one node is the k-th of another. Of each attempt the row counts that was recorded
 * first. So a row counts if its node has shown more of them by then than any other.
 *
 * @param nodeKeys the node of each row, in the order in which they were recorded
 * @param before how many were recorded before, by node
 */
export function findFirsts(
  nodeKeys: readonly number[],
  before: ReadonlyMap<number, number> = new Map(),
): boolean[] {
  const counts = new Map(before);
  let most = 0;
  for (const count of before.values()) most = Math.max(most, Math.min(MOST_EQUAL, count));
  return nodeKeys.map((nodeKey) => {
    const count = Math.min(MOST_EQUAL, counts.get(nodeKey) ?? 0) + 1;
    counts.set(nodeKey, count);
    const isFirst = count > most;
    if (isFirst) most = Math.min(MOST_EQUAL, count);
    return isFirst;
  });
}
