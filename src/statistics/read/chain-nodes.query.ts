import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { MEMBERS_OF_CHAINS } from '../roll-up/members.js';

/** Finds the nodes whose answers make up the figures of a chain. */
@Injectable()
export class ChainNodesQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** Ids of the nodes that name each chain or have shown blocks of it, by chain. */
  async getNodes(): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.reads.query<{ chain: string; nodes: string[] }[]>(
      `SELECT m.chain, array_agg(n.id ORDER BY n.id) AS nodes FROM (${MEMBERS_OF_CHAINS}) m
         JOIN node n USING (node_key) GROUP BY m.chain`,
    );
    return new Map(rows.map(({ chain, nodes }) => [chain, nodes]));
  }
}
