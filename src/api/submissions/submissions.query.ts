import { Inject, Injectable } from '@nestjs/common';
import { kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { ChangesReader } from '../../projections/record/readers/changes.reader.js';
import { submissionsKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { SubmissionEntity } from '../../tables/record.entities.js';
import { type Page, type PagingArgs, toPage, toPageRequest } from '../graphql/connection.js';
import { codecFor, type PageOrder } from '../graphql/keyed-list.js';
import type { Selected } from '../graphql/selected-fields.js';
import { limitOf, selectPage, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, type Past, PRESENT, type TravelArgs, untilAsOf } from '../graphql/time-travel.js';
import { findFirstChange } from '../graphql/updated-rows.js';
import {
  FilterKeysQuery,
  type FilterKeys,
  messageConditions,
  rareConditions,
  submissionConditions,
  type SubmissionFilter,
  type SubmissionOrder,
  timeConditions,
  wordConditions,
} from './submission-filter.js';
import { selectSubmissions, type SubmissionValues } from './submission-fields.js';
import type { SubmissionKey } from './submission-id.js';
import {
  CHANGED_SUBMISSION_CURSORS,
  SUBMISSION_CURSORS,
  submissionsByChange,
  submissionsInOrder,
} from './submission-order.js';
import { Submission } from './submission.type.js';

/**
 * How to find the rows of a page: in their order; or, with a message, among the newest rows only, or by the index of messages.
 */
type FoundBy = 'ORDER' | 'NEWEST' | 'MESSAGE';

/** Rows to scan for a message before the index is used. */
const NEWEST_ROWS = 10_000;

/**
 * These sums rule out the indexes of times and DA heights if rows are found by spans or by their message. The indexes would find
 * all rows of a time.
 */
const UNINDEXED = { timeAt: "s.time_at + interval '0'", daHeight: 's.da_height + 0' } as const;

interface PageQuestion {
  readonly filter: SubmissionFilter;
  readonly past: Past;
  readonly keys: FilterKeys;
  readonly keyset: PageOrder;
  readonly size: number;
}

/** SQL of the rows of a page, and of one more. */
function selectFound(
  found: FoundBy,
  { filter, past, keys, keyset, size }: PageQuestion,
  parameters: SqlParameters,
): string {
  const { orderBy } = keyset;
  const spans = found === 'MESSAGE' ? undefined : keyset.getSpans?.();
  const columns = spans || found === 'MESSAGE' ? UNINDEXED : undefined;
  const conditions = [...submissionConditions(filter, keys, parameters, columns), ...keyset.conditions];
  const message = messageConditions(filter, parameters);
  const from = submissionsKnownAt(past.knownAt);
  const limit = limitOf(size + 1);
  const order = `ORDER BY ${orderBy} LIMIT ${limit}`;
  const first = (conditions: readonly string[], limit: string): string => {
    const pages = rareConditions(filter).map((rare) =>
      selectPage({ alias: 's', from, conditions: [...conditions, ...rare], orderBy, limit }, spans),
    );
    if (pages.length === 1) return `${pages[0]}`;
    const all = pages.map((page) => `(${page})`).join(' UNION ALL ');
    return `SELECT * FROM (${all}) s ORDER BY ${orderBy} LIMIT ${limit}`;
  };
  if (found === 'ORDER') return first([...conditions, ...message], limit);
  if (found === 'NEWEST') {
    const newest = first(conditions, String(NEWEST_ROWS));
    return `SELECT * FROM (${newest}) s ${whereAll(message)} ${order}`;
  }
  // OFFSET 0 rules out the list's index: rows are few, found by their message, and then sorted.
  const where = whereAll([...conditions, ...message, ...wordConditions(filter, parameters)]);
  return `SELECT * FROM (SELECT * FROM ${from} ${where} OFFSET 0) s ${order}`;
}

const PLACES = columnsOf(SubmissionEntity, 'nodeKey', 'sequence');

export type SubmissionListKey = Pick<SubmissionEntity, 'nodeKey' | 'sequence'>;

/** Map key of a place. */
export function nameOf({ nodeKey, sequence }: SubmissionListKey): string {
  return `${nodeKey}/${sequence}`;
}

@Injectable()
export class SubmissionsQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly keys: FilterKeysQuery,
    private readonly changes: ChangesReader,
  ) {}

  /** A page of submissions; of changed submissions, the first change comes first. @param selected fields to read */
  async getSubmissions(
    wished: SubmissionFilter,
    order: SubmissionOrder,
    args: PagingArgs,
    travel: TravelArgs = {},
    selected: Selected = 'ALL',
  ): Promise<Page<Submission>> {
    const firstChange = await findFirstChange(this.changes, wished, travel);
    const past = await findPast(this.reads, travel);
    const filter = untilAsOf(wished, past);
    const keys = { ...(await this.keys.getFilterKeys(filter)), firstChange };
    const read = (
      orderOf: (parameters: SqlParameters) => PageOrder,
      size: number,
      found: FoundBy = 'ORDER',
    ): Promise<SubmissionValues[]> => {
      const parameters = new SqlParameters();
      const keyset = orderOf(parameters);
      const page = selectFound(found, { filter, past, keys, keyset, size }, parameters);
      return this.reads.query<SubmissionValues[]>(
        selectSubmissions(page, keyset.orderBy, selected),
        parameters.values,
      );
    };
    const toNode = (row: SubmissionValues): Submission => new Submission(row, past);
    if (firstChange === undefined) {
      const codec = codecFor(SUBMISSION_CURSORS, { order, wished }, travel);
      const request = toPageRequest(args, codec);
      const orderOf = (parameters: SqlParameters): PageOrder =>
        submissionsInOrder({ order, filter, past, keys }, request, parameters);
      const readBy = (found: FoundBy): Promise<SubmissionValues[]> => read(orderOf, request.size, found);
      if (!keys.isIndexedMessage) return toPage(request, await readBy('ORDER'), codec, toNode);
      // A frequent text is found soon in the newest rows, a rare text by the index. How frequent it is is not known before.
      const newest = await readBy('NEWEST');
      const rows = newest.length > request.size ? newest : await readBy('MESSAGE');
      return toPage(request, rows, codec, toNode);
    }
    const codec = codecFor(CHANGED_SUBMISSION_CURSORS, wished, travel);
    const request = toPageRequest(args, codec);
    const rows = await read((parameters) => submissionsByChange(request, parameters), request.size);
    return toPage(request, rows, codec, toNode);
  }

  /** The rows at these places of lists, in the same order; undefined if there is no row, or there was none in that past. */
  async getRows(places: readonly SubmissionListKey[], past = PRESENT): Promise<(Submission | undefined)[]> {
    const wanted = PLACES.unnest(places, 'wanted');
    const parameters = new SqlParameters(wanted.parameters);
    const conditions = timeConditions(untilAsOf({}, past), parameters);
    const rows = await this.reads.query<SubmissionValues[]>(
      selectSubmissions(
        `SELECT s.* FROM ${wanted.sql} JOIN ${submissionsKnownAt(past.knownAt)} USING (node_key, sequence) ${whereAll(conditions)}`,
        '1',
      ),
      parameters.values,
    );
    const found = new Map(rows.map((row) => [nameOf(row), new Submission(row, past)]));
    return places.map((place) => found.get(nameOf(place)));
  }

  /** Undefined also for a submission that no list showed and that an attempt seen since has explained. */
  async findSubmission(key: SubmissionKey, travel: TravelArgs = {}): Promise<Submission | undefined> {
    const past = await findPast(this.reads, travel);
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
    const rows = await this.reads.query<SubmissionValues[]>(
      selectSubmissions(
        `SELECT * FROM ${submissionsKnownAt(past.knownAt)} ${whereAll(conditions)} LIMIT 1`,
        '1',
      ),
      parameters.values,
    );
    return rows.map((row) => new Submission(row, past))[0];
  }
}
