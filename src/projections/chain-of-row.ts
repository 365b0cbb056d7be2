/**
 * SQL: the chain of a row of `submission` that has no lineage: the one that its node had named last when the row was
 * recorded, or else the first that it named. Null where it has named none.
 *
 * @param row alias of something with node_key and from_position
 * @param names the table of the names, where it is not the one that the connection sees
 */
export function chainOfUnplaced(row: string, names = 'node_chain'): string {
  return `(SELECT c.chain_id FROM ${names} c WHERE c.node_key = ${row}.node_key AND c.from_position <= ${row}.from_position
            ORDER BY c.from_position DESC LIMIT 1)`;
}

/**
 * SQL: the chain of any row of `submission`. Of one that has a lineage nothing else is looked up.
 *
 * @param row as above, and so `names`
 * @param lineage alias of its row of `lineage`, joined from the left
 */
export function chainOfRow(row: string, lineage: string, names?: string): string {
  return `coalesce(${lineage}.chain_id, ${chainOfUnplaced(row, names)})`;
}
