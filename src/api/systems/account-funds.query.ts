import { Inject, Injectable } from '@nestjs/common';
import {
  runwayOf,
  spentWithin,
  SPENDING_WINDOWS,
  type Spending,
  type SpentHour,
} from '../../domain/funds/spending.js';
import { toClockTime } from '../../domain/bounds.js';
import { compareIntegers } from '../../domain/collections.js';
import { SUBMISSION_KINDS } from '../../domain/submissions/submission-codes.js';
import { microsToMillis, millisToNanos, type Micros, type Millis, type Nanos } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { submissionsKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { CostLinesReader, type CostKey } from '../../statistics/read/cost/cost-lines.reader.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import { AccountSpending, Runway } from './account.type.js';

/** A balance that is known, and the nodes that pay from it. */
export interface KnownFunds {
  readonly account: string;
  readonly at: Micros;
  /** utia; null while it cannot be read. */
  readonly amount: string | null;
  readonly nodes: readonly string[];
}

interface HourRow {
  readonly account: string;
  readonly firstAt: Micros | null;
  readonly hours: readonly SpentHour[];
}

interface SuccessRow extends Omit<CostKey, 'kind'> {
  readonly node: string;
  readonly kind: number;
}

/** Lower and upper bound of the fee of one submission, utia. */
interface Fee {
  readonly min: bigint;
  readonly max: bigint;
}

const ENDS = columnsFor({ account: 'text', at: 'timestamptz' });

/** Reads what accounts spent, and how long their balances last. */
@Injectable()
export class AccountFundsQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly costLines: CostLinesReader,
  ) {}

  /** The spending of each account up to its balance, by account. An account without balances is missing. */
  async getSpending(funds: readonly KnownFunds[], { knownAt }: Past): Promise<ReadonlyMap<string, Spending>> {
    const wanted = ENDS.unnest(funds, 'asked');
    const parameters = new SqlParameters(wanted.parameters);
    const of = ['b.account = asked.account', ...parameters.compare('b.from_position', '<=', knownAt)];
    const week = [
      ...of,
      'b.change < 0',
      'b.observed_at <= asked.at',
      `b.observed_at > asked.at - interval '${SPENDING_WINDOWS.week / 3_600_000 + 1} hours'`,
    ];
    const rows = await this.reads.query<HourRow[]>(
      `SELECT asked.account, first.observed_at AS "firstAt", spent.hours
         FROM ${wanted.sql}
         LEFT JOIN LATERAL (SELECT b.observed_at FROM balance b ${whereAll([...of, 'b.amount IS NOT NULL'])}
                             ORDER BY b.observed_at, b.from_position LIMIT 1) first ON true
        CROSS JOIN LATERAL (
          SELECT coalesce(json_agg(json_build_object('hour', h.hour, 'spent', h.spent::text, 'falls', h.falls,
                                                            'largest', h.largest::text) ORDER BY h.hour), '[]') AS hours
            FROM (SELECT floor(extract(epoch FROM b.observed_at) / 3600)::int AS hour, -sum(b.change) AS spent, count(*) AS falls,
                         -min(b.change) AS largest
                    FROM balance b ${whereAll(week)} GROUP BY 1) h) spent`,
      parameters.values,
    );
    const found = new Map(rows.map((row) => [row.account, row]));
    return new Map(
      funds.flatMap(({ account, amount, at }): [string, Spending][] => {
        const { firstAt = null, hours = [] } = found.get(account) ?? {};
        if (firstAt === null || amount === null) return [];
        return [[account, { amount, at: microsToMillis(at), firstAt: microsToMillis(firstAt), hours }]];
      }),
    );
  }

  /** Bounds of the fee of the last success of each node; null where the fee is unknown. Nodes without a success are missing. */
  async getLastFees(
    nodes: readonly string[],
    { knownAt, asOf }: Past,
  ): Promise<ReadonlyMap<string, Fee | null>> {
    const parameters = new SqlParameters();
    const asked = `unnest(${parameters.add(nodes, 'text[]')}) AS asked (node)`;
    const conditions = [
      's.node_key = n.node_key',
      's.status = 0',
      ...parameters.compareTime('s.time_at', '<', asOf),
    ];
    const rows = await this.reads.query<SuccessRow[]>(
      `SELECT n.id AS node, s.node_key AS "nodeKey", s.sequence, s.lineage_key AS "lineageKey", s.chain_id AS chain,
              s.kind, s.da_height AS "daHeight", s.time_at AS "timeAt"
         FROM ${asked} JOIN node n ON n.id = asked.node
        CROSS JOIN LATERAL (SELECT s.* FROM ${submissionsKnownAt(knownAt)} ${whereAll(conditions)}
                             ORDER BY s.time_at DESC LIMIT 1) s`,
      parameters.values,
    );
    if (rows.length === 0) return new Map();
    const keys = rows.map((row) => ({ ...row, kind: SUBMISSION_KINDS[row.kind] ?? ('UNKNOWN' as const) }));
    const lines = await this.costLines.getCosts(keys, knownAt);
    return new Map(rows.map(({ node }, index) => [node, lines[index]?.fee ?? null]));
  }
}

/** @param spending undefined where no balance is known */
export function toSpent(spending: Spending | undefined): AccountSpending {
  const within = (windowMs: Millis): string | null => {
    const window = spending && spentWithin(spending, windowMs);
    return window && window.coveredMs > 0 ? String(window.spent) : null;
  };
  const { hour, day, week } = SPENDING_WINDOWS;
  return Object.assign(new AccountSpending(), {
    hour: within(hour),
    day: within(day),
    week: within(week),
    knownFrom: spending ? millisToNanos(spending.firstAt) : null,
  });
}

/** Null while nothing is known of how long the balance lasts. @param fees of the last success of its nodes */
export function toRunway(spending: Spending | undefined, fees: readonly (Fee | null)[]): Runway | null {
  if (spending === undefined) return null;
  const runway = runwayOf(spending);
  const after = (ms: Millis | undefined): Nanos | null => {
    const at = ms === undefined ? null : toClockTime(Math.round(spending.at + ms));
    return at === null ? null : millisToNanos(at);
  };
  const fee = boundsOf(fees);
  const shown = {
    from: after(runway?.fromMs),
    to: after(runway?.toMs),
    submissions: paidBy(spending.amount, fee?.max),
    submissionsMax: paidBy(spending.amount, fee?.min),
  };
  return Object.values(shown).every((value) => value === null) ? null : Object.assign(new Runway(), shown);
}

/** The lowest and the highest fee; undefined without fees, and where one is unknown. */
function boundsOf(fees: readonly (Fee | null)[]): Fee | undefined {
  const known = fees.filter((fee) => fee !== null);
  const min = known.map((fee) => fee.min).toSorted(compareIntegers)[0];
  const max = known
    .map((fee) => fee.max)
    .toSorted(compareIntegers)
    .at(-1);
  return known.length < fees.length || min === undefined || max === undefined ? undefined : { min, max };
}

function paidBy(amount: string, fee: bigint | undefined): string | null {
  return fee === undefined || fee <= 0n ? null : String(BigInt(amount) / fee);
}
