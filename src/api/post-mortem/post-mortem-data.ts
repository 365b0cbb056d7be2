import type { Database } from '../../platform/sql.js';
import { readAcknowledgements } from '../incidents/acknowledgements.reader.js';
import { findIncidentOwner } from '../incidents/incident-owner.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import type { Incident } from '../incidents/incident.type.js';
import { findPast, presentOf, type TravelArgs } from '../graphql/time-travel.js';
import {
  MOST_LINES,
  readHoles,
  readLeaderChanges,
  readStates,
  type IncidentHole,
  type IncidentState,
  type LeaderChange,
} from './post-mortem-rows.query.js';
import { getKnownTime } from './known-time.query.js';
import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import { nodeIdsOf, type IncidentSubject } from '../../domain/health/trouble.js';
import {
  microsToMillis,
  microsToNanos,
  millisToMicros,
  nanosToMicros,
  type Micros,
} from '../../domain/time.js';
import { UserError } from '../../platform/errors.js';
import type { IntervalOwner } from '../../statistics/interval/interval-request.js';
import {
  IntervalReader,
  LONGEST_INTERVAL_US,
  type IntervalFigures,
} from '../../statistics/interval/interval.reader.js';
import { requireKnownNames } from '../../statistics/read/known-names.query.js';

/** What a post-mortem is asked for: an incident by its id, that of a node around a moment, or any interval of a node. */
export type IncidentRequest =
  | { readonly id: string }
  | { readonly node: string; readonly atUs: Micros }
  | { readonly node: string; readonly fromUs: Micros; readonly toUs: Micros };

/** That somebody has seen it. */
interface PostMortemAcknowledgement {
  readonly by: string;
  readonly note: string;
  readonly atUs: Micros;
  readonly position: bigint;
}

/** Everything that a post-mortem tells. */
export interface PostMortem {
  /** Of the incident; null of any interval. */
  readonly id: string | null;
  /** The node with which it began. */
  readonly node: string;
  /** All of them, that one first. Of several the figures are those of their chain. */
  readonly nodes: readonly string[];
  /** Of an incident that of its first sign. */
  readonly chain: string | null;
  /** What was in trouble; of any interval the DA layer is told of. */
  readonly component: HealthComponent;
  readonly subject: IncidentSubject;
  readonly fromUs: Micros;
  /** Up to which it tells: its end, or the present. */
  readonly toUs: Micros;
  /** What is told is what was recorded by this time. */
  readonly knownAtUs: Micros;
  readonly isOver: boolean;
  /** How it ended; null while it goes on, and of any interval. */
  readonly endReason: string | null;
  /** The worst state in it. */
  readonly severity: HealthState;
  /** What was found when an incident was worst; null of any interval. */
  readonly worst: Pick<IncidentState, 'state' | 'rule' | 'reason'> | null;
  readonly figures: IntervalFigures;
  /** From which on they are told: of a long incident, those of its end. */
  readonly figuresFromUs: Micros;
  readonly states: readonly IncidentState[];
  readonly holes: readonly IncidentHole[];
  readonly leaderChanges: readonly LeaderChange[];
  /** The first ones, of so many. */
  readonly acknowledgements: readonly PostMortemAcknowledgement[];
  readonly acknowledgementCount: number;
  /** Whether there were more states or holes than are told of. */
  readonly isCut: boolean;
}

const MOST_STATES = 10_000;

const SEVERITIES: readonly HealthState[] = ['CRITICAL', 'WARNING', 'UNKNOWN', 'HEALTHY'];

/**
 * Reads what happened to a node, or to several of a chain.
 * @throws UserError for a node or an incident that is not known, a moment without trouble, or too much of it
 * @throws ReadFault for an interval that cannot be answered
 */
export async function readPostMortem(
  dataSource: Database,
  request: IncidentRequest,
  nowUs: Micros,
): Promise<PostMortem> {
  const knownAtUs = await getKnownTime(dataSource);
  const travel = { knownAt: microsToNanos(knownAtUs) };
  const past = await findPast(dataSource, travel);
  const presentUs = millisToMicros(presentOf(past, microsToMillis(nowUs)));
  const stretch = await findStretch(dataSource, request, travel);
  const { owner, ...facts } = stretch;
  const { node, nodes, component, fromUs } = facts;
  const isOver = stretch.toUs !== null && stretch.toUs <= presentUs;
  const range = { fromUs, toUs: isOver && stretch.toUs !== null ? stretch.toUs : presentUs };
  const { id } = stretch;
  const figuresFromUs = id === null ? fromUs : laterOf(fromUs, range.toUs - LONGEST_INTERVAL_US);
  const { knownAt } = past;
  const question = { ...owner, ...range, fromUs: figuresFromUs, nowUs: presentUs, knownAt };
  const figures = await new IntervalReader(dataSource).getFigures(question);
  const span = { nodes, ...range, knownAt };
  // An incident ends with a state of its own: how it recovered.
  const recoveredUs = id !== null && isOver ? range.toUs + 1n : range.toUs;
  const ofStates = { component, ...span, toUs: recoveredUs };
  const states = await readStates(dataSource, ofStates, id === null ? MOST_STATES : MOST_LINES);
  if (states.length > MOST_STATES)
    throw new UserError(`Health changed more than ${MOST_STATES} times around it.`, 'Give a shorter time.');
  const holes = await readHoles(dataSource, span);
  const leaderChanges = await readLeaderChanges(dataSource, span);
  const seen =
    id === null ? { rows: [], count: 0 } : await readAcknowledgements(dataSource, { id, node }, { knownAt });
  return {
    ...facts,
    ...range,
    knownAtUs,
    isOver,
    severity: stretch.worst?.state ?? worstIn(states),
    figures,
    figuresFromUs,
    states: states.slice(0, MOST_LINES),
    holes: holes.slice(0, MOST_LINES),
    leaderChanges: leaderChanges.slice(0, MOST_LINES),
    acknowledgements: seen.rows,
    acknowledgementCount: seen.count,
    isCut: [states, holes, leaderChanges].some(({ length }) => length > MOST_LINES),
  };
}

/** Nodes may have had other trouble in its time, so that is not asked of an incident. */
function worstIn(states: readonly IncidentState[]): HealthState {
  return SEVERITIES.find((state) => states.some((one) => one.state === state)) ?? 'UNKNOWN';
}

function laterOf(one: Micros, other: Micros): Micros {
  return one > other ? one : other;
}

async function findNode(
  dataSource: Database,
  node: string,
): Promise<{ readonly nodeKey: number; readonly chain: string | null }> {
  const [row] = await dataSource.query<{ nodeKey: number; chain: string | null }[]>(
    'SELECT node_key AS "nodeKey", chain_id AS chain FROM node WHERE id = $1',
    [node],
  );
  if (row) return row;
  await requireKnownNames(dataSource, { nodes: [node] });
  throw new UserError(`Nothing is recorded of node ${JSON.stringify(node)} yet.`, LIST_THEM);
}

/** What a post-mortem is of. */
interface Stretch extends Pick<
  PostMortem,
  'id' | 'node' | 'nodes' | 'chain' | 'component' | 'subject' | 'fromUs' | 'endReason' | 'worst'
> {
  /** Whose figures are told. */
  readonly owner: IntervalOwner;
  /** Null: it is not over. */
  readonly toUs: Micros | null;
}

async function findStretch(
  dataSource: Database,
  request: IncidentRequest,
  travel: TravelArgs,
): Promise<Stretch> {
  const incidents = new IncidentsQuery(dataSource);
  if ('id' in request) {
    const incident = await incidents.findIncident(request.id, travel);
    if (incident) return stretchOf(dataSource, incident);
    throw new UserError(`There is no incident ${JSON.stringify(request.id)}.`, LIST_THEM, 2);
  }
  const { node } = request;
  const { nodeKey, chain } = await findNode(dataSource, node);
  if ('fromUs' in request) {
    const owner = { nodes: [{ id: node, key: nodeKey }], chain: null };
    const none = { id: null, endReason: null, worst: null };
    return { ...request, ...none, owner, nodes: [node], chain, component: 'DA', subject: 'DA' };
  }
  const around = await incidents.findIncidentsAt(
    node,
    microsToNanos(request.atUs),
    microsToNanos(request.atUs + 1n),
    travel,
  );
  // Where several are in trouble, that of the DA layer has the figures.
  const incident = TOLD_OF.map((component) => around.find((one) => one.component === component)).find(
    (one) => one !== undefined,
  );
  if (incident) return stretchOf(dataSource, incident);
  throw new UserError(
    'No trouble of this node is recorded at that time.',
    `${LIST_THEM} Or give --from and --to for any interval.`,
  );
}

/** In the order in which they are told of where several are in trouble. */
const TOLD_OF: readonly HealthComponent[] = ['DA', 'NODE', 'COVERAGE'];
const LIST_THEM = '`hindsight incident` lists the latest.';

async function stretchOf(dataSource: Database, incident: Incident): Promise<Stretch> {
  const { id, nodeId, chain, component, subject, from, to, endReason, severity } = incident;
  // What is known of the present alone: an interval of health says what it did at its begin.
  const present = to === null ? await new IncidentsQuery(dataSource).findIncident(id, {}) : undefined;
  const { rule, reason } = present?.open === true ? present : incident;
  return {
    id,
    node: nodeId,
    owner: await findIncidentOwner(dataSource, incident),
    nodes: nodeIdsOf(incident),
    chain,
    component,
    subject,
    endReason,
    worst: { state: severity, rule, reason },
    fromUs: nanosToMicros(from),
    toUs: to === null ? null : nanosToMicros(to),
  };
}
