import { addCounts, countSource, type ConnectionCounts } from './connection-counts.js';
import { createDataSource, type DatabaseLimits, type DatabasePool } from './database.js';
import { ReadDatabase } from './reads/read-database.js';
import { does, type Role } from './role.js';
import type { Database } from './sql.js';

/** The connections of a service: who records waits for nobody who reads, and who projects neither. */
export interface Pools {
  /** For projections, statistics, jobs, what people change, and the health of the process itself. */
  readonly dataSource: Database;
  /** For appends to the log alone. */
  readonly appends: Database;
  /** In a process that observes. */
  readonly observer: ObserverPools | undefined;
  /** For questions from outside alone. */
  readonly reads: ReadDatabase;
  /** How many connections all of them have together, and how many statements wait for one. */
  readonly countConnections: () => ConnectionCounts;
  close(): Promise<void>;
}

/** The connections that only observers need. */
interface ObserverPools {
  /** For the lease alone, so that it can be kept, or given up, while appends hang. */
  readonly leases: Database;
  /** For what observers read of their streams. */
  readonly streams: Database;
}

/** Which pools a service opens. */
export interface PoolSettings {
  readonly url: string;
  /** A server for questions; the one of `url` when left out. */
  readonly readUrl?: string | undefined;
  readonly role: Role;
}

/** Connections that a pool has at most. */
export interface PoolSizes {
  readonly appends: number;
  readonly leases: number;
  readonly streams: number;
  /** Projections, statistics and jobs where the process does them; else its own health, prices and imports. */
  readonly work: number;
  readonly reads: number;
  /** Cancels what readers no longer wait for, and asks a replica how far it is. */
  readonly spare: number;
}

/** How many connections a process of a role takes, beside those of the job queue. */
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
 * Whoever writes the end of the log holds a lock that all others wait for. One that vanished must lose it before a
 * standby takes over.
 */
const APPENDS: DatabaseLimits = { statementMs: 15_000, idleInTransactionMs: 8_000 };

/** A renewal that takes longer is tried again on another connection, while there is time. */
const LEASES: DatabaseLimits = { statementMs: 3_000, idleInTransactionMs: 3_000 };

/** Opens the pools of a service; that of the readers connects when it is first asked. */
export async function openPools({ url, readUrl, role }: PoolSettings): Promise<Pools> {
  const sizes = poolSizes(role);
  const opened: DatabasePool[] = [];
  const open = async (poolSize: number, limits?: DatabaseLimits): Promise<DatabasePool> => {
    const source = createDataSource({ url, poolSize, ...(limits && { limits }) });
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
    const appends = await open(sizes.appends, APPENDS);
    const observer =
      sizes.leases > 0
        ? { leases: await open(sizes.leases, LEASES), streams: await open(sizes.streams) }
        : undefined;
    const countConnections = (): ConnectionCounts =>
      addCounts([...opened.map(countSource), reads.connections]);
    return { dataSource, appends, observer, reads, countConnections, close };
  } catch (error) {
    await close();
    throw error;
  }
}
