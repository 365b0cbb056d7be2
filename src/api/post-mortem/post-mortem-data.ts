import type { Database } from '../../platform/sql.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import type { Incident } from '../incidents/incident.type.js';
import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import { microsToNanos, nanosToMicros, type Micros } from '../../domain/time.js';
import { UserError } from '../../platform/errors.js';
import { timesParameter } from '../../statistics/read/plan/stored-rows.js';
import { IntervalReader, type IntervalFigures } from '../../statistics/interval/interval.reader.js';

/** What a post-mortem is asked for: an incident by its id, that of a node around a moment, or any interval of a node. */
export type IncidentWish =
  | { readonly id: string }
  | { readonly node: string; readonly atUs: Micros }
  | { readonly node: string; readonly fromUs: Micros; readonly toUs: Micros };

/** A state of a component of a node, as it was concluded. */
interface IncidentState {
  readonly state: HealthState;
  readonly rule: string;
  readonly reason: string;
  readonly fromUs: Micros;
  readonly toUs: Micros | null;
  /** Of the event that made it known. */
  readonly position: bigint;
}

/** A hole in the record of a node. */
interface IncidentHole {
  readonly kind: string;
  readonly toUs: Micros;
  readonly minLost: bigint;
  readonly maxLost: bigint | null;
  readonly position: bigint;
}

/** That a node began, or ended, to submit for its chain. */
interface LeaderChange {
  readonly fromUs: Micros;
  readonly leads: boolean;
  readonly position: bigint;
}

/** Everything that a post-mortem tells. */
export interface PostMortem {
  readonly node: string;
  readonly chain: string | null;
  /** What was in trouble; of any interval the DA layer is told of. */
  readonly component: HealthComponent;
  readonly fromUs: Micros;
  /** Up to which it tells: its end, or the present. */
  readonly toUs: Micros;
  readonly isOver: boolean;
  /** The worst state in it. */
  readonly severity: HealthState;
  readonly figures: IntervalFigures;
  readonly states: readonly IncidentState[];
  readonly holes: readonly IncidentHole[];
  readonly leaderChanges: readonly LeaderChange[];
  /** Whether there were more states or holes than are told of. */
  readonly isCut: boolean;
}

const MOST_STATES = 10_000;
/** Lines of each kind in a timeline. */
const MOST_LINES = 500;

const SEVERITIES: readonly HealthState[] = ['CRITICAL', 'WARNING', 'UNKNOWN', 'HEALTHY'];

/**
 * Reads what happened to a node.
 * @throws UserError for a node or an incident that is not known, a moment without trouble, or too much of it
 * @throws ReadFault for an interval that cannot be answered
 */
export async function readPostMortem(
  dataSource: Database,
  wish: IncidentWish,
  nowUs: Micros,
): Promise<PostMortem> {
  const stretch = await findStretch(dataSource, wish);
  const { node, component, fromUs } = stretch;
  const { nodeKey, chain } = await findNode(dataSource, node);
  const isOver = stretch.toUs !== null && stretch.toUs <= nowUs;
  const range = { fromUs, toUs: isOver && stretch.toUs !== null ? stretch.toUs : nowUs };
  const figures = await new IntervalReader(dataSource).getFigures({ node, nodeKey, ...range, nowUs });
  const states = await readStates(dataSource, { node, component, ...range });
  const holes = await readHoles(dataSource, nodeKey, range.fromUs, range.toUs);
  const leaderChanges = await readLeaderChanges(dataSource, node, range.fromUs, range.toUs);
  return {
    node,
    chain,
    component,
    ...range,
    isOver,
    severity: SEVERITIES.find((state) => states.some((one) => one.state === state)) ?? 'UNKNOWN',
    figures,
    states: states.slice(0, MOST_LINES),
    holes: holes.slice(0, MOST_LINES),
    leaderChanges: leaderChanges.slice(0, MOST_LINES),
    isCut: [states, holes, leaderChanges].some(({ length }) => length > MOST_LINES),
  };
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
  throw new UserError(`There is no node ${JSON.stringify(node)}.`, 'hindsight status lists the nodes.', 2);
}

/** A time of a component of a node. */
interface Stretch {
  readonly node: string;
  readonly component: HealthComponent;
  readonly fromUs: Micros;
  /** Null: it is not over. */
  readonly toUs: Micros | null;
}

async function findStretch(dataSource: Database, wish: IncidentWish): Promise<Stretch> {
  const incidents = new IncidentsQuery(dataSource);
  if ('id' in wish) {
    const incident = await incidents.findIncident(wish.id, {});
    if (incident) return stretchOf(incident);
    throw new UserError(`There is no incident ${JSON.stringify(wish.id)}.`, LIST_THEM);
  }
  await findNode(dataSource, wish.node);
  if ('fromUs' in wish) return { ...wish, component: 'DA' };
  const [from, to] = [microsToNanos(wish.atUs), microsToNanos(wish.atUs + 1n)];
  const around = await incidents.getIncidents({ nodes: [wish.node], from, to }, { first: 2 });
  // Where both are in trouble, that of the DA layer has the figures.
  const incident = around.nodes.find(({ component }) => component === 'DA') ?? around.nodes[0];
  if (incident) return stretchOf(incident);
  throw new UserError(
    'This node was in no trouble at that time.',
    `${LIST_THEM} Or give --from and --to for any interval.`,
  );
}

const LIST_THEM = '`hindsight incident` lists the latest.';

function stretchOf({ nodeId, component, from, to }: Incident): Stretch {
  return {
    node: nodeId,
    component,
    fromUs: nanosToMicros(from),
    toUs: to === null ? null : nanosToMicros(to),
  };
}

async function readStates(
  dataSource: Database,
  { node, component, fromUs, toUs }: Stretch & { readonly toUs: Micros },
): Promise<IncidentState[]> {
  const rows = await dataSource.query<IncidentState[]>(
    `SELECT state, rule, reason, from_at AS "fromUs", to_at AS "toUs", from_position AS position FROM health_interval
      WHERE node = $1::text AND component = $3::text AND to_position IS NULL
        AND from_at < ($2::timestamptz[])[2] AND coalesce(to_at, 'infinity') > ($2::timestamptz[])[1]
      ORDER BY from_at LIMIT ${MOST_STATES + 1}`,
    [node, timesParameter([fromUs, toUs]), component],
  );
  if (rows.length <= MOST_STATES) return rows;
  throw new UserError(`Health changed more than ${MOST_STATES} times around it.`, 'Give a shorter time.');
}

function readHoles(
  dataSource: Database,
  nodeKey: number,
  fromUs: Micros,
  toUs: Micros,
): Promise<IncidentHole[]> {
  return dataSource.query<IncidentHole[]>(
    `SELECT kind, to_at AS "toUs", min_lost AS "minLost", max_lost AS "maxLost", loss_position AS position FROM loss
      WHERE node_key = $1::int AND kind <> 'BEFORE_START' AND to_position IS NULL
        AND from_at < ($2::timestamptz[])[2] AND to_at > ($2::timestamptz[])[1]
      ORDER BY to_at LIMIT ${MOST_LINES + 1}`,
    [nodeKey, timesParameter([fromUs, toUs])],
  );
}

/** What lies between two lists, such as a time without an answer, changes nobody's part. */
function readLeaderChanges(
  dataSource: Database,
  node: string,
  fromUs: Micros,
  toUs: Micros,
): Promise<LeaderChange[]> {
  return dataSource.query<LeaderChange[]>(
    `SELECT from_at AS "fromUs", leads, position FROM (
       SELECT from_at, state = 'AVAILABLE' AS leads, from_position AS position,
              lag(state = 'AVAILABLE') OVER (ORDER BY from_at) AS led
         FROM availability_interval
        WHERE node = $1::text AND to_position IS NULL AND state IN ('AVAILABLE', 'NOT_AGGREGATOR')
          AND from_at < ($2::timestamptz[])[2]) parts
      WHERE leads <> led AND from_at >= ($2::timestamptz[])[1] ORDER BY from_at LIMIT ${MOST_LINES + 1}`,
    [node, timesParameter([fromUs, toUs])],
  );
}
