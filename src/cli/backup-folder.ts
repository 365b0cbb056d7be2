import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { FIRST_HASH } from '../domain/hash-chain.js';
import { nanosToMicros, parseTime } from '../domain/time.js';
import type { Head } from '../event-log/commit-plan.js';
import {
  type HeadLine,
  type LogFile,
  type LogLine,
  readHeadLines,
  readLogLines,
} from '../event-log/log-lines.js';
import type { Heads, LogEnd, LogWalk } from '../event-log/verify-log.js';
import { codeOf, reasonOf, UserError } from '../platform/errors.js';
import { OutputFile } from './output-file.js';

const MANIFEST = 'backup.json';
const FORMAT = 1;

const COUNT = z.int().min(1);
const HASH = z.string().regex(/^[0-9a-f]{64}$/);
/** A file may have more bytes: those that a killed run wrote. Only the first `bytes` belong to the backup. */
const FILE = z.object({
  file: z.string().regex(/^(\d{4}-\d\d\.|streams-)\d+\.ndjson\.gz$/),
  bytes: COUNT,
  sha256: HASH,
});
const PART = FILE.extend({ first: COUNT, last: COUNT });
const BACKUP = z.object({
  about: z.string(),
  format: z.literal(FORMAT),
  position: z.int().min(0),
  hash: HASH,
  recordedAt: z.string().nullable(),
  streams: FILE.nullable(),
  keys: z.array(z.record(z.string(), z.unknown())),
  parts: z.array(PART),
});

type BackupFile = z.infer<typeof FILE>;
export type BackupPart = z.infer<typeof PART>;

/**
 * The content of `backup.json`. The backup ends at `position`, where `streams` has the ends of all streams. Parts beyond it were
 * copied by a run that was killed.
 */
export type Manifest = z.infer<typeof BACKUP>;

/** A manifest of a run that was completed. */
export type WholeManifest = Manifest & { readonly streams: BackupFile };

export const NEW_BACKUP: Manifest = {
  about:
    'Event log of Hindsight. `hindsight verify --backup DIR` checks this folder, `hindsight restore DIR` writes it into an empty database. ' +
    'Each part is gzip of NDJSON, an event per line in the order of positions; `streams` has the end of each stream and the state of its observer. ' +
    'sha256 is that of the first `bytes` bytes of a file. `hash` is SHA-256 over the hash at the previous position and the hash of the event, from 32 zero bytes on.',
  format: FORMAT,
  position: 0,
  hash: FIRST_HASH,
  recordedAt: null,
  streams: null,
  keys: [],
  parts: [],
};

/** @returns undefined if the folder has no backup */
export async function findManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UserError(`Cannot read ${path}: ${reasonOf(error)}.`, 'Check the name of the folder.', 2, {
      cause: error,
    });
  }
  const json = parseJson(text);
  const { format } = z.looseObject({ format: z.number() }).catch({ format: FORMAT }).parse(json);
  if (format > FORMAT) {
    throw new UserError(
      `${path} is of a newer release: it has format ${format}, and this release knows ${FORMAT}.`,
      'Use the release that wrote it, or a newer one.',
    );
  }
  const read = BACKUP.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw damaged(MANIFEST, `${issue?.path.join('.')} ${issue?.message}`.trim());
}

/** @throws UserError unless a backup into the folder was completed */
export async function requireManifest(folder: string): Promise<WholeManifest> {
  const manifest = await findManifest(folder);
  if (!manifest)
    throw new UserError(
      `There is no backup in ${folder}: it has no ${MANIFEST}.`,
      'Check the name of the folder.',
      2,
    );
  const { streams, parts } = manifest;
  if (streams) return { ...manifest, streams };
  throw new UserError(
    `No backup into ${folder} was completed: ${parts.at(-1)?.last ?? 0} events were copied.`,
    'Run `hindsight backup DIR` again: it continues.',
  );
}

/** Replaces the manifest at once, after everything that it names is on the disk. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const file = await OutputFile.create(join(folder, MANIFEST), { isPrivate: true });
  await file.write(`${JSON.stringify(manifest, undefined, 1)}\n`);
  await syncFolder(folder);
  await file.commit();
  await syncFolder(folder);
}

/** Until then, names of files may be lost with the power. Some file systems cannot do it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

export function endOf({ position, hash, recordedAt }: Manifest): LogEnd {
  const time = recordedAt === null ? 0n : parseTime(recordedAt);
  if (time === undefined) throw damaged(MANIFEST, 'recordedAt is not a time');
  return { position: BigInt(position), hash, recordedAt: nanosToMicros(time) };
}

/** The ends of the streams, without the states of their observers. */
export async function readEnds(folder: string, { streams }: Manifest): Promise<Heads> {
  const heads = new Map<string, Head>();
  if (!streams) return heads;
  for await (const { stream, version, hash } of readHeads(folder, streams))
    heads.set(stream, { version, hash });
  return heads;
}

export async function* readHeads(folder: string, streams: BackupFile): AsyncGenerator<HeadLine> {
  await requireUnchanged(folder, streams);
  yield* readHeadLines(toLogFile(folder, streams));
}

/**
 * The events of the parts after the position of the walk, which checks each of them.
 * @param upTo the last position
 * @throws UserError that names the file that is missing or was changed
 */
export async function* walkParts(
  folder: string,
  parts: readonly BackupPart[],
  walk: LogWalk,
  upTo = BigInt(parts.at(-1)?.last ?? 0),
): AsyncGenerator<LogLine> {
  for (const part of parts) {
    if (BigInt(part.last) <= walk.position) continue;
    if (walk.position >= upTo) return;
    await requireUnchanged(folder, part);
    for await (const line of readLogLines([toLogFile(folder, part)])) {
      if (line.row.position <= walk.position) continue;
      if (walk.position === upTo) return;
      const fault = walk.check(line.row);
      if (fault) throw damaged(line.place, `position ${fault.position} (${fault.stream}): ${fault.what}`);
      yield line;
    }
    if (walk.position < BigInt(part.last))
      throw damaged(part.file, `it lacks position ${walk.position + 1n}`);
  }
}

function toLogFile(folder: string, { file, bytes }: BackupFile): LogFile {
  const pieces = createGunzip();
  pipeline(createReadStream(join(folder, file), { end: bytes - 1 }), pieces, () => undefined);
  return { name: file, pieces };
}

/**
 * Reads a whole file.
 * @returns the hash of its bytes, not yet finished
 * @throws UserError that names the file, if it is missing or differs from the manifest
 */
export async function requireUnchanged(folder: string, { file, bytes, sha256 }: BackupFile): Promise<Hash> {
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(join(folder, file), { end: bytes - 1 }))
      hash.update(piece as Buffer);
  } catch (error) {
    throw damaged(file, reasonOf(error), error);
  }
  if (hash.copy().digest('hex') !== sha256) throw damaged(file, `its SHA-256 is not the one of ${MANIFEST}`);
  return hash;
}

export function damaged(file: string, what: string, cause?: unknown): UserError {
  return new UserError(
    `The backup is damaged: ${file}: ${what}.`,
    'Use another copy of it, or make a new backup in another folder.',
    1,
    { cause },
  );
}

/** States where a backup ends, for people to keep. */
export function printEnd({ position, hash, recordedAt }: Manifest): string {
  return `They end at position ${position}, recorded at ${recordedAt}.\nHash of the log there: ${hash}\n`;
}

/** Whether a stream ends elsewhere. @returns what differs, in words; undefined if all streams are equal */
export function findDifference(ends: Heads, expected: Heads): string | undefined {
  for (const stream of new Set([...ends.keys(), ...expected.keys()])) {
    const [end, other] = [ends.get(stream), expected.get(stream)];
    if (end?.version !== other?.version || end?.hash !== other?.hash)
      return `${stream} ends at version ${end?.version ?? 0n}, not at ${other?.version ?? 0n} with the same hash`;
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
