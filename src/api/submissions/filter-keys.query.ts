import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import {
  heightConditions,
  timeConditions,
  type FilterKeys,
  type SubmissionFilter,
} from './submission-filter.js';

interface KeyRow {
  readonly nodes: number[] | null;
  readonly chains: string[] | null;
  readonly namespaces: number[] | null;
}

const NO_KEYS: FilterKeys = {
  nodes: undefined,
  chains: undefined,
  namespaces: undefined,
  isShortTime: false,
  isShortOfHeights: false,
  isIndexedMessage: false,
};
/** Rows that are sorted rather than searched for along the whole list. */
const SORTED_ROWS = 50_000;

/** Whether parts of messages have an index: only where the server has trigrams. */
export async function hasMessageIndex(source: Database): Promise<boolean> {
  const [row] = await source.query<{ has: boolean }[]>(
    "SELECT to_regclass('submission_message_idx') IS NOT NULL AS has",
  );
  return row?.has === true;
}

/** Finds the keys that the names in a filter stand for, so that the planner knows what it plans for. */
@Injectable()
export class FilterKeysQuery {
  constructor(@Inject(ReadDatabase) private readonly dataSource: Database) {}

  /** A name that nothing bears stands for no key, and so matches nothing. */
  async getFilterKeys(filter: SubmissionFilter): Promise<FilterKeys> {
    const short = {
      isShortTime: await this.hasFew('s.time_at', (parameters) => timeConditions(filter, parameters)),
      isShortOfHeights: await this.hasFew('s.da_height', (parameters) =>
        heightConditions(filter, parameters),
      ),
      isIndexedMessage: Boolean(filter.message) && (await hasMessageIndex(this.dataSource)),
    };
    if (!filter.nodes && !filter.chains && !filter.namespaces) return { ...NO_KEYS, ...short };
    const namespaces = filter.namespaces?.map((text) => text.toLowerCase().replace(/^0x/, ''));
    const rows = await this.dataSource.query<KeyRow[]>(
      `SELECT (SELECT array_agg(node_key) FROM node WHERE id = ANY ($1::text[])) AS nodes,
              (SELECT array_agg(DISTINCT chain_id) FROM (SELECT chain_id FROM lineage UNION ALL SELECT chain_id FROM node_chain) c
                WHERE chain_id = ANY ($2::text[])) AS chains,
              (SELECT array_agg(namespace_key) FROM namespace WHERE namespace = ANY ($3::text[])) AS namespaces`,
      [filter.nodes ?? [], filter.chains ?? [], namespaces ?? []],
    );
    const found = rows[0];
    return {
      nodes: filter.nodes ? (found?.nodes ?? []) : undefined,
      chains: filter.chains ? (found?.chains ?? []) : undefined,
      namespaces: namespaces ? (found?.namespaces ?? []) : undefined,
      ...short,
    };
  }

  /**
   * The planner takes rows of one time, or of some DA heights, to be spread evenly over the list, and would walk it from the
   * end to an hour of last year. So it is told when few rows lie in a range of a column; without conditions there is none.
   */
  private async hasFew(
    column: string,
    toConditions: (parameters: SqlParameters) => string[],
  ): Promise<boolean> {
    const parameters = new SqlParameters();
    const conditions = toConditions(parameters);
    if (conditions.length === 0) return false;
    const rows = await this.dataSource.query<{ is_long: boolean }[]>(
      `SELECT EXISTS (SELECT FROM submission s ${whereAll(conditions)} ORDER BY ${column} OFFSET ${SORTED_ROWS}) AS is_long`,
      parameters.values,
    );
    return rows[0]?.is_long === false;
  }
}
