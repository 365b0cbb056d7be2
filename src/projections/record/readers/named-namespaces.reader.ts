/** Stands for a node's further namespaces. It cannot collide with a namespace in a row, which consists of hex digits. */
export const OTHER_NAMESPACES = 'other';

const OTHER_KEY = `(SELECT k.namespace_key FROM namespace k WHERE k.namespace = '${OTHER_NAMESPACES}')`;

/**
 * SQL: the key of the namespace under which statistics list a submission `row`; 0 if the row names no namespace. A row that
 * only blocks prove gets the name if any node had the namespace by then.
 */
export function namedNamespace(row: string): string {
  return `CASE WHEN ${row}.namespace_key IS NULL THEN 0
    WHEN ${OTHER_KEY} IS NULL OR EXISTS (SELECT FROM node_namespace o WHERE o.namespace_key = ${row}.namespace_key
      AND (o.node_key = ${row}.node_key OR (${row}.node_key IS NULL AND o.from_position <= ${row}.from_position)))
    THEN ${row}.namespace_key ELSE ${OTHER_KEY} END`;
}

/** SQL: pairs (node, chain) of nodes with more namespaces than are listed by name; chain is null where a node never named one. */
export const NODES_WITH_OTHERS = `SELECT n.id AS node, c.chain_id AS chain FROM node_namespace o
  JOIN node n USING (node_key) LEFT JOIN node_chain c USING (node_key) WHERE o.namespace_key = ${OTHER_KEY}`;
