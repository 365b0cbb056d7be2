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
import { ChangesReader } from '../../projections/record/changes.reader.js';
import { submissionsKnownAt } from '../../projections/record/known-rows.reader.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import { codecFor, toPage, toPageRequest, type Page, type PagingArgs } from '../graphql/connection.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, PRESENT, untilAsOf, type Past, type TravelArgs } from '../graphql/time-travel.js';
import {
  changedAt,
  findFirstChange,
  toUpdated,
  type ChangedRow,
  type PageOrder,
} from '../graphql/updated-rows.js';
import { FilterKeysQuery } from './filter-keys.query.js';
import {
  submissionConditions,
  submissionSorts,
  timeConditions,
  type SubmissionFilter,
  type SubmissionOrder,
} from './submission-filter.js';
import { formatSubmissionId, type SubmissionKey } from './submission-id.js';
import {
  CHANGED_SUBMISSION_CURSOR,
  SUBMISSION_CURSOR,
  walkChangedSubmissions,
  walkSubmissions,
} from './submission-order.js';
import { Submission } from './submission.type.js';

/** What is shown of a row, and what the rest is looked up by. */
const SHOWN = [
  'nodeKey',
  'sequence',
  'lineageKey',
  'ring',
  'status',
  'kind',
  'evidence',
  'namespaceKey',
  'blobCount',
  'blockFrom',
  'blockTo',
  'daHeight',
  'sizeBytes',
  'occurredAt',
  'observedAt',
  'timeAt',
  'fromPosition',
  'toPosition',
  'gasPrice',
  'message',
  'change',
] as const satisfies readonly (keyof SubmissionEntity)[];

/** A row as {@link selectSubmissions} reads it. */
interface SubmissionRow extends Pick<SubmissionEntity, (typeof SHOWN)[number]>, ChangedRow {
  readonly node: string | null;
  readonly chain: string | null;
  /** Of the lineage. */
  readonly n: number | null;
  readonly namespace: string | null;
}

/** Names of the rows of a page; they are looked up for its rows alone. */
function selectSubmissions(page: string, orderBy: string): string {
  return `
    SELECT ${selectList(SubmissionEntity, 's', SHOWN)}, n.id AS node, ${chainOfRow('s', 'l')} AS chain, l.n, ns.namespace,
           ${changedAt('s')} AS "updatedAt"
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
function mergePages(from: string, conditions: readonly string[], order: string): string {
  const pages = conditions.map((where) => `(SELECT * FROM ${from} ${where} ${order})`);
  return pages.length === 1 ? `${pages[0]}` : `SELECT * FROM (${pages.join(' UNION ALL ')}) s ${order}`;
}

/** Reads submissions. */
@Injectable()
export class SubmissionsQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: StatementSource,
    private readonly keys: FilterKeysQuery,
    private readonly changes: ChangesReader,
  ) {}

  async getSubmissions(
    wished: SubmissionFilter,
    order: SubmissionOrder,
    args: PagingArgs,
    travel: TravelArgs = {},
  ): Promise<Page<Submission>> {
    const firstChange = await findFirstChange(this.changes, wished, travel);
    const past = await findPast(this.dataSource, travel);
    const filter = untilAsOf(wished, past);
    const keys = { ...(await this.keys.getFilterKeys(filter)), firstChange };
    const parameters = new SqlParameters();
    const conditions = submissionConditions(filter, keys, parameters);
    const read = (walk: PageOrder, size: number): Promise<SubmissionRow[]> => {
      const pages = mergePages(
        submissionsKnownAt(past.knownAt),
        submissionSorts(filter, past).map((sort) => whereAll([...conditions, sort, ...walk.conditions])),
        `ORDER BY ${walk.orderBy} LIMIT ${parameters.add(size + 1, 'int')}`,
      );
      return this.dataSource.query<SubmissionRow[]>(
        selectSubmissions(pages, walk.orderBy),
        parameters.values,
      );
    };
    const toNode = (row: SubmissionRow): Submission => toSubmission(row, past);
    if (firstChange === undefined) {
      const codec = codecFor(SUBMISSION_CURSOR, { order, wished }, travel);
      const request = toPageRequest(args, codec);
      const rows = await read(walkSubmissions(order, request, keys, parameters), request.size);
      return toPage(request, rows, codec, toNode);
    }
    const codec = codecFor(CHANGED_SUBMISSION_CURSOR, wished, travel);
    const request = toPageRequest(args, codec);
    const rows = await read(walkChangedSubmissions(request, parameters), request.size);
    return toPage(request, rows, codec, toNode);
  }

  /** The rows at these places of lists, in their order; undefined where there is none, or was none in that past. */
  async getRows(places: readonly ListPlace[], past = PRESENT): Promise<(Submission | undefined)[]> {
    const wanted = PLACES.unnest(places, 'wanted');
    const parameters = new SqlParameters();
    parameters.values.push(...wanted.parameters);
    const conditions = timeConditions(untilAsOf({}, past), parameters);
    const rows = await this.dataSource.query<SubmissionRow[]>(
      selectSubmissions(
        `SELECT s.* FROM ${wanted.sql} JOIN ${submissionsKnownAt(past.knownAt)} USING (node_key, sequence) ${whereAll(conditions)}`,
        '1',
      ),
      parameters.values,
    );
    const found = new Map(rows.map((row) => [nameOf(row), toSubmission(row, past)]));
    return places.map((place) => found.get(nameOf(place)));
  }

  /** The submission of that name; undefined too for a reconstructed one that a seen attempt has explained since. */
  async findSubmission(key: SubmissionKey, travel: TravelArgs = {}): Promise<Submission | undefined> {
    const past = await findPast(this.dataSource, travel);
    const parameters = new SqlParameters();
    const condition =
      'node' in key
        ? `s.sequence = ${parameters.add(key.sequence, 'bigint')}
           AND s.node_key = (SELECT node_key FROM node WHERE id = ${parameters.add(key.node, 'text')})`
        : `s.node_key IS NULL AND s.da_height = ${parameters.add(key.daHeight, 'bigint')}
           AND s.kind = ${parameters.add(kindCodeOf(key.kind), 'smallint')}
           AND s.lineage_key = (SELECT lineage_key FROM lineage WHERE chain_id = ${parameters.add(key.chain, 'text')}
                                                                  AND n = ${parameters.add(key.n, 'int')})`;
    const conditions = [
      's.to_position IS NULL',
      condition,
      ...timeConditions(untilAsOf({}, past), parameters),
    ];
    const rows = await this.dataSource.query<SubmissionRow[]>(
      selectSubmissions(
        `SELECT * FROM ${submissionsKnownAt(past.knownAt)} ${whereAll(conditions)} LIMIT 1`,
        '1',
      ),
      parameters.values,
    );
    return rows.map((row) => toSubmission(row, past))[0];
  }
}

function toSubmission(found: SubmissionRow, past: Past): Submission {
  const {
    node,
    n,
    kind: kindCode,
    status,
    evidence,
    occurredAt,
    observedAt,
    updatedAt,
    toPosition,
    ...row
  } = found;
  const { chain, sequence, daHeight } = row;
  const kind = SUBMISSION_KINDS[kindCode] ?? 'UNKNOWN';
  const key =
    node !== null && sequence !== null
      ? { node, sequence }
      : { chain: chain ?? '', n: n ?? 0, kind, daHeight: daHeight ?? 0n };
  return Object.assign(new Submission(), row, toUpdated({ updatedAt, toPosition }), {
    past,
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
