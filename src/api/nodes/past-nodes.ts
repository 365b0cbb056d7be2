import type { Nanos } from '../../domain/time.js';
import { filterBlocks } from '../blocks/block-filter.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';

const HOUR_NS: Nanos = 3_600_000_000_000n;
/** Rows of a ring; their times need not be in its order. */
const RING = 100;

export interface PastNodes {
  readonly past: Past;
  /** Position up to which retirements count. */
  readonly until: bigint;
  /** One node, or the nodes of rows; all known nodes if both are left out. */
  readonly id?: string | undefined;
  readonly keys?: readonly number[] | undefined;
  /** Counting reads every block. */
  readonly countsBlocks: boolean;
}

/**
 * SQL that reads nodes as they were; columns without a history are null.
 *
 * The newest blocks and rows of a past are found by their times, which are at most an hour behind their recording. Rows that were
 * recorded later are skipped.
 */
export function selectPastNodes({ past, until, id, keys, countsBlocks }: PastNodes): {
  readonly sql: string;
  readonly parameters: readonly unknown[];
} {
  const { asOf, knownAt, end = 0n } = past;
  const parameters = new SqlParameters();
  const to = asOf !== undefined && asOf < end + HOUR_NS ? asOf : end + HOUR_NS;
  const isKnown = (alias: string): string[] => parameters.compare(`${alias}.from_position`, '<=', knownAt);
  const ofBlocks = whereAll([
    'b.node_key = n.node_key',
    ...filterBlocks({ to }, parameters),
    ...isKnown('b'),
  ]);
  const ofRows = whereAll([
    's.node_key = n.node_key',
    ...parameters.compareTime('s.time_at', '<', to),
    ...isKnown('s'),
  ]);
  const ofNodes = whereAll([
    // The node of a row was known before the row.
    ...(keys === undefined ? isKnown('n') : parameters.oneOf('n.node_key', keys, 'int[]')),
    ...(id === undefined ? [] : [`n.id = ${parameters.add(id, 'text')}`]),
  ]);
  const chain = knownAt === undefined ? 'n.chain_id' : 'l.chain_id';
  return {
    sql: `
      SELECT n.node_key AS "nodeKey", n.id, n.url, ${chain} AS "chainId", newest.height AS head,
             coalesce(list.count, 0) AS "submissionCount", success.time_at AS "lastSuccessAt",
             ${countsBlocks ? `(SELECT count(*) FROM block b ${ofBlocks})` : '0::bigint'} AS "blockCount",
             coalesce(n.to_position <= ${parameters.add(until, 'bigint')}, false) AS retired,
             NULL AS aggregator, NULL AS shape, NULL AS "servicePrefix", NULL AS oldest, NULL AS "inclusionFrontier",
             NULL AS pending, NULL AS "blocksMissing", NULL AS "lastSeenAt"
        FROM node n
        LEFT JOIN LATERAL (
          SELECT b.height, b.lineage_key FROM block b ${ofBlocks} ORDER BY b.time_ns DESC LIMIT 1) newest ON true
        LEFT JOIN lineage l ON l.lineage_key = newest.lineage_key
        LEFT JOIN LATERAL (
          SELECT max(sequence) AS count FROM (
            SELECT s.sequence FROM submission s ${ofRows} ORDER BY s.time_at DESC LIMIT ${RING}) last) list ON true
        LEFT JOIN LATERAL (
          SELECT s.time_at FROM submission s ${ofRows} AND s.status = 0 ORDER BY s.time_at DESC LIMIT 1) success ON true
       ${ofNodes} ORDER BY n.id COLLATE "C"`,
    parameters: parameters.values,
  };
}
