import { Injectable } from '@nestjs/common';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { microsToNanos, type Nanos } from '../../domain/time.js';
import { REPORT_BUCKETS } from '../../statistics/read/plan/report-request.js';
import { BlocksQuery } from '../blocks/blocks.query.js';
import { ChainsQuery } from '../chains/chains.query.js';
import { ClaimsQuery } from '../claims/claims.query.js';
import { CoverageQuery } from '../coverage/coverage.query.js';
import { AccountsQuery, figuresOf } from '../systems/accounts.query.js';
import { BalancesQuery } from '../systems/balances.query.js';
import { DaNodesQuery } from '../systems/da-nodes.query.js';
import { ExecutionLayersQuery } from '../systems/execution-layers.query.js';
import { toApiError } from '../errors.js';
import { EventsQuery } from '../events/events.query.js';
import type { ApiContext } from '../graphql/api-context.js';
import { rowCost, type FieldCost, inPast } from '../graphql/field-cost.js';
import { INT64_MAX, isWithinTime } from '../graphql/scalars.js';
import type { TravelArgs } from '../graphql/time-travel.js';
import { HEALTH_COMPONENTS, JUDGED_COMPONENTS } from '../../domain/health/health-rule.js';
import { HistoryQuery } from '../health/history.query.js';
import { historyCost } from '../health/intervals.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import { JobsService } from '../jobs/jobs.service.js';
import { LossesQuery } from '../losses/losses.query.js';
import { countsBlocks, NodesQuery } from '../nodes/nodes.query.js';
import { PricesService } from '../prices/prices.service.js';
import { SilencesService } from '../silences/silences.service.js';
import { QueueResolver } from '../queues/queue.resolver.js';
import { costReportCost, reportCost } from '../statistics/report-cost.js';
import { QUESTION_TIME, readReportQuestion, reportNamer } from '../statistics/report-question.js';
import { StatisticsResolver } from '../statistics/statistics.resolver.js';
import { parseSubmissionId } from '../submissions/submission-id.js';
import { SubmissionsQuery } from '../submissions/submissions.query.js';
import { uptimeCost, UptimeResolver } from '../uptime/uptime.resolver.js';
import type { Typed } from './has-id.type.js';
import { parseRowId, readQuestionPart } from './row-id.js';

interface Wanted {
  readonly id: string;
  readonly type: string | undefined;
  readonly travel: Pick<TravelArgs, 'asOf' | 'knownAt'>;
  readonly context: ApiContext;
  readonly info: GraphQLResolveInfo;
}
type Rows = readonly { readonly id: string }[];
/** A row; or rows, among which the one with the id is searched. */
type Found = object | Rows | null | undefined;
type Find = (wanted: Wanted, parts: readonly string[]) => Promise<Found> | Found;

/** Assumed rows of a list without a better estimate, such as a price book. */
const ROWS_OF_A_LIST = 1_000;
const COVERAGE_QUESTION = z.strictObject({
  chain: z.string().optional(),
  node: z.string().optional(),
  from: QUESTION_TIME.optional(),
  to: QUESTION_TIME.optional(),
});
const UPTIME_QUESTION = z.strictObject({
  node: z.string(),
  component: z.enum(HEALTH_COMPONENTS),
  bucket: z.enum(REPORT_BUCKETS),
  from: QUESTION_TIME.optional(),
  to: QUESTION_TIME.optional(),
  timeZone: z.string().optional(),
});

/** The cost of finding a row. A row of a report costs as much as the report. */
export function costOfObject({ id, knownAt }: { id: string } & TravelArgs, now: Nanos): FieldCost {
  const { type, parts = [] } = parseRowId(id) ?? {};
  const report = readReportQuestion(parts[0]);
  const question = readQuestionPart(parts[0]);
  const row = (cost: FieldCost): FieldCost => ({ ...cost, fixed: cost.fixed + 10 * cost.rows, rows: 1 });
  if (type === 'StatisticsRow' && report)
    return row(reportCost({ ...report, knownAt: knownAt ?? null }, now));
  if (type === 'CostRow' && report) return row(costReportCost({ ...report, knownAt: knownAt ?? null }, now));
  const uptime = type === 'UptimeRow' ? UPTIME_QUESTION.safeParse(question).data : undefined;
  if (uptime) return row(inPast(uptimeCost)({ ...uptime, knownAt: knownAt ?? null }, now));
  const coverage = type?.startsWith('Coverage') ? COVERAGE_QUESTION.safeParse(question).data : undefined;
  if (coverage) return row(historyCost(coverage, now));
  const rows = type === 'Price' ? ROWS_OF_A_LIST : 1;
  return row({ ...rowCost(), fixed: 4 * rowCost().fixed, rows });
}

/** Finds rows by their ids, each type by the same reads as its lists. */
@Injectable()
export class ObjectFinders {
  /** Finders for ids that contain their type. */
  private readonly typed: Readonly<Record<string, Find>> = {
    Block: ({ travel }, [node = '', chain = '', n = '', height = '']) =>
      isCount(n) && Number(n) < 2 ** 31 && isCount(height)
        ? this.blocks.findBlockOf(node, { chain, lineage: Number(n), height: BigInt(height) }, travel)
        : null,
    Event: async (_, [position]) =>
      isCount(position)
        ? (
            await this.events.getEvents(
              { positionFrom: BigInt(position), positionTo: BigInt(position) },
              { first: 1 },
            )
          ).nodes[0]
        : null,
    Claim: async (_, [node = '', kind, at]) => {
      const from = readMicros(at);
      if (from === undefined || (kind !== 'HEALTH' && kind !== 'STATS')) return null;
      return (await this.claims.getClaims({ node, kind, from, to: from + 1_000n, first: 1_000 })).nodes;
    },
    DaNode: async ({ travel }, [node = '']) =>
      (await this.daNodes.getDaNodes({ ...travel, nodes: [node] }))[0],
    ExecutionLayer: async ({ travel }, [node = '']) =>
      (await this.executionLayers.getExecutionLayers({ ...travel, nodes: [node] }))[0],
    Account: async ({ travel, info }, [account = '']) =>
      (await this.accounts.getAccounts({ ...travel, account }, figuresOf(info)))[0],
    Balance: (_, [position]) =>
      isCount(position) && BigInt(position) <= INT64_MAX ? this.balances.findBalance(BigInt(position)) : null,
    HealthInterval: ({ travel }, [node = '', component, at]) => {
      const from = QUESTION_TIME.safeParse(at).data;
      const line = JUDGED_COMPONENTS.find((each) => each === component);
      if (from === undefined || line === undefined) return null;
      return this.history.getHealthHistory(line, { node, from, to: from + 1_000n }, travel);
    },
    Incident: ({ id, travel }) => this.incidents.findIncident(id, travel),
    AvailabilityInterval: (_, [node = '', at]) => {
      const from = QUESTION_TIME.safeParse(at).data;
      return from === undefined ? null : this.history.getAvailability({ node, from, to: from + 1_000n });
    },
    CoverageInterval: ({ travel: { knownAt = null } }, [question]) => {
      const args = COVERAGE_QUESTION.safeParse(readQuestionPart(question)).data;
      return args && this.coverage.getCoverage({ ...args, knownAt });
    },
    CoverageGap: ({ travel: { knownAt = null } }, [question]) => {
      const args = COVERAGE_QUESTION.safeParse(readQuestionPart(question)).data;
      return args && this.coverage.getGaps({ ...args, knownAt });
    },
    UptimeRow: ({ travel: { knownAt = null }, context }, [question]) => {
      const args = UPTIME_QUESTION.safeParse(readQuestionPart(question)).data;
      return args && this.uptime.getUptime({ ...args, knownAt }, context);
    },
    StatisticsRow: async ({ id, travel, context, info }, [question]) => {
      const args = readReportQuestion(question);
      if (!args) return null;
      const request = { ...args, ...travel };
      const rows = await this.statistics.getStatistics(request, context, info);
      return findNamed(rows, (row) => reportNamer('StatisticsRow', request)(row).id === id);
    },
    CostRow: async ({ id, travel, context, info }, [question]) => {
      const args = readReportQuestion(question);
      if (!args) return null;
      const request = { ...args, ...travel };
      const rows = await this.statistics.getCosts(request, context, info);
      return findNamed(rows, (row) => reportNamer('CostRow', request)(row).id === id);
    },
    Silence: () => this.silences.getSilences(),
    Price: ({ travel: { knownAt } }, [chain = '']) => this.prices.getPriceBook(chain, knownAt ?? null),
  };

  /** Finders for ids without a type, in the order they are tried. */
  private readonly plain: Readonly<Record<string, Find>> = {
    Submission: ({ id, travel }) => {
      const key = parseSubmissionId(id);
      return key && this.submissions.findSubmission(key, travel);
    },
    Node: async ({ id, travel, info }) =>
      (await this.nodes.getNodesIn(travel, { id, countsBlocks: countsBlocks(info) }))[0],
    Chain: ({ id }) => this.chains.findChain(id),
    Loss: ({ id, travel }) =>
      isCount(id) && BigInt(id) <= INT64_MAX ? this.losses.findLoss(BigInt(id), travel) : null,
    Job: ({ id }) => this.jobs.findJob(id),
    Queue: () => this.queues.getQueues(),
  };

  constructor(
    private readonly blocks: BlocksQuery,
    private readonly events: EventsQuery,
    private readonly claims: ClaimsQuery,
    private readonly daNodes: DaNodesQuery,
    private readonly executionLayers: ExecutionLayersQuery,
    private readonly accounts: AccountsQuery,
    private readonly balances: BalancesQuery,
    private readonly history: HistoryQuery,
    private readonly incidents: IncidentsQuery,
    private readonly coverage: CoverageQuery,
    private readonly uptime: UptimeResolver,
    private readonly statistics: StatisticsResolver,
    private readonly prices: PricesService,
    private readonly silences: SilencesService,
    private readonly submissions: SubmissionsQuery,
    private readonly nodes: NodesQuery,
    private readonly chains: ChainsQuery,
    private readonly losses: LossesQuery,
    private readonly jobs: JobsService,
    private readonly queues: QueueResolver,
  ) {}

  /** The row with that id, with its type; null where there is none. @throws ApiError as the row's own list does */
  async findObject(wanted: Wanted): Promise<Typed | null> {
    const { type, parts } = parseRowId(wanted.id) ?? { type: '', parts: [] };
    const ways = [
      ...(Object.hasOwn(this.typed, type) ? [[type, this.typed[type]] as const] : []),
      ...Object.entries(this.plain),
    ];
    for (const [name, find] of ways) {
      if (wanted.type !== undefined && wanted.type !== name) continue;
      const found = await orNothing(() => find?.(wanted, parts));
      const row = isList(found) ? found.find(({ id }) => id === wanted.id) : found;
      if (row) return Object.assign(row, { rowType: name });
    }
    return null;
  }
}

/** Treats an unknown node or chain, and an invalid query, as a missing row. */
async function orNothing(find: () => Promise<Found> | Found): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    const code = toApiError(error)?.code;
    if (code === 'NOT_FOUND' || code === 'BAD_USER_INPUT') return null;
    throw error;
  }
}

function isList(found: Found): found is Rows {
  return Array.isArray(found);
}

async function findNamed<Row>(
  rows: Iterable<Row | Promise<Row>>,
  isIt: (row: Row) => boolean,
): Promise<Row | undefined> {
  for (const each of rows) {
    const row = await each;
    if (isIt(row)) return row;
  }
  return undefined;
}

function isCount(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,18}$/.test(text);
}

/** Parses a time from the digits of its microseconds. */
function readMicros(text: string | undefined): Nanos | undefined {
  const time = text !== undefined && /^-?\d{1,17}$/.test(text) ? microsToNanos(BigInt(text)) : undefined;
  return time !== undefined && isWithinTime(time) ? time : undefined;
}
