import { Inject, Injectable } from '@nestjs/common';
import { DAY_MS, type DiskUse, growthPerDay } from '../../domain/disk-growth.js';
import type { Micros } from '../../domain/time.js';
import { codeOf } from '../../platform/errors.js';
import { keptFor } from '../../platform/kept-for.js';
import { NO_LOCK } from '../../platform/locks.js';
import { Database, inTransaction, onConnection } from '../../platform/sql.js';
import { findFreeBytes } from '../../projections/rebuild/disk-room.js';
import { findPositionAt } from '../../statistics/read/plan/log-position.query.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** How long to wait for the size of a table that is locked, as by a swap or a migration. */
const LOCK_WAIT_MS = 100;
/** All requests within this time get the same answer. */
const FRESH_MS = 30_000;

/** Measures the disk space of the record, at most twice a minute, however many requests there are. */
@Injectable()
export class DiskWatch {
  /** Undefined while a table is locked. */
  readonly getUse: () => Promise<DiskUse | undefined>;

  constructor(writes: Database, @Inject(API_OPTIONS) { clock }: Pick<ApiOptions, 'clock'>) {
    this.getUse = keptFor(clock, FRESH_MS, () => readDiskUse(writes));
  }
}

/** Measures now. @returns undefined if a table is locked */
export async function readDiskUse(dataSource: Database): Promise<DiskUse | undefined> {
  const [sizes, freeBytes] = await Promise.all([readSizes(dataSource), findFreeBytes(dataSource)]);
  if (sizes === undefined) return undefined;
  const { logBytes, readModelBytes, position, now, first } = sizes;
  const yesterday = now - BigInt(DAY_MS) * 1_000n;
  const isOlder = first !== null && first < yesterday;
  const before = isOlder ? await onConnection(dataSource, (query) => findPositionAt(query, yesterday)) : 0n;
  const spanMs = first === null ? 0 : Math.min(DAY_MS, Number(now - first) / 1_000);
  const events = { all: position, recent: position - before, spanMs };
  const growthBytesPerDay = growthPerDay(logBytes + readModelBytes, events);
  return {
    logBytes,
    readModelBytes,
    freeBytes,
    ...(growthBytesPerDay !== undefined && { growthBytesPerDay }),
  };
}

interface Sizes {
  readonly logBytes: bigint;
  readonly readModelBytes: bigint;
  readonly position: bigint;
  readonly now: Micros;
  readonly first: Micros | null;
}

/** SQL: tables with their indexes. The log is the partitions of `event`; tables in other schemas belong to a rebuild. */
const SIZES = `SELECT coalesce(sum(bytes) FILTER (WHERE is_log), 0)::bigint AS "logBytes",
            coalesce(sum(bytes) FILTER (WHERE NOT is_log), 0)::bigint AS "readModelBytes",
            (SELECT position FROM log_head), clock_timestamp() AS now,
            (SELECT recorded_at FROM event WHERE position = 1) AS first
       FROM (SELECT coalesce(pg_total_relation_size(c.oid), 0) AS bytes,
                    EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid AND i.inhparent = 'event'::regclass) AS is_log
               FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE c.relkind IN ('r', 'm') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema') AS relation`;

async function readSizes(dataSource: Database): Promise<Sizes | undefined> {
  const read = inTransaction(dataSource, async (query) => {
    await query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
    return query<Sizes>(SIZES);
  });
  const [row] = await read.catch((error: unknown) => {
    if (codeOf(error) === NO_LOCK) return [undefined];
    throw error;
  });
  return row;
}
