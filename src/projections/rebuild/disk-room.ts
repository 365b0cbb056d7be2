import { access, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOf } from '../../platform/database.js';
import type { Database } from '../../platform/sql.js';
import { formatBytes } from '../../platform/bytes.js';
import { UserError } from '../../platform/errors.js';

/** The disk space that a rebuild needs, and the free space on the database's disk, in bytes. */
export interface DiskRoom {
  /** Estimate for the second copy: the present size of the tables. */
  readonly needed: bigint;
  /** Undefined if the server's disk cannot be read from here. */
  readonly free: bigint | undefined;
}

/** The log grows during the copy, and rows arrive in a different order. */
const MARGIN_PERCENT = 120n;

/** @throws UserError when the disk is known to lack space for a second copy of the tables */
export function requireRoom({ needed, free }: DiskRoom): void {
  if (free === undefined || (needed * MARGIN_PERCENT) / 100n <= free) return;
  throw new UserError(
    `There is too little space for a second copy of the read models: it takes about ${formatBytes(needed)}, and ${formatBytes(free)} are free on the database's disk.`,
    'Free space and try again; until then queries use the old read models.',
  );
}

/**
 * Measures the live tables, and the disk if the server runs on this computer.
 * @param schema of the rebuild: space that an interrupted rebuild already uses there is not counted again
 */
export async function measureRoom(
  dataSource: Database,
  schema: string,
  tables: readonly string[],
): Promise<DiskRoom> {
  const size = 'coalesce(sum(pg_total_relation_size(to_regclass(t.path))), 0)';
  const [row] = await dataSource.query<{ needed: bigint }[]>(
    `SELECT greatest(0, (SELECT ${size} FROM unnest($1::text[]) t (path)) -
                        (SELECT ${size} FROM unnest($2::text[]) t (path)))::bigint AS needed`,
    [tables.map((table) => `"${table}"`), tables.map((table) => `"${schema}"."${table}"`)],
  );
  return { needed: row?.needed ?? 0n, free: await findFreeBytes(dataSource) };
}

/** Free bytes on the disk of the server's data; undefined if the server is on another computer, or its disk is not accessible. */
export async function findFreeBytes(dataSource: Database): Promise<bigint | undefined> {
  const url = addressOf(dataSource) ?? '';
  if (!/^(?:127\.|localhost$|\[::1\]$)/.test(URL.canParse(url) ? new URL(url).hostname : ''))
    return undefined;
  try {
    const [row] = await dataSource.query<{ folder: string }[]>(
      "SELECT current_setting('data_directory') AS folder",
    );
    const folder = row?.folder ?? '';
    // Behind a forwarded port, a folder of that name would be on another computer.
    await access(join(folder, 'postmaster.pid'));
    const { bavail, bsize } = await statfs(folder, { bigint: true });
    return bavail * bsize;
  } catch {
    // We may not read the folder's path, or it is in a container.
    return undefined;
  }
}

/** Describes the disk space of a rebuild, for people. */
export function describeRoom({ needed, free }: DiskRoom): string {
  const rest =
    free === undefined ? 'the free space on the server is unknown' : `${formatBytes(free)} are free`;
  return `the second copy takes about ${formatBytes(needed)} of disk; ${rest}`;
}
