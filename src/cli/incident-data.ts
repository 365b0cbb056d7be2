import type { DataSource } from 'typeorm';
import type { HealthState } from '../domain/health/health-rule.js';
import { findTrouble } from '../domain/interval/trouble-stretch.js';
import type { Micros } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import { timesParameter } from '../statistics/read/plan/stored-rows.js';
import { IntervalReader, type IntervalFigures } from '../statistics/interval/interval.reader.js';

/** What a post-mortem is asked for: an interval, or the trouble around a moment. */
export type IncidentWish = { readonly atUs: Micros } | { readonly fromUs: Micros; readonly toUs: Micros };

/** A state of the DA layer of a node, as it was concluded. */
export interface IncidentState {
  readonly state: HealthState;
  readonly rule: string;
  readonly reason: string;
  readonly fromUs: Micros;
  readonly toUs: Micros | null;
  /** Of the event that made it known. */
  readonly position: bigint;
}

/** A hole in the record of a node. */
export interface IncidentHole {
  readonly kind: string;
  readonly toUs: Micros;
  readonly minLost: bigint;
  readonly maxLost: bigint | null;
  readonly position: bigint;
}

/** Everything that a post-mortem tells. */
export interface PostMortem {
  readonly node: string;
  readonly chain: string | null;
  readonly fromUs: Micros;
  /** Up to which it tells: its end, or the present. */
  readonly toUs: Micros;
  readonly isOver: boolean;
  /** The worst state in it. */
  readonly severity: HealthState;
  readonly figures: IntervalFigures;
  readonly states: readonly IncidentState[];
  readonly holes: readonly IncidentHole[];
  /** Whether there were more states or holes than are told of. */
  readonly isCut: boolean;
}

/** How far around a moment its trouble is looked for: as far as figures of an interval go. */
const REACH_US: Micros = 31n * 86_400_000_000n;
const MOST_STATES = 10_000;
/** Lines of each kind in a timeline. */
const MOST_LINES = 500;

const SEVERITIES: readonly HealthState[] = ['CRITICAL', 'WARNING', 'UNKNOWN', 'HEALTHY'];

/**
 * Reads what happened to a node.
 * @throws UserError for a node that is not known, a moment without trouble, or too much of it
 * @throws ReadFault for an interval that cannot be answered
 */
export async function readPostMortem(
  dataSource: DataSource,
  node: string,
  wish: IncidentWish,
  nowUs: Micros,
): Promise<PostMortem> {
  const { nodeKey, chain } = await findNode(dataSource, node);
  const stretch = 'atUs' in wish ? await findStretch(dataSource, node, wish.atUs) : wish;
  const isOver = stretch.toUs !== null && stretch.toUs <= nowUs;
  const range = { fromUs: stretch.fromUs, toUs: isOver && stretch.toUs !== null ? stretch.toUs : nowUs };
  const figures = await new IntervalReader(dataSource).getFigures({ node, nodeKey, ...range, nowUs });
  const states = await readStates(dataSource, node, range.fromUs, range.toUs);
  const holes = await readHoles(dataSource, nodeKey, range.fromUs, range.toUs);
  return {
    node,
    chain,
    ...range,
    isOver,
    severity: SEVERITIES.find((state) => states.some((one) => one.state === state)) ?? 'UNKNOWN',
    figures,
    states: states.slice(0, MOST_LINES),
    holes: holes.slice(0, MOST_LINES),
    isCut: states.length > MOST_LINES || holes.length > MOST_LINES,
  };
}

async function findNode(
  dataSource: DataSource,
  node: string,
): Promise<{ readonly nodeKey: number; readonly chain: string | null }> {
  const [row] = await dataSource.query<{ nodeKey: number; chain: string | null }[]>(
    'SELECT node_key AS "nodeKey", chain_id AS chain FROM node WHERE id = $1',
    [node],
  );
  if (row) return row;
  throw new UserError(`There is no node ${JSON.stringify(node)}.`, 'hindsight status lists the nodes.', 2);
}

async function findStretch(
  dataSource: DataSource,
  node: string,
  atUs: Micros,
): Promise<{ readonly fromUs: Micros; readonly toUs: Micros | null }> {
  const states = await readStates(dataSource, node, atUs - REACH_US, atUs + REACH_US);
  const trouble = findTrouble(states, atUs);
  if (trouble) return trouble;
  throw new UserError(
    'The DA layer of this node was in no trouble at that time.',
    'Give another --at; or --from and --to for any interval.',
  );
}

async function readStates(
  dataSource: DataSource,
  node: string,
  fromUs: Micros,
  toUs: Micros,
): Promise<IncidentState[]> {
  const rows = await dataSource.query<IncidentState[]>(
    `SELECT state, rule, reason, from_at AS "fromUs", to_at AS "toUs", from_position AS position FROM health_interval
      WHERE node = $1::text AND component = 'DA' AND to_position IS NULL
        AND from_at < ($2::timestamptz[])[2] AND coalesce(to_at, 'infinity') > ($2::timestamptz[])[1]
      ORDER BY from_at LIMIT ${MOST_STATES + 1}`,
    [node, timesParameter([fromUs, toUs])],
  );
  if (rows.length <= MOST_STATES) return rows;
  throw new UserError(`Health changed more than ${MOST_STATES} times around it.`, 'Give a shorter time.');
}

function readHoles(
  dataSource: DataSource,
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
