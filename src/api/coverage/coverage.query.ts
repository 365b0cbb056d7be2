import { Inject, Injectable } from '@nestjs/common';
import type { Micros } from '../../domain/time.js';
import { getKnownLooks } from '../../event-log/known-looks.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Query, StatementSource } from '../../platform/sql.js';
import { ChainNodesQuery } from '../../statistics/read/chain-nodes.query.js';
import { ApiError, badUserInput } from '../errors.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast } from '../graphql/time-travel.js';
import { LARGEST_HISTORY, requireBounded } from '../health/intervals.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { type CoverageArgs, CoverageInterval } from './coverage.type.js';

/** Nodes, and up to when looks at them are known. */
const NODES = columnsFor({ node: 'text', knownTo: 'timestamptz' });

/** Reads in which times nothing can have been missed. */
@Injectable()
export class CoverageQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: StatementSource,
    private readonly nodes: NodesQuery,
    private readonly chains: ChainNodesQuery,
  ) {}

  /**
   * Of a node, or of all nodes of a chain together; joined where they touch, oldest first.
   * @throws ApiError BAD_USER_INPUT unless one of the two is named, NOT_FOUND where there is none of that name
   */
  async getCoverage(args: CoverageArgs): Promise<CoverageInterval[]> {
    const { knownAt } = await findPast(this.dataSource, args);
    const nodes = await this.getNodes(args);
    const query: Query = (sql, values = []) => this.dataSource.query(sql, [...values]);
    const looks = knownAt === undefined ? undefined : await getKnownLooks(query, nodes, knownAt);
    const asked = NODES.unnest(
      nodes.map((node) => ({ node, knownTo: looks ? (looks.get(node) ?? 0n) : null })),
      'asked',
    );
    const parameters = new SqlParameters(asked.parameters);
    const to = 'least(to_at, asked.known_to)';
    const conditions = [
      // The first look of all covers a moment, which is no time.
      `from_at < ${to}`,
      // Said twice: the first is what the index can use.
      ...['to_at', to].flatMap((end) => parameters.compareTime(end, '>', args.from)),
      ...parameters.compareTime('from_at', '<', args.to),
    ];
    const rows = await this.dataSource.query<{ fromAt: Micros; toAt: Micros }[]>(
      `SELECT lower(part) AS "fromAt", upper(part) AS "toAt"
         FROM (SELECT unnest(range_agg(tstzrange(from_at, ${to}))) AS part
                 FROM ${asked.sql} JOIN coverage_interval USING (node) ${whereAll(conditions)}) joined
        ORDER BY part LIMIT ${LARGEST_HISTORY + 1}`,
      parameters.values,
    );
    return requireBounded(rows).map(({ fromAt, toAt }) =>
      Object.assign(new CoverageInterval(), {
        time: toNanos(fromAt),
        from: toNanos(fromAt),
        to: toNanos(toAt),
      }),
    );
  }

  private async getNodes({ chain, node }: CoverageArgs): Promise<readonly string[]> {
    if ((typeof chain === 'string') === (typeof node === 'string'))
      throw badUserInput('Ask for the coverage of a `chain` or of a `node`: one of the two.');
    if (typeof node === 'string') return [(await this.nodes.getNode(node)).id];
    const nodes = (await this.chains.getNodes()).get(chain ?? '');
    if (nodes === undefined) throw new ApiError('NOT_FOUND', `There is no chain ${JSON.stringify(chain)}.`);
    return nodes;
  }
}
