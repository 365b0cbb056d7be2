import type { Micros } from '../domain/time.js';
import { selectList } from '../platform/rows/row-columns.js';
import type { Database } from '../platform/sql.js';
import { ProjectionFaultEntity } from '../tables/projections.entities.js';
import { MOST_FAULTS_OF_STREAM } from './faults.js';

/** One page of a list, and the length of the whole list. */
export interface FaultPage<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

export interface PageRange {
  readonly limit: number;
  readonly offset: number;
}

/** A dead letter: an event that a read model continues without. The texts come from a node, or quote one. */
export type ListedDeadLetter = Omit<ProjectionFaultEntity, 'version'>;

/** A quarantined stream: a read model continues without it. */
export interface ListedStream extends Pick<ProjectionFaultEntity, 'projection' | 'stream'> {
  /** When its last dead letter was found. */
  readonly since: Micros;
}

export interface DeadLetterSummary {
  readonly projection: string;
  readonly events: number;
  readonly streams: number;
  /** Number of quarantined streams. */
  readonly whole: number;
  /** Some of the streams, those with the most dead letters first. */
  readonly names: readonly string[];
}

/** Dead letters, ordered by read model and position. */
export async function listFaults(
  dataSource: Database,
  { limit, offset }: PageRange,
): Promise<FaultPage<ListedDeadLetter>> {
  const [count] = await dataSource.query<{ total: number }[]>(
    'SELECT count(*)::int AS total FROM projection_fault',
  );
  const rows = await dataSource.query<ProjectionFaultEntity[]>(
    `SELECT ${selectList(ProjectionFaultEntity, 'f')} FROM projection_fault f
      ORDER BY projection, position LIMIT $1 OFFSET $2`,
    [limit, offset],
  );
  return { total: count?.total ?? 0, rows };
}

/** Quarantined streams, ordered by read model and name. */
export async function listStreamsSetAside(
  database: Database,
  range: PageRange,
): Promise<FaultPage<ListedStream>> {
  const rows = await database.query<(ListedStream & { total: number })[]>(
    `SELECT s.*, t.total FROM (SELECT count(*)::int AS total FROM (${STREAMS_SET_ASIDE}) s) t
       LEFT JOIN LATERAL (${STREAMS_SET_ASIDE} ORDER BY projection, stream LIMIT $1 OFFSET $2) s ON true
      ORDER BY projection, stream`,
    [range.limit, range.offset],
  );
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ stream }) => stream !== null) };
}

const STREAMS_SET_ASIDE = `SELECT projection, stream, max(since) AS since FROM projection_fault
  GROUP BY projection, stream, version HAVING count(*) >= ${MOST_FAULTS_OF_STREAM}`;

/** Summarises the read models that have dead letters, ordered by name. @param names the most streams to name for each */
export function summariseFaults(database: Database, names: number): Promise<DeadLetterSummary[]> {
  return database.query<DeadLetterSummary[]>(
    `SELECT projection, sum(events)::int AS events, count(*)::int AS streams,
            count(*) FILTER (WHERE events >= ${MOST_FAULTS_OF_STREAM})::int AS whole,
            (array_agg(stream ORDER BY events DESC, stream))[1:$1] AS names
       FROM (SELECT projection, stream, count(*) AS events FROM projection_fault GROUP BY projection, stream) s
      GROUP BY projection ORDER BY projection`,
    [names],
  );
}
