import { Inject, Injectable } from '@nestjs/common';
import type { Micros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { UNDECIDED_CHAINS } from '../../projections/record/readers/progress.reader.js';
import { zoneOf } from '../../statistics/read/plan/scope.query.js';
import { SHOWS_INCLUSION } from '../../statistics/read/shows-inclusion.js';
import { MEMBERS_OF_CHAINS } from '../../statistics/roll-up/members.js';
import { toNanos } from '../graphql/scalars.js';
import { Chain } from './chain.type.js';

interface ChainRow {
  readonly id: string;
  readonly nodeKeys: number[];
  readonly aggregatorKeys: number[];
  readonly lineages: string[];
  readonly zone: string | null;
  readonly head: bigint | null;
  readonly inclusionFrontier: bigint | null;
  readonly isShown: boolean;
  readonly undecidedSince: Micros | null;
  readonly undecidedSteps: number;
}

/**
 * Chains, with what their nodes show together. Heights come from the nodes on the newest history that any node is on. A node that
 * was left behind on another history does not count.
 */
const SELECT_CHAIN = `
  WITH member AS (${MEMBERS_OF_CHAINS}),
       chain AS (SELECT chain AS id FROM member UNION SELECT chain_id FROM lineage),
       present AS (SELECT l.chain_id AS id, n.head, n.inclusion_frontier, ${SHOWS_INCLUSION} AS is_shown,
                          rank() OVER (PARTITION BY l.chain_id ORDER BY l.n DESC) AS age
                     FROM node n JOIN lineage l USING (lineage_key)),
       ends AS (SELECT id, max(head) AS head, max(inclusion_frontier) AS "inclusionFrontier",
                       bool_or(is_shown) AS "isShown"
                  FROM present WHERE age = 1 GROUP BY id),
       keys AS (SELECT m.chain AS id, array_agg(node_key ORDER BY n.id COLLATE "C") AS nodes,
                       array_agg(node_key ORDER BY n.id COLLATE "C") FILTER (WHERE n.aggregator AND NOT n.retired) AS aggregators
                  FROM member m JOIN node n USING (node_key) GROUP BY m.chain),
       history AS (SELECT chain_id AS id, array_agg(chain_id || '/' || n ORDER BY n) AS lineages FROM lineage GROUP BY chain_id)
  SELECT chain.id, c.reporting_time_zone AS zone, ends.head, ends."inclusionFrontier", coalesce(ends."isShown", false) AS "isShown",
         undecided.since AS "undecidedSince", coalesce(undecided.steps, 0) AS "undecidedSteps",
         coalesce(keys.nodes, '{}') AS "nodeKeys", coalesce(keys.aggregators, '{}') AS "aggregatorKeys",
         coalesce(history.lineages, '{}') AS lineages
    FROM chain LEFT JOIN ends USING (id) LEFT JOIN keys USING (id) LEFT JOIN history USING (id)
    LEFT JOIN chain_setting c ON c.chain = chain.id
    LEFT JOIN (${UNDECIDED_CHAINS}) undecided ON undecided.chain = chain.id`;

@Injectable()
export class ChainsQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** All chains that any node ever belonged to, ordered by id. */
  getChains(): Promise<Chain[]> {
    return this.read('ORDER BY chain.id COLLATE "C"');
  }

  async findChain(id: string): Promise<Chain | undefined> {
    return (await this.read('WHERE chain.id = $1::text', id))[0];
  }

  private async read(rest: string, ...parameters: unknown[]): Promise<Chain[]> {
    return (await this.reads.query<ChainRow[]>(`${SELECT_CHAIN} ${rest}`, parameters)).map(toChain);
  }
}

function toChain({ zone, head, inclusionFrontier, isShown, undecidedSince, ...row }: ChainRow): Chain {
  const pending =
    !isShown || head === null || inclusionFrontier === null
      ? null
      : head < inclusionFrontier
        ? 0n
        : head - inclusionFrontier;
  return Object.assign(new Chain(), row, {
    head,
    inclusionFrontier,
    undecidedSince: toNanos(undecidedSince),
    pending,
    reportingTimeZone: zoneOf({ zones: new Map(zone === null ? [] : [[row.id, zone]]) }, row.id),
  });
}
