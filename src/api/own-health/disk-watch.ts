import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DAY_MS, type DiskUse, growthPerDay } from '../../domain/disk-growth.js';
import type { Micros } from '../../domain/time.js';
import { onConnection } from '../../platform/sql.js';
import { findFreeBytes } from '../../projections/rebuild/disk-room.js';
import { findPositionAt } from '../../statistics/read/plan/log-position.query.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** Whoever asks within this time is told the same. */
const FRESH_MS = 30_000;

/** What the record takes of the disk, measured twice a minute at most, whoever asks. */
@Injectable()
export class DiskWatch {
  private known: { readonly at: number; readonly use: Promise<DiskUse> } | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  getUse(): Promise<DiskUse> {
    const now = this.options.clock.monotonic();
    if (this.known === undefined || now - this.known.at >= FRESH_MS) {
      const use = readDiskUse(this.dataSource);
      this.known = { at: now, use };
      use.catch(() => (this.known = undefined));
    }
    return this.known.use;
  }
}

/** Measures now. */
export async function readDiskUse(dataSource: DataSource): Promise<DiskUse> {
  const [sizes, freeBytes] = await Promise.all([readSizes(dataSource), findFreeBytes(dataSource)]);
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
  /** When the first event was recorded. */
  readonly first: Micros | null;
}

/** Tables with their indexes. The log's are the partitions of `event`; what stands in other schemas is a rebuild's. */
async function readSizes(dataSource: DataSource): Promise<Sizes> {
  const [row] = await dataSource.query<Sizes[]>(
    `SELECT coalesce(sum(bytes) FILTER (WHERE is_log), 0)::bigint AS "logBytes",
            coalesce(sum(bytes) FILTER (WHERE NOT is_log), 0)::bigint AS "readModelBytes",
            (SELECT position FROM log_head), clock_timestamp() AS now,
            (SELECT recorded_at FROM event WHERE position = 1) AS first
       FROM (SELECT coalesce(pg_total_relation_size(c.oid), 0) AS bytes,
                    EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid AND i.inhparent = 'event'::regclass) AS is_log
               FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE c.relkind IN ('r', 'm') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema') AS relation`,
  );
  if (!row) throw new Error('the sizes of the tables cannot be read');
  return row;
}
