import { access, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOf } from '../../platform/database.js';
import type { Database } from '../../platform/sql.js';
import { formatBytes } from '../../platform/bytes.js';
import { UserError } from '../../platform/errors.js';

/** What a rebuild needs and has of the database's disk, in bytes. */
export interface DiskRoom {
  /** About what the second copy will take: what the tables take today. */
  readonly needed: bigint;
  /** Undefined where the server's disk cannot be seen from here. */
  readonly free: bigint | undefined;
}

/** The copy is made while the log grows, and of rows that come in an order of their own. */
const MARGIN_PERCENT = 120n;

/** @throws UserError when the disk is known to have no room for a second copy of the tables */
export function requireRoom({ needed, free }: DiskRoom): void {
  if (free === undefined || (needed * MARGIN_PERCENT) / 100n <= free) return;
  throw new UserError(
    `There is no room for a second copy of the read models: it takes about ${formatBytes(needed)}, and ${formatBytes(free)} are free on the database's disk.`,
    'Make room and try again; until then the read models answer as they are.',
  );
}

/**
 * Measures the live tables, and the disk where the server is on this computer.
 * @param schema what stands in it already, of an interrupted rebuild, takes no more room
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

/** Free bytes on the disk of the server's data; undefined where it is another computer's, or hidden from us. */
export async function findFreeBytes(dataSource: Database): Promise<bigint | undefined> {
  const url = addressOf(dataSource) ?? '';
  if (!/^(?:127\.|localhost$|\[::1\]$)/.test(URL.canParse(url) ? new URL(url).hostname : ''))
    return undefined;
  try {
    const [row] = await dataSource.query<{ folder: string }[]>(
      "SELECT current_setting('data_directory') AS folder",
    );
    const folder = row?.folder ?? '';
    // A server behind a forwarded port has a folder of that name on another computer.
    await access(join(folder, 'postmaster.pid'));
    const { bavail, bsize } = await statfs(folder, { bigint: true });
    return bavail * bsize;
  } catch {
    // Not allowed to know the folder, or it is in a container.
    return undefined;
  }
}

/** What a rebuild takes of the disk, for people. */
export function describeRoom({ needed, free }: DiskRoom): string {
  const rest =
    free === undefined ? 'how much is free on the server is not known' : `${formatBytes(free)} are free`;
  return `the second copy takes about ${formatBytes(needed)} of disk; ${rest}`;
}
