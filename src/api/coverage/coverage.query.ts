import { Inject, Injectable } from '@nestjs/common';
import { type Micros, millisToMicros } from '../../domain/time.js';
import { getKnownPolls } from '../../event-log/known-polls.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Query, Database } from '../../platform/sql.js';
import { ChainNodesQuery } from '../../statistics/read/chain-nodes.query.js';
import { requireRange } from '../../statistics/read/plan/report-plan.js';
import { coveredTimes } from '../../statistics/read/coverage/coverage.query.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { badUserInput } from '../errors.js';
import { toMicros, toNanos } from '../graphql/scalars.js';
import { SqlParameters } from '../graphql/sql-text.js';
import { findPast, presentOf, type Past } from '../graphql/time-travel.js';
import { LARGEST_HISTORY, requireBounded } from '../health/intervals.js';
import { type CoverageArgs, CoverageGap, CoverageInterval } from './coverage.type.js';
import { explainGap, type GapCause, gapsSql } from './gaps.js';
import { questionPart, rowId, versionOf } from '../objects/row-id.js';

/** The requested nodes, as one unit, and the time up to which polls of them are known. */
const MEMBERS = columnsFor({ unit: 'int4', node: 'text', knownTo: 'timestamptz' });

interface GapRow {
  readonly fromAt: Micros;
  readonly toAt: Micros;
  readonly node: string | null;
  readonly cause: GapCause;
  readonly isOpen: boolean;
}

/** SQL of the request: nodes and times. A time that is not given is infinite. */
interface AskedSql {
  readonly members: string;
  readonly parameters: SqlParameters;
  readonly from: string;
  readonly to: string;
  readonly past: Past;
}

/** Reads the times in which no submission can have been missed, and the reason for each gap between them. */
@Injectable()
export class CoverageQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly chains: ChainNodesQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /**
   * Coverage of a node, or of all nodes of a chain together; joined where intervals touch, cut to the requested time, oldest
   * first.
   * @throws ApiError BAD_USER_INPUT unless exactly one of `node` and `chain` is given
   * @throws ReadFault BAD_INPUT if the times are not a range
   */
  async getCoverage(args: CoverageArgs): Promise<CoverageInterval[]> {
    const { members, parameters, from, to } = await this.getMembers(args);
    const rows = await this.reads.query<{ fromAt: Micros; toAt: Micros; lists: number }[]>(
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
   * All of the requested time, up to the present, that {@link getCoverage} does not prove, with the reason, oldest first. Without
   * `from` it begins with the first contact; if there was no contact, with the time from which the node was to be monitored. The
   * gaps of a node do not overlap. For a chain, several nodes can be the reason at the same time.
   * @throws ApiError as {@link getCoverage}
   */
  async getGaps(args: CoverageArgs): Promise<CoverageGap[]> {
    const asked = await this.getMembers(args);
    const { parameters } = asked;
    const nowUs = millisToMicros(presentOf(asked.past, this.options.clock.now()));
    const [end, node] = [parameters.addTime(nowUs), parameters.add(args.node ?? null, 'text')];
    const rows = await this.reads.query<GapRow[]>(
      `${gapsSql({ ...asked, end, node })} LIMIT ${LARGEST_HISTORY + 1}`,
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

  /** SQL of a FROM item with all requested nodes, and of the requested times. */
  private async getMembers(args: CoverageArgs): Promise<AskedSql> {
    const [fromUs, toUs] = [toMicros(args.from), toMicros(args.to)];
    requireRange(fromUs, toUs);
    const past = await findPast(this.reads, args);
    const { knownAt } = past;
    const nodes = await this.getNodes(args);
    const query: Query = (sql, values = []) => this.reads.query(sql, [...values]);
    const looks = knownAt === undefined ? undefined : await getKnownPolls(query, nodes, knownAt);
    const rows = nodes.map((node) => ({ unit: 0, node, knownTo: looks ? (looks.get(node) ?? 0n) : null }));
    const { sql, parameters: values } = MEMBERS.unnest(rows, 'asked');
    const parameters = new SqlParameters(values);
    const from = fromUs === undefined ? `'-infinity'::timestamptz` : parameters.addTime(fromUs);
    const to = toUs === undefined ? `'infinity'::timestamptz` : parameters.addTime(toUs);
    return { members: sql, parameters, from, to, past };
  }

  private async getNodes({ chain, node }: CoverageArgs): Promise<readonly string[]> {
    if ((typeof chain === 'string') === (typeof node === 'string'))
      throw badUserInput('Give either `chain` or `node`.');
    if (typeof node === 'string') return [node];
    return (await this.chains.getNodes()).get(chain ?? '') ?? [];
  }
}

/** The request is part of the id, because it may cut the row. */
function named(
  type: string,
  { knownAt, ...question }: CoverageArgs,
  ...place: (bigint | string | null)[]
): { id: string; versionId: string } {
  const id = rowId(type, questionPart(question), ...place);
  return { id, versionId: versionOf(id, { knownAt }) };
}
