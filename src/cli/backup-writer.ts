import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dumpKeys } from '../api/keys/stored-keys.js';
import type { Head } from '../event-log/commit-plan.js';
import { type HeadLine, toHeadText, toTimeText } from '../event-log/log-lines.js';
import { readPage } from '../event-log/log-pages.js';
import { type Heads, LogWalk } from '../event-log/verify-log.js';
import { codeOf, UserError } from '../platform/errors.js';
import { withLock } from '../platform/locks.js';
import { selectList } from '../platform/rows/row-columns.js';
import { type Database, inTransaction } from '../platform/sql.js';
import { StreamHeadEntity } from '../tables/log.entities.js';
import {
  type BackupPart,
  endOf,
  findDifference,
  findManifest,
  type Manifest,
  NEW_BACKUP,
  readEnds,
  walkParts,
  type WholeManifest,
  writeManifest,
} from './backup-folder.js';
import { byMonth, compress, monthOf, PART_EVENTS, PartFile, type Rows } from './backup-part.js';
import { type Write, writeHashed, writing } from './output-file.js';

const PAGE_EVENTS = 1_000;
/** The state of a stream may have some hundred kilobytes. */
const PAGE_HEADS = 100;

/** "hbak" in ASCII. */
export const BACKUP_LOCK = String(0x6862616b);

export interface BackupOptions {
  readonly signal: AbortSignal;
  /** Called with the numbers of events copied, and to copy. */
  readonly onProgress: (events: number, total: number) => void;
  /** A part is full with this many events; 100,000 if left out. */
  readonly partEvents?: number;
}

/**
 * Copies what was recorded since the last run, up to the end that the log has now. What is complete stays complete: a run that is
 * killed leaves the previous end, and the next run continues after the parts that were copied.
 *
 * @param folder is created if it does not exist
 * @throws UserError if the folder cannot be written, is of another log, or another backup of the database is running
 */
export function writeBackup(
  dataSource: Database,
  folder: string,
  options: BackupOptions,
): Promise<{ readonly manifest: Manifest; readonly events: number }> {
  return withLock(dataSource, BACKUP_LOCK, 'the right to back up', async () => {
    const begun = await openFolder(folder);
    const streams = await copyStreams(dataSource, folder, begun);
    const walk = new LogWalk(streams.ends, endOf(begun), await readEnds(folder, begun));
    for await (const _ of walkParts(folder, begun.parts, walk)) options.signal.throwIfAborted();
    await requireSameEvent(dataSource, folder, walk);
    const before = walk.position;
    const parts = await copyEvents(
      dataSource,
      folder,
      { walk, manifest: begun, upTo: streams.position },
      options,
    );
    const difference = findDifference(streams.ends, walk.tails);
    if (difference !== undefined) throw otherLog(folder, difference);
    const { position, hash, recordedAt } = walk.end;
    const manifest = {
      ...begun,
      parts,
      position: Number(position),
      hash,
      recordedAt: toTimeText(recordedAt),
      streams: streams.file,
      keys: (await dumpKeys(dataSource)) as Manifest['keys'],
    };
    await writeManifest(folder, manifest);
    await removeOldStreams(folder, manifest);
    return { manifest, events: Number(position - before) };
  });
}

async function openFolder(folder: string): Promise<Manifest> {
  await writing(folder, () =>
    mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    }),
  );
  const found = await findManifest(folder);
  if (found) return found;
  const files = await writing(folder, () => readdir(folder));
  if (files.some((name) => name !== 'backup.json.part'))
    throw new UserError(
      `${folder} has files, and no backup.`,
      'Give an empty folder, or one that does not exist.',
      2,
    );
  await writeManifest(folder, NEW_BACKUP);
  return NEW_BACKUP;
}

/** Logs that have the same event at a position are the same up to there. */
async function requireSameEvent(dataSource: Database, folder: string, walk: LogWalk): Promise<void> {
  if (walk.position === 0n) return;
  const [event] = await dataSource.query<{ stream: string; hash: string }[]>(
    "SELECT stream, encode(hash, 'hex') AS hash FROM event WHERE position = $1",
    [walk.position],
  );
  if (!event || event.hash !== walk.tails.get(event.stream)?.hash)
    throw otherLog(folder, `it has ${event ? 'another' : 'no'} event at position ${walk.position}`);
}

function otherLog(folder: string, what: string): UserError {
  return new UserError(
    `The log of this database does not continue the backup in ${folder}: ${what}.`,
    'Give the folder of this database, or a new one. If the folder is right, `hindsight verify` says whether the database was changed.',
  );
}

interface CopiedStreams {
  readonly position: bigint;
  readonly ends: Heads;
  readonly file: WholeManifest['streams'];
}

/** Copies the ends of all streams and their states as of one moment. */
async function copyStreams(dataSource: Database, folder: string, manifest: Manifest): Promise<CopiedStreams> {
  return inTransaction(dataSource, async (query) => {
    await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const [end] = await query<{ position: bigint }>('SELECT position FROM log_head');
    const position = end?.position ?? 0n;
    if (position === 0n)
      throw new UserError('The log is empty: there is nothing to back up.', 'Start the service first.');
    const ends = new Map<string, Head>();
    const fill = async (write: Write): Promise<void> => {
      for (let after: string | null = ''; after !== null;) {
        const rows: HeadLine[] = await query<HeadLine>(
          `SELECT ${selectList(StreamHeadEntity, 'h', ['stream', 'version', 'hash'])}, h.state::text AS state
             FROM stream_head h WHERE stream > $1 ORDER BY stream LIMIT ${PAGE_HEADS}`,
          [after],
        );
        for (const { stream, version, hash } of rows) ends.set(stream, { version, hash });
        if (rows.length > 0) await write(await compress(rows.map(toHeadText).join('')));
        after = rows.at(-1)?.stream ?? null;
      }
    };
    const { streams } = manifest;
    if (streams && BigInt(manifest.position) === position) {
      // States change with events only, and the file of this position is part of a complete backup.
      await fill(() => Promise.resolve());
      return { position, ends, file: streams };
    }
    const file = `streams-${position}.ndjson.gz`;
    return {
      position,
      ends,
      file: { file, ...(await writeHashed(join(folder, file), fill, { isPrivate: true })) },
    };
  });
}

interface CopyPlan {
  readonly walk: LogWalk;
  readonly manifest: Manifest;
  readonly upTo: bigint;
}

/** @returns all parts of the backup */
async function copyEvents(
  dataSource: Database,
  folder: string,
  { walk, manifest, upTo }: CopyPlan,
  { signal, onProgress, partEvents = PART_EVENTS }: BackupOptions,
): Promise<BackupPart[]> {
  const parts = [...manifest.parts];
  const before = walk.position;
  let part: PartFile | undefined;
  const finish = async (): Promise<void> => {
    if (!part) return;
    const done = await part.finish();
    part = undefined;
    if (parts.at(-1)?.file === done.file) parts.pop();
    parts.push(done);
    await writeManifest(folder, { ...manifest, parts });
  };
  try {
    while (walk.position < upTo) {
      signal.throwIfAborted();
      for (const rows of byMonth(await readNext(dataSource, walk, upTo))) {
        if (part?.isFull(partEvents) === true || part?.month !== monthOf(rows[0])) await finish();
        for (const row of rows) {
          const fault = walk.check(row);
          if (fault) throw otherLog(folder, `position ${fault.position} (${fault.stream}): ${fault.what}`);
        }
        part ??= await PartFile.open(folder, rows[0], parts.at(-1), partEvents);
        await part.add(rows);
      }
      onProgress(Number(walk.position - before), Number(upTo - before));
    }
    await finish();
    return parts;
  } finally {
    await part?.close();
  }
}

async function readNext(dataSource: Database, { position }: LogWalk, upTo: bigint): Promise<Rows> {
  const selection = {
    where: 'position > $1 AND position <= $2',
    parameters: [position, upTo],
    key: 'position',
    direction: 'ASC',
  } as const;
  const [first, ...rest] = (await readPage(dataSource, selection, PAGE_EVENTS)).rows;
  if (first) return [first, ...rest];
  throw new UserError(
    `The log of this database ends at position ${position}, but it had ${upTo} events.`,
    'Run `hindsight verify`: it says what is missing.',
  );
}

async function removeOldStreams(folder: string, { streams }: WholeManifest): Promise<void> {
  for (const name of await readdir(folder))
    if (/^streams-\d+\.ndjson\.gz(\.part)?$/.test(name) && name !== streams.file)
      await rm(join(folder, name));
}
