import ACCOUNT from './account.graphql?raw';
import CHART_COSTS from './chart-costs.graphql?raw';
import CHART_FIGURES from './chart-figures.graphql?raw';
import FLEET_COSTS from './fleet-costs.graphql?raw';
import FLEET from './fleet.graphql?raw';
import INCIDENT_ROW from './incident-row.graphql?raw';
import INCIDENTS from './incidents.graphql?raw';
import MONEY from './money.graphql?raw';
import NODE from './node.graphql?raw';
import NODE_FEES from './node-fees.graphql?raw';
import OPEN_INCIDENTS from './open-incidents.graphql?raw';
import SERVICE from './service.graphql?raw';
import OWNER from './owner.graphql?raw';
import type {
  ChartFiguresQueryVariables,
  FleetCostsQueryVariables,
  IncidentFilter,
  NodeFeesQueryVariables,
  StatisticsFilter,
} from './answers.gen.js';
import { bucketFor, costBucketFor, zoneOfBuckets, type ChartBucket } from '../charts/buckets.js';
import { momentMsOf, rangeOf } from './range.js';
import { idOf, momentOf, zoneOf, type ReadonlyView } from './view.js';

/**
 * A query for `useAnswer`. `text` is a GraphQL document; `id` distinguishes queries of the same document. `variables` computes
 * the variables for the present, given in ms since 1970.
 */
export type Question = readonly [text: string, id: string, variables: (nowMs: number) => object];

/** The body of a request. Equal queries with equal variables have equal bodies. */
export function bodyOf(query: string, variables: object): string {
  return JSON.stringify({ query, variables });
}

/** Hindsight's own state, and the zones of its chains. */
export const SERVICE_QUESTION: Question = [SERVICE, '', () => ({})];

export function fleetQuestion(view: ReadonlyView): Question {
  return [FLEET + NODE, JSON.stringify(momentOf(view)), () => momentOf(view)];
}

/**
 * Figures of the fleet today and this month, and the fees of its nodes today. Two queries: a report as known at a time is
 * computed from rows, and only two of them fit into the limit of one.
 */
export function fleetFiguresQuestions(view: ReadonlyView): readonly [figures: Question, ofNodes: Question] {
  const moment = momentOf(view);
  const variables = (nowMs: number): FleetCostsQueryVariables & NodeFeesQueryVariables => {
    const toMs = momentMsOf(view, nowMs);
    // At midnight, use the day that ends: the new day has no figures yet.
    const last = new Date(toMs - 1).toISOString();
    const [day, month] = [`${last.slice(0, 10)}T00:00:00Z`, `${last.slice(0, 7)}-01T00:00:00Z`];
    return { ...moment, day, month, to: new Date(toMs).toISOString() };
  };
  const id = JSON.stringify(moment);
  return [
    [FLEET_COSTS + MONEY, id, variables],
    [
      NODE_FEES + MONEY,
      id,
      (nowMs): NodeFeesQueryVariables => {
        const { month: _, ...ofDay } = variables(nowMs);
        return ofDay;
      },
    ],
  ];
}

/** Open incidents of the page's node or chain, else of all nodes, with what to do, at the moment that the address names. */
export function openIncidentsQuestion(view: ReadonlyView): Question {
  const variables = {
    ...momentOf(view),
    filter: { open: true, ...(hasOwner(view) && ownerOf(view).whose) },
  };
  return [OPEN_INCIDENTS + INCIDENT_ROW, JSON.stringify(variables), () => variables];
}

/** The newest incidents that match the filter, at the moment that the address names. */
export function incidentsQuestion(view: ReadonlyView, filter: IncidentFilter): Question {
  const variables = { ...momentOf(view), filter };
  return [INCIDENTS + INCIDENT_ROW, JSON.stringify(variables), () => variables];
}

function hasOwner({ path }: Pick<ReadonlyView, 'path'>): boolean {
  return /^\/(?:node|chain)\/./.test(path);
}

/** The owner of a page's figures: a node or a chain. */
export function ownerOf({ path }: Pick<ReadonlyView, 'path'>) {
  const kind = path.startsWith('/chain/') ? ('chain' as const) : ('node' as const);
  const id = idOf(path);
  const whose: Pick<IncidentFilter & StatisticsFilter, 'nodes' | 'chains'> =
    kind === 'node' ? { nodes: [id] } : { chains: [id] };
  return { kind, id, whose };
}

/** Queries all nodes: the nodes of a chain are those that name it. */
export function ownerQuestion(view: ReadonlyView): Question {
  return [OWNER + NODE + ACCOUNT, JSON.stringify(momentOf(view)), () => momentOf(view)];
}

/** Incidents of a node or a chain, in the range that the address names. */
export function ownerIncidentsQuestion(view: ReadonlyView): Question {
  const range = { from: view.get('from') || null, to: view.get('to') || null };
  return incidentsQuestion(view, { ...ownerOf(view).whose, ...range });
}

/** Figures and fees of the range that the address names: two queries, so that one answer is drawn while the other is awaited. */
export function chartQuestions(view: ReadonlyView): readonly [figures: Question, costs: Question] {
  const { whose } = ownerOf(view);
  const zone = zoneOf(view);
  const range = ['asOf', 'knownAt', 'from', 'to', 'last'].map((name) => view.get(name));
  const id = JSON.stringify([whose, zone, range]);
  const variables =
    (bucketOf: (fromMs: number, toMs: number) => ChartBucket) =>
    (nowMs: number): ChartFiguresQueryVariables => {
      const { fromMs, toMs } = rangeOf(view, nowMs);
      const bucket = bucketOf(fromMs, toMs);
      return {
        ...momentOf(view),
        filter: whose,
        bucket,
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        timeZone: zoneOfBuckets(bucket, zone),
      };
    };
  return [
    [CHART_FIGURES, id, variables(bucketFor)],
    [CHART_COSTS, id, variables(costBucketFor)],
  ];
}

/**
 * The first queries of a page, the slowest first. They depend only on the address. The server runs them as well and sends the
 * answers with the page, so this file must not read anything of a browser.
 */
export function firstQuestions(view: ReadonlyView): Question[] {
  if (hasOwner(view))
    return [...chartQuestions(view), ownerQuestion(view), openIncidentsQuestion(view), SERVICE_QUESTION];
  if (view.path !== '/') return [SERVICE_QUESTION];
  return [
    fleetQuestion(view),
    // Before reports, which a busy service takes long for: this answer says what to do.
    openIncidentsQuestion(view),
    ...fleetFiguresQuestions(view),
    incidentsQuestion(view, { open: false }),
    SERVICE_QUESTION,
  ];
}
