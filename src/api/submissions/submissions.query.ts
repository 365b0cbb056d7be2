import { Inject, Injectable } from '@nestjs/common';
import {
  kindCodeOf,
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
} from '../../domain/submissions/submission-codes.js';
import { microsToNanos } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsOf, selectList } from '../../platform/rows/row-columns.js';
import type { StatementSource } from '../../platform/sql.js';
import { chainOfRow } from '../../projections/chain-of-row.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import { toPage, toPageRequest, type Page, type PagingArgs } from '../graphql/connection.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { FilterKeysQuery } from './filter-keys.query.js';
import {
  submissionConditions,
  submissionSorts,
  type SubmissionFilter,
  type SubmissionOrder,
} from './submission-filter.js';
import { formatSubmissionId, type SubmissionKey } from './submission-id.js';
import { SUBMISSION_CURSOR, walkSubmissions } from './submission-order.js';
import { Submission } from './submission.type.js';

/** A row as {@link selectSubmissions} reads it. */
interface SubmissionRow extends SubmissionEntity {
  readonly node: string | null;
  readonly chain: string | null;
  /** Of the lineage. */
  readonly n: number | null;
  readonly namespace: string | null;
}

/** Names of the rows of a page; they are looked up for its rows alone. */
function selectSubmissions(page: string, orderBy: string): string {
  return `
    SELECT ${selectList(SubmissionEntity, 's')}, n.id AS node, ${chainOfRow('s', 'l')} AS chain, l.n, ns.namespace
      FROM (${page}) s
      LEFT JOIN node n ON n.node_key = s.node_key
      LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
      LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key
     ORDER BY ${orderBy}`;
}

const PLACES = columnsOf(SubmissionEntity, 'nodeKey', 'sequence');

/** A place in the list of a node. */
export type ListPlace = Pick<SubmissionEntity, 'nodeKey' | 'sequence'>;

/** Names a place among others. */
export function nameOf({ nodeKey, sequence }: ListPlace): string {
  return `${nodeKey}/${sequence}`;
}

/** The first rows of all that meet one of the conditions, of which a row meets one at most. */
function mergePages(conditions: readonly string[], order: string): string {
  const pages = conditions.map((where) => `(SELECT * FROM submission s ${where} ${order})`);
  return pages.length === 1 ? `${pages[0]}` : `SELECT * FROM (${pages.join(' UNION ALL ')}) s ${order}`;
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
    const rows = await this.dataSource.query<SubmissionRow[]>(
      selectSubmissions(
        mergePages(
          submissionSorts(filter).map((sort) => whereAll([...conditions, sort, ...walk.conditions])),
          `ORDER BY ${walk.orderBy} LIMIT ${limit}`,
        ),
        walk.orderBy,
      ),
      parameters.values,
    );
    return toPage(request, rows, SUBMISSION_CURSOR, toSubmission);
  }

  /** The rows at these places of lists, in their order; undefined where there is none. */
  async getRows(places: readonly ListPlace[]): Promise<(Submission | undefined)[]> {
    const wanted = PLACES.unnest(places, 'wanted');
    const rows = await this.dataSource.query<SubmissionRow[]>(
      selectSubmissions(`SELECT s.* FROM ${wanted.sql} JOIN submission s USING (node_key, sequence)`, '1'),
      [...wanted.parameters],
    );
    const found = new Map(rows.map((row) => [nameOf(row), toSubmission(row)]));
    return places.map((place) => found.get(nameOf(place)));
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
    const rows = await this.dataSource.query<SubmissionRow[]>(
      selectSubmissions(
        `SELECT * FROM submission s WHERE s.to_position IS NULL AND ${condition} LIMIT 1`,
        '1',
      ),
      parameters.values,
    );
    return rows.map(toSubmission)[0];
  }
}

function toSubmission(found: SubmissionRow): Submission {
  const { node, n, kind: kindCode, status, evidence, occurredAt, observedAt, ...row } = found;
  const { chain, sequence, daHeight } = row;
  const kind = SUBMISSION_KINDS[kindCode] ?? 'UNKNOWN';
  const key =
    node !== null && sequence !== null
      ? { node, sequence }
      : { chain: chain ?? '', n: n ?? 0, kind, daHeight: daHeight ?? 0n };
  return Object.assign(new Submission(), row, {
    id: formatSubmissionId(key),
    nodeId: node,
    time: microsToNanos(row.timeAt),
    status: SUBMISSION_STATUSES[status] ?? 'OTHER',
    kind,
    occurredAt: toNanos(occurredAt),
    observedAt: toNanos(observedAt),
    evidence: SUBMISSION_EVIDENCES[evidence] ?? 'OBSERVED',
  });
}
