import { addCounts, countSource, type ConnectionCounts } from './connection-counts.js';
import {
  createDataSource,
  type DatabaseLimits,
  type DatabasePool,
  type DataSourceSettings,
} from './database.js';
import { ReadDatabase } from './reads/read-database.js';
import { does, type Role } from './role.js';
import type { Database } from './sql.js';

/** The connection pools of a service, separate so that recording and projecting never wait for readers. */
export interface Pools {
  /** For projections, statistics, jobs, changes made by people, and the process's own health. */
  readonly dataSource: Database;
  /** Only for appends to the log. */
  readonly appends: Database;
  /** Undefined in a process that does not observe. */
  readonly observer: ObserverPools | undefined;
  /** Only for client queries. */
  readonly reads: ReadDatabase;
  /** Connections of all pools together, and statements that wait for one. */
  readonly countConnections: () => ConnectionCounts;
  close(): Promise<void>;
}

/** Connections of a process that observes. */
export interface ObserverPools {
  /** Only for the lease, so that it can be renewed or given up while appends hang. */
  readonly leases: Database;
  /** For observers' reads of their event streams. */
  readonly streams: Database;
}

export interface PoolSettings {
  readonly url: string;
  /** URL of the server for client queries; `url` when left out. */
  readonly readUrl?: string | undefined;
  readonly role: Role;
}

/** Most connections per pool. */
export interface PoolSizes {
  readonly appends: number;
  readonly leases: number;
  readonly streams: number;
  /** Projections, statistics and jobs where the process does them; else its own health, prices and imports. */
  readonly work: number;
  readonly reads: number;
  /** Cancels abandoned queries, and asks a replica how far it is. */
  readonly spare: number;
}

/** The connections of a process by role, without those of the job queue. */
export function poolSizes(role: Role): PoolSizes {
  const observes = does(role, 'observer');
  const works = does(role, 'worker');
  return {
    appends: 2,
    leases: observes ? 2 : 0,
    streams: observes ? 2 : 0,
    work: works ? 7 : 3,
    reads: 6,
    spare: 1,
  };
}

/**
 * The writer at the end of the log has a lock that all other writers wait for. A vanished writer must lose it before a standby
 * takes over.
 */
const APPENDS: DatabaseLimits = { statementMs: 15_000, idleInTransactionMs: 8_000 };

/** A renewal that takes longer is repeated on another connection, while there is time. */
const LEASES: DatabaseLimits = { statementMs: 3_000, idleInTransactionMs: 3_000 };

/**
 * At a start the observers of a thousand nodes all read their streams. A read that failed for those before it would begin again, with
 * all the others that failed.
 */
const STREAMS_WAIT_MS = 30_000;

/** Opens the pools of a service; the read pool connects at its first query. */
export async function openPools({ url, readUrl, role }: PoolSettings): Promise<Pools> {
  const sizes = poolSizes(role);
  const opened: DatabasePool[] = [];
  const open = async (
    poolSize: number,
    options: Pick<DataSourceSettings, 'limits' | 'waitMs'> = {},
  ): Promise<DatabasePool> => {
    const source = createDataSource({ url, poolSize, ...options });
    opened.push(source);
    return source.initialize();
  };
  const reads = new ReadDatabase({
    url: readUrl ?? url,
    isReplica: readUrl !== undefined,
    poolSize: sizes.reads,
  });
  const close = async (): Promise<void> => {
    const sources = opened.filter((source) => source.isInitialized);
    await Promise.all([reads.close(), ...sources.map((source) => source.destroy())]);
  };
  try {
    const dataSource = await open(sizes.work);
    const appends = await open(sizes.appends, { limits: APPENDS });
    const observer =
      sizes.leases > 0
        ? {
            leases: await open(sizes.leases, { limits: LEASES }),
            streams: await open(sizes.streams, { waitMs: STREAMS_WAIT_MS }),
          }
        : undefined;
    const countConnections = (): ConnectionCounts =>
      addCounts([...opened.map(countSource), reads.connections]);
    return { dataSource, appends, observer, reads, countConnections, close };
  } catch (error) {
    await close();
    throw error;
  }
}
