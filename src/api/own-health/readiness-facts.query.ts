import { readLogTime } from '../../event-log/log-time.js';
import { type Database, onConnection } from '../../platform/sql.js';
import { PROJECTION_FACTORIES } from '../../projections/all-projections.js';
import { summariseFaults } from '../../projections/fault-list.js';
import { findTasksLeft } from '../../projections/record/readers/progress.reader.js';
import { readBacklog } from '../../statistics/roll-up/marks.js';
import { readZoneData } from '../../statistics/roll-up/generation.js';
import { listOwnersSetAside } from '../../statistics/roll-up/fault-list.js';
import { readDiskUse } from './disk-watch.js';
import { MOST_NAMES, describeDeadLetters, describeFailedOwners } from './fault-sentences.js';
import type { DatabaseFacts, LogFacts, ProjectionFacts } from './readiness.js';
import { readUpgrades } from '../../statistics/upgrades.reader.js';

interface CheckpointRow {
  readonly name: string;
  readonly position: bigint;
  readonly head: bigint;
  readonly still_us: bigint;
  readonly waiting_us: bigint | null;
}

/** The state of the service as the database knows it, independent of who asks and of the calling process. */
export async function readDatabaseFacts(
  dataSource: Database,
  getDiskUse = () => readDiskUse(dataSource),
): Promise<DatabaseFacts> {
  const [log, projections, turnsLeft, backlog, upgrades, zones, events, owners, disk] = await Promise.all([
    readLog(dataSource),
    readProjections(dataSource),
    findTasksLeft(dataSource),
    readBacklog(dataSource),
    onConnection(dataSource, readUpgrades),
    onConnection(dataSource, readZoneData),
    summariseFaults(dataSource, MOST_NAMES),
    listOwnersSetAside(dataSource, { limit: MOST_NAMES, offset: 0 }),
    getDiskUse(),
  ]);
  return {
    log,
    projections,
    ...(turnsLeft && { turnsLeft }),
    statisticsBehindSeconds: Math.round(backlog.seconds * 10) / 10,
    upgrades,
    // Before the first roll-up no stored day can have other zone data.
    ...(zones.stored !== undefined && zones.stored !== zones.ours && { otherZoneData: zones }),
    faults: [...describeDeadLetters(events), ...describeFailedOwners(owners)],
    ...(disk && { disk }),
  };
}

/** The end of the log, and which shards are observed. */
export async function readLog(dataSource: Database): Promise<LogFacts> {
  const [[row], { aheadMs }] = await Promise.all([
    dataSource.query<
      { position: bigint; idle_us: bigint | null; watched: number; leases: LogFacts['leases'] | null }[]
    >(
      `SELECT position, (SELECT count(*)::int FROM node WHERE NOT retired) AS watched,
              CASE WHEN isfinite(recorded_at) THEN (extract(epoch FROM clock_timestamp() - recorded_at) * 1000000)::bigint END AS idle_us,
              (SELECT json_agg(json_build_object('shard', shard, 'isHeld', expires_at > clock_timestamp()))
                 FROM observer_lease) AS leases
         FROM log_head`,
    ),
    readLogTime(dataSource),
  ]);
  return {
    position: String(row?.position ?? 0),
    idleSeconds: secondsOf(row?.idle_us ?? null),
    watchedNodes: row?.watched ?? 0,
    leases: row?.leases ?? [],
    aheadMs,
  };
}

/** Progress of each projection of this release. */
export async function readProjections(dataSource: Pick<Database, 'query'>): Promise<ProjectionFacts[]> {
  const rows = await dataSource.query<CheckpointRow[]>(
    `SELECT p.name, p.position, h.position AS head,
            (extract(epoch FROM clock_timestamp() - p.moved_at) * 1000000)::bigint AS still_us,
            CASE WHEN p.position < h.position THEN (extract(epoch FROM clock_timestamp() -
              (SELECT e.recorded_at FROM event e WHERE e.position > p.position ORDER BY e.position LIMIT 1)) * 1000000)::bigint
            END AS waiting_us
       FROM projection_checkpoint p CROSS JOIN log_head h WHERE p.name = ANY ($1) ORDER BY p.name`,
    // Projections of another release are not our concern.
    [Object.keys(PROJECTION_FACTORIES)],
  );
  return rows.map((row) => ({
    name: row.name,
    position: String(row.position),
    behind: String(row.head - row.position),
    stillSeconds: secondsOf(row.still_us),
    waitingSeconds: secondsOf(row.waiting_us),
  }));
}

function secondsOf(us: bigint): number;
function secondsOf(us: bigint | null): number | null;
function secondsOf(us: bigint | null): number | null {
  return us === null ? null : Number(us) / 1e6;
}
