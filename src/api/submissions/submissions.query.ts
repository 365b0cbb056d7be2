import { Inject, Injectable } from '@nestjs/common';
import {
  kindCodeOf,
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
} from '../../domain/submissions/submission-codes.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';
import { toPage, toPageRequest, type Page, type PagingArgs } from '../graphql/connection.js';
import { microsToNanos, selectMicros, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { FilterKeysQuery } from './filter-keys.query.js';
import { submissionConditions, type SubmissionFilter, type SubmissionOrder } from './submission-filter.js';
import { formatSubmissionId, type SubmissionKey } from './submission-id.js';
import { SUBMISSION_CURSOR, walkSubmissions, type PlacedRow } from './submission-order.js';
import type { Submission } from './submission.type.js';

/** A row as {@link selectSubmissions} reads it. */
interface SubmissionRecord extends PlacedRow {
  readonly node_id: string | null;
  readonly chain_id: string | null;
  readonly lineage_n: number | null;
  readonly ring: number | null;
  readonly status: number;
  readonly evidence: number;
  readonly namespace: string | null;
  readonly blob_count: number | null;
  readonly size_bytes: string | null;
  readonly gas_price: string | null;
  readonly occurred_at: string | null;
  readonly observed_at: string;
  readonly message: string | null;
}

/** Names and times of the rows of a page; they are looked up for its rows alone. */
function selectSubmissions(page: string, orderBy: string): string {
  return `
    SELECT s.node_key, n.id AS node_id, s.sequence, s.lineage_key, coalesce(l.chain_id, n.chain_id) AS chain_id,
           l.n AS lineage_n, s.ring, s.status, s.kind, s.evidence, ns.namespace, s.blob_count, s.da_height,
           s.size_bytes, s.gas_price::text AS gas_price, s.from_position, s.message,
           ${selectMicros('s.occurred_at', 'occurred_at')}, ${selectMicros('s.observed_at', 'observed_at')},
           ${selectMicros('s.time_at', 'time_at')}
      FROM (${page}) s
      LEFT JOIN node n ON n.node_key = s.node_key
      LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
      LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key
     ORDER BY ${orderBy}`;
}

/** Reads submissions. */
@Injectable()
export class SubmissionsQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: StatementSource,
    private readonly keys: FilterKeysQuery,
  ) {}

  async getSubmissions(
    filter: SubmissionFilter,
    order: SubmissionOrder,
    args: PagingArgs,
  ): Promise<Page<Submission>> {
    const request = toPageRequest(args, SUBMISSION_CURSOR);
    const keys = await this.keys.getFilterKeys(filter);
    const parameters = new SqlParameters();
    const conditions = submissionConditions(filter, keys, parameters);
    const walk = walkSubmissions(order, request, keys, parameters);
    const limit = parameters.add(request.size + 1, 'int');
    const rows = await this.dataSource.query<SubmissionRecord[]>(
      selectSubmissions(
        `SELECT * FROM submission s ${whereAll([...conditions, ...walk.conditions])} ORDER BY ${walk.orderBy} LIMIT ${limit}`,
        walk.orderBy,
      ),
      parameters.values,
    );
    return toPage(request, rows, SUBMISSION_CURSOR, toSubmission);
  }

  /** The submission of that name; undefined too for a reconstructed one that a seen attempt has explained since. */
  async findSubmission(key: SubmissionKey): Promise<Submission | undefined> {
    const parameters = new SqlParameters();
    const condition =
      'node' in key
        ? `s.sequence = ${parameters.add(key.sequence, 'bigint')}
           AND s.node_key = (SELECT node_key FROM node WHERE id = ${parameters.add(key.node, 'text')})`
        : `s.node_key IS NULL AND s.da_height = ${parameters.add(key.daHeight, 'bigint')}
           AND s.kind = ${parameters.add(kindCodeOf(key.kind), 'smallint')}
           AND s.lineage_key = (SELECT lineage_key FROM lineage WHERE chain_id = ${parameters.add(key.chain, 'text')}
                                                                  AND n = ${parameters.add(key.n, 'int')})`;
    const rows = await this.dataSource.query<SubmissionRecord[]>(
      selectSubmissions(
        `SELECT * FROM submission s WHERE s.to_position IS NULL AND ${condition} LIMIT 1`,
        '1',
      ),
      parameters.values,
    );
    return rows.map(toSubmission)[0];
  }
}

function toSubmission(row: SubmissionRecord): Submission {
  const kind = SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN';
  const sequence = row.sequence === null ? null : BigInt(row.sequence);
  const daHeight = row.da_height === null ? null : BigInt(row.da_height);
  const id =
    row.node_id !== null && sequence !== null
      ? { node: row.node_id, sequence }
      : { chain: row.chain_id ?? '', n: row.lineage_n ?? 0, kind, daHeight: daHeight ?? 0n };
  return {
    nodeKey: row.node_key,
    lineageKey: row.lineage_key,
    fromPosition: BigInt(row.from_position),
    id: formatSubmissionId(id),
    chain: row.chain_id,
    sequence,
    ring: row.ring,
    status: SUBMISSION_STATUSES[row.status] ?? 'OTHER',
    message: row.message,
    namespace: row.namespace,
    kind,
    daHeight,
    blobCount: row.blob_count,
    sizeBytes: row.size_bytes,
    gasPrice: row.gas_price,
    occurredAt: microsToNanos(row.occurred_at),
    observedAt: microsToNanos(row.observed_at),
    evidence: SUBMISSION_EVIDENCES[row.evidence] ?? 'OBSERVED',
  };
}
