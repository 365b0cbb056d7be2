import { Inject, Injectable } from '@nestjs/common';
import { explainGap, type GapCause } from '../../domain/submissions/coverage-gap.js';
import { type Micros, nanosToMicros } from '../../domain/time.js';
import { getKnownLooks } from '../../event-log/known-looks.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Query, Database } from '../../platform/sql.js';
import { ChainNodesQuery } from '../../statistics/read/chain-nodes.query.js';
import { requireRange } from '../../statistics/read/plan/report-plan.js';
import { coveredTimes } from '../../statistics/read/watch/coverage.query.js';
import { badUserInput } from '../errors.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters } from '../graphql/sql-text.js';
import { findPast } from '../graphql/time-travel.js';
import { LARGEST_HISTORY, requireBounded } from '../health/intervals.js';
import { type CoverageArgs, CoverageGap, CoverageInterval } from './coverage.type.js';
import { questionPart, rowId, versionOf } from '../objects/row-id.js';

/** The nodes that are asked for, as one unit, and up to when looks at them are known. */
const MEMBERS = columnsFor({ unit: 'int4', node: 'text', knownTo: 'timestamptz' });

interface GapRow {
  readonly fromAt: Micros;
  readonly toAt: Micros;
  readonly node: string | null;
  readonly cause: GapCause;
  readonly isOpen: boolean;
}

interface MemberSql {
  readonly members: string;
  readonly parameters: SqlParameters;
  readonly from: string;
  readonly to: string;
}

/** Reads in which times nothing can have been missed, and why in the others something can. */
@Injectable()
export class CoverageQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: Database,
    private readonly chains: ChainNodesQuery,
  ) {}

  /**
   * Of a node, or of all nodes of a chain together; joined where they touch, cut to the asked time, oldest first.
   * @throws ApiError BAD_USER_INPUT unless one of the two is named
   * @throws ReadFault BAD_INPUT for times that are no range
   */
  async getCoverage(args: CoverageArgs): Promise<CoverageInterval[]> {
    const { members, parameters, from, to } = await this.getMembers(args);
    const rows = await this.dataSource.query<{ fromAt: Micros; toAt: Micros; lists: number }[]>(
      `SELECT lower(part) AS "fromAt", upper(part) AS "toAt",
              (SELECT count(DISTINCT ring)::int FROM ${members} JOIN coverage_interval c USING (node)
                WHERE kind = 'LIST' AND tstzrange(from_at, to_at) && part) AS lists
         FROM (${coveredTimes(members, from, to)}) AS of_unit, unnest(covered) AS part
        ORDER BY part LIMIT ${LARGEST_HISTORY + 1}`,
      parameters.values,
    );
    return requireBounded(rows).map(({ fromAt, toAt, lists }) =>
      Object.assign(new CoverageInterval(), {
        ...named('CoverageInterval', args, fromAt),
        time: toNanos(fromAt),
        from: toNanos(fromAt),
        to: toNanos(toAt),
        lists,
      }),
    );
  }

  /**
   * What lies between the first contact and the last look and is not covered, with the reason, oldest first. Several reasons can
   * hold at one time.
   * @throws ApiError as {@link getCoverage}
   */
  async getGaps(args: CoverageArgs): Promise<CoverageGap[]> {
    const { members, parameters, from, to } = await this.getMembers(args);
    const isNode = typeof args.node === 'string';
    const rows = await this.dataSource.query<GapRow[]>(
      `WITH member AS (
              SELECT unit, node, known_to, least(known_to, looked_at) AS looked_at
                FROM ${members} JOIN coverage_fold USING (node)),
            stretch AS (
              SELECT node, kind, ring, from_at, least(to_at, known_to) AS to_at,
                     least(until_at, greatest(looked_at, to_at)) AS until_at, until_at IS NULL OR coalesce(until_at > known_to, false) AS is_open
                FROM member JOIN coverage_interval USING (node)
               WHERE from_at < ${to} AND (until_at IS NULL OR until_at > ${from} OR until_at > known_to) AND (known_to IS NULL OR from_at <= known_to)),
            elsewhere AS (
              SELECT ring, range_agg(tstzrange(from_at, to_at)) AS proven FROM stretch
               GROUP BY ring HAVING count(DISTINCT node) > 1),
            reason AS (
              SELECT node, CASE WHEN kind = 'LIST' AND is_open THEN 'OUT_OF_SIGHT' WHEN kind = 'HOLE' THEN 'LIST' ELSE kind END AS cause, is_open,
                     unnest(tstzmultirange(tstzrange(to_at, greatest(until_at, to_at))) - coalesce(proven, '{}')) AS part
                FROM stretch LEFT JOIN elsewhere USING (ring)
              UNION ALL
              SELECT node, 'NO_AGGREGATOR', is_open, tstzrange(from_at, to_at) FROM stretch
               WHERE kind = 'NOT_AGGREGATOR' AND ${isNode}),
            rest AS (
              SELECT NULL::text AS node, 'NOBODY_COUNTS' AS cause, false AS is_open, unnest(
                     tstzmultirange(tstzrange((SELECT min(from_at) FROM stretch), (SELECT max(looked_at) FROM member)))
                     - (SELECT coalesce(range_agg(covered), '{}') FROM (${coveredTimes('member', from, to)}) of_unit)
                     - (SELECT coalesce(range_agg(part), '{}') FROM reason)) AS part
               WHERE EXISTS (SELECT FROM stretch)),
            found AS (
              SELECT node, cause, is_open, part * tstzrange(${from}, ${to}) AS part
                FROM (SELECT * FROM reason UNION ALL SELECT * FROM rest) any_reason)
       SELECT DISTINCT lower(part) AS "fromAt", upper(part) AS "toAt", node, cause, is_open AS "isOpen"
         FROM found WHERE NOT isempty(part) ORDER BY 1, 2, node, cause LIMIT ${LARGEST_HISTORY + 1}`,
      parameters.values,
    );
    return requireBounded(rows).map(({ fromAt, toAt, node, cause, isOpen }) =>
      Object.assign(new CoverageGap(), {
        ...named('CoverageGap', args, fromAt, node, cause),
        time: toNanos(fromAt),
        from: toNanos(fromAt),
        to: toNanos(toAt),
        node,
        open: isOpen,
        reason: explainGap(cause, node),
      }),
    );
  }

  /** SQL of a FROM item with all nodes that are asked for, and of the times between which they are. */
  private async getMembers(args: CoverageArgs): Promise<MemberSql> {
    const { knownAt } = await findPast(this.dataSource, args);
    const nodes = await this.getNodes(args);
    const query: Query = (sql, values = []) => this.dataSource.query(sql, [...values]);
    const looks = knownAt === undefined ? undefined : await getKnownLooks(query, nodes, knownAt);
    const rows = nodes.map((node) => ({ unit: 0, node, knownTo: looks ? (looks.get(node) ?? 0n) : null }));
    const { sql, parameters: values } = MEMBERS.unnest(rows, 'asked');
    const parameters = new SqlParameters(values);
    const [fromUs, toUs] = [args.from, args.to].map((time) => (typeof time === 'bigint' ? nanosToMicros(time) : undefined));
    requireRange(fromUs, toUs);
    const from = fromUs === undefined ? `'-infinity'::timestamptz` : parameters.addTime(fromUs);
    const to = toUs === undefined ? `'infinity'::timestamptz` : parameters.addTime(toUs);
    return { members: sql, parameters, from, to };
  }

  private async getNodes({ chain, node }: CoverageArgs): Promise<readonly string[]> {
    if ((typeof chain === 'string') === (typeof node === 'string'))
      throw badUserInput('Ask for the coverage of a `chain` or of a `node`: one of the two.');
    if (typeof node === 'string') return [node];
    return (await this.chains.getNodes()).get(chain ?? '') ?? [];
  }
}

/** A row is what it is by what was asked, which may cut it. */
function named(
  type: string,
  { knownAt, ...question }: CoverageArgs,
  ...place: (bigint | string | null)[]
): { id: string; versionId: string } {
  const id = rowId(type, questionPart(question), ...place);
  return { id, versionId: versionOf(id, { knownAt }) };
}
