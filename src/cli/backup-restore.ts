import { restoreKeys } from '../api/keys/stored-keys.js';
import { requireEmpty } from '../event-log/log-end.js';
import { LogWriter, type RestoredLog } from '../event-log/restore-log.js';
import { LogWalk } from '../event-log/verify-log.js';
import { UserError } from '../platform/errors.js';
import { withLock } from '../platform/locks.js';
import { type Database, inTransaction } from '../platform/sql.js';
import {
  damaged,
  endOf,
  findDifference,
  readEnds,
  readHeads,
  requireManifest,
  walkParts,
  type WholeManifest,
} from './backup-folder.js';
import { BACKUP_LOCK, type BackupOptions } from './backup-writer.js';

/** A complete backup whose files and hashes were checked. */
export interface CheckedBackup extends RestoredLog {
  readonly manifest: WholeManifest;
  /** Events after its end, which a killed run has copied. */
  readonly more: number;
}

/**
 * Checks all files, hashes and ends of a backup, without a database.
 * @throws UserError that names the first file that is missing or was changed
 */
export async function checkBackup(
  folder: string,
  { onProgress }: Pick<BackupOptions, 'onProgress'>,
): Promise<CheckedBackup> {
  const manifest = await requireManifest(folder);
  const { position, parts } = manifest;
  const walk = new LogWalk(await readEnds(folder, manifest));
  const total = parts.at(-1)?.last ?? 0;
  for await (const _ of walkParts(folder, parts, walk, BigInt(position))) onProgress(walk.events, total);
  await requireEnd(folder, manifest, walk);
  const streams = walk.tails.size;
  for await (const _ of walkParts(folder, parts, walk)) onProgress(walk.events, total);
  return { manifest, events: position, streams, more: walk.events - position };
}

/** @throws UserError unless the walk ended where the backup ends */
async function requireEnd(folder: string, manifest: WholeManifest, walk: LogWalk): Promise<void> {
  const end = endOf(manifest);
  const { position, hash, recordedAt } = walk.end;
  if (position !== end.position)
    throw damaged('backup.json', `the parts end at position ${position}, not ${end.position}`);
  if (hash !== end.hash || recordedAt !== end.recordedAt)
    throw damaged('backup.json', `its hash or time is not that of position ${position}`);
  const difference = findDifference(walk.tails, await readEnds(folder, manifest));
  if (difference !== undefined) throw damaged(manifest.streams.file, difference);
}

interface RestoredBackup extends RestoredLog {
  readonly manifest: WholeManifest;
  readonly keys: number;
}

/**
 * Writes a backup into an empty, migrated database, and checks it on the way. Each part is a transaction. Until the last of them the
 * log has no end, so that nobody can append to it or take it for a whole log.
 *
 * @throws UserError for a log that is not empty, unless an interrupted restore of this backup wrote it
 */
export function restoreBackup(
  dataSource: Database,
  folder: string,
  { signal, onProgress }: BackupOptions,
): Promise<RestoredBackup> {
  return withLock(dataSource, BACKUP_LOCK, 'the right to restore', async () => {
    const manifest = await requireManifest(folder);
    const { position, parts } = manifest;
    const kept = await begin(dataSource);
    const walk = new LogWalk(new Map());
    for (const part of parts) {
      await inTransaction(dataSource, async (query) => {
        const writer = await LogWriter.open(query);
        for await (const { row } of walkParts(folder, [part], walk, BigInt(position))) {
          signal.throwIfAborted();
          if (row.position > kept.position) await writer.add(row);
          else if (row.position === kept.position && row.hash !== kept.hash) throw otherBackup(kept);
          onProgress(walk.events, position);
        }
        await writer.flush();
      });
    }
    if (kept.position > walk.position) throw otherBackup(kept);
    await requireEnd(folder, manifest, walk);
    const keys = await inTransaction(dataSource, async (query) => {
      const writer = await LogWriter.open(query);
      for await (const head of readHeads(folder, manifest.streams)) await writer.addHead(head);
      await writer.finish(walk.end);
      return restoreKeys(query, manifest.keys);
    });
    return { manifest, events: walk.events, streams: walk.tails.size, keys };
  });
}

interface KeptEvent {
  readonly position: bigint;
  readonly hash: string;
}

/**
 * Takes the end off an empty log, which marks the restore as unfinished.
 * @returns the last event that an interrupted restore wrote; position 0 without one
 */
function begin(dataSource: Database): Promise<KeptEvent> {
  return inTransaction(dataSource, async (query) => {
    const ends = await query('SELECT FROM log_head');
    if (ends.length > 0) {
      await requireEmpty(query);
      await query('DELETE FROM log_head');
    }
    const [last] = await query<KeptEvent>(
      `SELECT position, encode(hash, 'hex') AS hash FROM event ORDER BY position DESC LIMIT 1`,
    );
    return last ?? { position: 0n, hash: '' };
  });
}

function otherBackup({ position }: KeptEvent): UserError {
  return new UserError(
    `This database has a part of another record, up to position ${position}.`,
    'Use a new database: give another --data-dir, or the address of an empty one.',
  );
}
