import { Inject, Injectable } from '@nestjs/common';
import type { Micros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { columnNameOf } from '../../tables/columns.js';
import { Grain } from '../roll-up/stored-rows.js';
import { timesParameter } from './plan/stored-rows.js';

const COST_SUMS = ['costed', 'gasUnknown', 'gasMin', 'gasMax', 'feeUnknown', 'feeMin', 'feeMax'] as const;
type CostTotals = Readonly<Record<(typeof COST_SUMS)[number], bigint>>;

/** Totals of a node's submissions of one kind and status, over all time or a part of it. */
export interface SubmissionTotal extends CostTotals {
  readonly nodeKey: number;
  readonly status: number;
  readonly kind: number;
  readonly attempts: bigint;
}

/** Number of gaps of one kind in a node's record, as they are known now. */
interface LossTotal {
  readonly nodeKey: number;
  readonly kind: string;
  readonly losses: bigint;
}

/** Totals of submissions and gaps over a part of time. */
export interface NodeTotals {
  readonly submissions: readonly SubmissionTotal[];
  readonly losses: readonly LossTotal[];
}

/** A node, and the chain that it reports; '' while it has not reported a chain. */
export interface CountedNode {
  readonly nodeKey: number;
  readonly chain: string;
}

/** Days and gaps from a time on, or before it. */
export type PartOfTime = { readonly fromUs: Micros } | { readonly beforeUs: Micros };

const SUMS = COST_SUMS.map((name) => `sum(s.${columnNameOf(name)})::text AS "${name}"`).join(', ');

/** Adds up what nodes have shown since monitoring began. Read in two parts, so that the long part need not be read each time. */
@Injectable()
export class NodeTotalsReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** The work grows with the nodes and the stored days of that time, never with the submissions in them. */
  async getTotals(nodes: readonly CountedNode[], part: PartOfTime): Promise<NodeTotals> {
    const [comparison, atUs] = 'fromUs' in part ? ['>=', part.fromUs] : ['<', part.beforeUs];
    const at = `${comparison} ($1::timestamptz[])[1]`;
    const parameters = [timesParameter([atUs]), nodes.map(({ nodeKey }) => nodeKey)];
    const submissions = await this.reads.query<Record<string, string | number | bigint>[]>(
      `SELECT s.node_key AS "nodeKey", s.status, s.kind, sum(s.attempts)::text AS attempts, ${SUMS}
         FROM unnest($2::int[], $3::text[]) AS wanted (node_key, chain)
        CROSS JOIN LATERAL (
          SELECT * FROM statistic r
           WHERE r.node_key = wanted.node_key AND r.chain IN ('', wanted.chain)
             AND r.grain = ${Grain.DAY} AND r.bucket_at ${at} OFFSET 0) AS s
        GROUP BY s.node_key, s.status, s.kind`,
      [...parameters, nodes.map(({ chain }) => chain)],
    );
    const losses = await this.reads.query<LossTotal[]>(
      `SELECT node_key AS "nodeKey", kind, count(*) AS losses FROM loss
        WHERE to_position IS NULL AND node_key = ANY ($2::int[]) AND to_at ${at} GROUP BY node_key, kind`,
      parameters,
    );
    return { submissions: submissions.map(toTotal), losses };
  }
}

function toTotal(row: Readonly<Record<string, string | number | bigint>>): SubmissionTotal {
  const sums = Object.fromEntries([...COST_SUMS, 'attempts'].map((name) => [name, BigInt(row[name] ?? 0)]));
  return { ...row, ...sums } as unknown as SubmissionTotal;
}
