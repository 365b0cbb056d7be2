import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

export interface ConnectionCounts {
  readonly used: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

export function countPool({ totalCount, idleCount, waitingCount }: Pool): ConnectionCounts {
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

/** Counts the pool of an open TypeORM data source. */
export function countSource({ driver }: DataSource): ConnectionCounts {
  return countPool((driver as unknown as { readonly master: Pool }).master);
}

export function addCounts(counts: readonly ConnectionCounts[]): ConnectionCounts {
  const sum = (of: keyof ConnectionCounts): number => counts.reduce((all, count) => all + count[of], 0);
  return { used: sum('used'), idle: sum('idle'), waiting: sum('waiting') };
}
