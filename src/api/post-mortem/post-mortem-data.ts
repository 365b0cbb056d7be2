import type { Database } from '../../platform/sql.js';
import { readNotes, type NoteRow, type Notes, type NoteType } from '../incidents/incident-notes.reader.js';
import { findIncidentOwner } from '../incidents/incident-owner.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import type { Incident } from '../incidents/incident.type.js';
import { findPast, presentOf, type TravelArgs } from '../graphql/time-travel.js';
import {
  MOST_LINES,
  readGaps,
  readLeaderChanges,
  readStates,
  type IncidentGap,
  type IncidentState,
  type LeaderChange,
} from './post-mortem-rows.query.js';
import { getKnownTime } from './known-time.query.js';
import {
  HEALTH_COMPONENTS,
  type HealthComponent,
  type HealthState,
} from '../../domain/health/health-rule.js';
import { findDaNodeRule } from '../../statistics/interval/da-node-then.query.js';
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

/** The subject of a post-mortem: an incident by its id, the incident of a node around a moment, or any interval of a node. */
export type IncidentRequest =
  | { readonly id: string }
  | { readonly node: string; readonly atUs: Micros }
  | { readonly node: string; readonly fromUs: Micros; readonly toUs: Micros };

export interface PostMortem {
  /** Id of the incident; null for an interval. */
  readonly id: string | null;
  /** The node that the incident began with. */
  readonly node: string;
  /** All nodes, the first one first. With several nodes, the figures are those of their chain. */
  readonly nodes: readonly string[];
  /** For an incident: the chain at its first sign. */
  readonly chain: string | null;
  /** The component in trouble; for an interval, the DA layer. */
  readonly component: HealthComponent;
  readonly subject: IncidentSubject;
  readonly fromUs: Micros;
  /** End of the post-mortem: the end of the incident, or the present. */
  readonly toUs: Micros;
  /** Only records up to this time are included. */
  readonly knownAtUs: Micros;
  readonly isOver: boolean;
  /** How the incident ended; null while it is ongoing, and for an interval. */
  readonly endReason: string | null;
  /** The worst state in it. */
  readonly severity: HealthState;
  /** The finding when the incident was worst; null for an interval. */
  readonly worst: Pick<IncidentState, 'state' | 'rule' | 'reason'> | null;
  readonly figures: IntervalFigures;
  /** The worst rule of the DA nodes meanwhile; undefined: none is watched. */
  readonly daNode: string | undefined;
  /** Start of the figures: for a long incident, they cover only its end. */
  readonly figuresFromUs: Micros;
  readonly states: readonly IncidentState[];
  readonly holes: readonly IncidentGap[];
  readonly leaderChanges: readonly LeaderChange[];
  /** The first acknowledgements; `acknowledgementCount` has the total. */
  readonly acknowledgements: readonly NoteRow[];
  readonly acknowledgementCount: number;
  /** The first notes; `noteCount` has the total. */
  readonly notes: readonly NoteRow[];
  readonly noteCount: number;
  /** Whether there are more states or gaps than the post-mortem lists. */
  readonly isCut: boolean;
}

const MOST_STATES = 10_000;

const SEVERITIES: readonly HealthState[] = ['CRITICAL', 'WARNING', 'UNKNOWN', 'HEALTHY'];

/**
 * Reads what happened to a node, or to several nodes of a chain.
 * @throws UserError for an unknown node or incident, a moment without trouble, or too many changes of health
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
    throw new UserError(
      `Health changed more than ${MOST_STATES} times around this incident.`,
      'Give a shorter time.',
    );
  const holes = await readGaps(dataSource, span);
  const leaderChanges = await readLeaderChanges(dataSource, span);
  const getNotes = async (type: NoteType): Promise<Notes> =>
    id === null ? { rows: [], count: 0 } : readNotes(dataSource, type, { id, node }, { knownAt });
  const seen = await getNotes('IncidentAcknowledged');
  const notes = await getNotes('IncidentNoted');
  return {
    ...facts,
    ...range,
    knownAtUs,
    isOver,
    severity: stretch.worst?.state ?? worstIn(states),
    figures,
    daNode: await findDaNodeRule(dataSource, nodes, { ...range, knownAt }),
    figuresFromUs,
    states: states.slice(0, MOST_LINES),
    holes: holes.slice(0, MOST_LINES),
    leaderChanges: leaderChanges.slice(0, MOST_LINES),
    acknowledgements: seen.rows,
    acknowledgementCount: seen.count,
    notes: notes.rows,
    noteCount: notes.count,
    isCut: [states, holes, leaderChanges].some(({ length }) => length > MOST_LINES),
  };
}

/** Worst state of an interval. Not used for incidents: their nodes may have had other trouble in that time. */
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
  throw new UserError(`Nothing is recorded for node ${JSON.stringify(node)} yet.`, LIST_THEM);
}

interface PostMortemPeriod extends Pick<
  PostMortem,
  'id' | 'node' | 'nodes' | 'chain' | 'component' | 'subject' | 'fromUs' | 'endReason' | 'worst'
> {
  readonly owner: IntervalOwner;
  /** Null: ongoing. */
  readonly toUs: Micros | null;
}

async function findStretch(
  dataSource: Database,
  request: IncidentRequest,
  travel: TravelArgs,
): Promise<PostMortemPeriod> {
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
  // If several components are in trouble, the DA layer has the figures.
  const incident = TOLD_OF.map((component) => around.find((one) => one.component === component)).find(
    (one) => one !== undefined,
  );
  if (incident) return stretchOf(dataSource, incident);
  throw new UserError(
    'No trouble of this node is recorded at that time.',
    `${LIST_THEM} Or give --from and --to for any interval.`,
  );
}

/** Order of preference if several components are in trouble. */
const TOLD_OF = HEALTH_COMPONENTS;
const LIST_THEM = '`hindsight incident` lists the latest.';

async function stretchOf(dataSource: Database, incident: Incident): Promise<PostMortemPeriod> {
  const { id, nodeId, chain, component, subject, from, to, endReason, severity } = incident;
  // The present trouble is read without a past: an interval of health keeps the reason from its begin.
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
