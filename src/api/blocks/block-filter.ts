import type { SqlParameters } from '../graphql/sql-text.js';
import { clampToInt64 } from './block-order.js';
import type { BlockFilter } from './block.type.js';

/** SQL: header and data of `block b` are included. */
const INCLUDED = 'b.header_da_height IS NOT NULL AND b.data_da_height IS NOT NULL';
/** Conditions on `node n` and `lineage l`. */
export function lineConditions({ nodes, chains }: BlockFilter, parameters: SqlParameters): string[] {
  return [...parameters.oneOf('n.id', nodes), ...parameters.oneOf('l.chain_id', chains)];
}

/** The same conditions, on `block b`. */
export function keyConditions({ nodes, chains }: BlockFilter, parameters: SqlParameters): string[] {
  const keys = (key: string, table: string, [named]: string[]): string[] =>
    named === undefined ? [] : [`b.${key} = ANY (ARRAY(SELECT ${key} FROM ${table} WHERE ${named}))`];
  return [
    ...keys('node_key', 'node', parameters.oneOf('id', nodes)),
    ...keys('lineage_key', 'lineage', parameters.oneOf('chain_id', chains)),
  ];
}

/** Conditions on `block b`, except those on its node and chain. @param timeNs SQL of its time */
export function filterBlocks(filter: BlockFilter, parameters: SqlParameters, timeNs = 'b.time_ns'): string[] {
  const { included } = filter;
  return [
    ...parameters.compare('b.height', '>=', filter.heightFrom),
    ...parameters.compare('b.height', '<=', filter.heightTo),
    ...parameters.compare(timeNs, '>=', clampToInt64(filter.from)),
    ...parameters.compare(timeNs, '<', clampToInt64(filter.to)),
    ...(included === true ? [INCLUDED] : []),
    ...(included === false ? [`NOT (${INCLUDED})`] : []),
  ];
}
