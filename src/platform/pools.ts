import type { DataSource } from 'typeorm';
import { createDataSource, type DatabaseLimits } from './database.js';

/** The connections of a service, twenty at most: who records waits for nobody who reads. */
export interface Pools {
  /** For projections, statistics and readers. */
  readonly dataSource: DataSource;
  /** For appends to the log alone. */
  readonly appends: DataSource;
  /** For the observer's lease alone, so that it can be kept, or given up, while appends hang. */
  readonly leases: DataSource;
  close(): Promise<void>;
}

const READERS = { poolSize: 16 };

/**
 * Whoever writes the end of the log holds a lock that all others wait for: one that vanished must lose it before a
 * standby takes over.
 */
const APPENDS = {
  poolSize: 2,
  limits: { statementMs: 15_000, idleInTransactionMs: 8_000 } satisfies DatabaseLimits,
};

/** A renewal that takes longer is tried again on another connection, while there is time. */
const LEASES = {
  poolSize: 2,
  limits: { statementMs: 3_000, idleInTransactionMs: 3_000 } satisfies DatabaseLimits,
};

/** Opens the pools of a service. */
export async function openPools(url: string): Promise<Pools> {
  const sources = [READERS, APPENDS, LEASES].map((settings) => createDataSource({ url, ...settings }));
  const close = async (): Promise<void> => {
    await Promise.all(sources.filter((source) => source.isInitialized).map((source) => source.destroy()));
  };
  const [dataSource, appends, leases] = sources as [DataSource, DataSource, DataSource];
  try {
    for (const source of sources) await source.initialize();
  } catch (error) {
    await close();
    throw error;
  }
  return { dataSource, appends, leases, close };
}
