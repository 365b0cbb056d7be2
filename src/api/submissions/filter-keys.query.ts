import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { FilterKeys, SubmissionFilter } from './submission-filter.js';

interface KeyRow {
  readonly nodes: number[] | null;
  readonly lineages: number[] | null;
  readonly chain_nodes: number[] | null;
  readonly namespaces: number[] | null;
}

/** Finds the keys that the names in a filter stand for, so that the planner knows what it plans for. */
@Injectable()
export class FilterKeysQuery {
  constructor(private readonly dataSource: DataSource) {}

  /** A name that nothing bears stands for no key, and so matches nothing. */
  async getFilterKeys(filter: Pick<SubmissionFilter, 'nodes' | 'chains' | 'namespaces'>): Promise<FilterKeys> {
    if (!filter.nodes && !filter.chains && !filter.namespaces) {
      return { nodes: undefined, lineages: undefined, chainNodes: [], namespaces: undefined };
    }
    const namespaces = filter.namespaces?.map((text) => text.toLowerCase().replace(/^0x/, ''));
    const rows = await this.dataSource.query<KeyRow[]>(
      `SELECT (SELECT array_agg(node_key) FROM node WHERE id = ANY ($1::text[])) AS nodes,
              (SELECT array_agg(lineage_key) FROM lineage WHERE chain_id = ANY ($2::text[])) AS lineages,
              (SELECT array_agg(node_key) FROM node WHERE chain_id = ANY ($2::text[])) AS chain_nodes,
              (SELECT array_agg(namespace_key) FROM namespace WHERE namespace = ANY ($3::text[])) AS namespaces`,
      [filter.nodes ?? [], filter.chains ?? [], namespaces ?? []],
    );
    const found = rows[0];
    return {
      nodes: filter.nodes ? (found?.nodes ?? []) : undefined,
      lineages: filter.chains ? (found?.lineages ?? []) : undefined,
      chainNodes: found?.chain_nodes ?? [],
      namespaces: namespaces ? (found?.namespaces ?? []) : undefined,
    };
  }
}
