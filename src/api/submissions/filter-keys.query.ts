import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import type { FilterKeys, SubmissionFilter } from './submission-filter.js';

interface KeyRow {
  readonly nodes: number[] | null;
  readonly chains: string[] | null;
  readonly namespaces: number[] | null;
}

const NO_KEYS = { nodes: undefined, chains: undefined, namespaces: undefined };

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
    const isIndexedMessage = Boolean(filter.message) && (await hasMessageIndex(this.dataSource));
    if (!filter.nodes && !filter.chains && !filter.namespaces) return { ...NO_KEYS, isIndexedMessage };
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
      isIndexedMessage,
    };
  }
}
