import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { toLogText, toTimeText } from '../event-log/log-lines.js';
import type { LogRow } from '../event-log/logged-event.js';
import { type BackupPart, requireUnchanged } from './backup-folder.js';
import { writing } from './output-file.js';

/** A part is full with this many events, or compressed bytes. */
export const PART_EVENTS = 100_000;
const PART_BYTES = 16_000_000;

/** 0 on systems without this flag. */
const NO_LINKS = constants.O_NOFOLLOW ?? 0;

export const compress = promisify(gzip);

export type Rows = readonly [LogRow, ...LogRow[]];

/** Runs of events that were recorded in one month. */
export function byMonth([first, ...rest]: Rows): Rows[] {
  const runs: [LogRow, ...LogRow[]][] = [[first]];
  for (const row of rest) {
    const run = runs.at(-1);
    if (run && monthOf(run[0]) === monthOf(row)) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

export function monthOf({ recordedAt }: LogRow): string {
  return toTimeText(recordedAt).slice(0, 'YYYY-MM'.length);
}

/** A part that is being written. Events are only added at its end, so its first bytes stay as the manifest describes them. */
export class PartFile {
  private constructor(
    readonly month: string,
    private readonly path: string,
    private readonly handle: FileHandle,
    private readonly hash: Hash,
    private part: Omit<BackupPart, 'sha256'>,
  ) {}

  /** Opens the last part if it is of the same month and not full, else a new one. */
  static async open(
    folder: string,
    row: LogRow,
    last: BackupPart | undefined,
    most: number,
  ): Promise<PartFile> {
    const month = monthOf(row);
    const isOpen = last?.file.startsWith(month) === true && !isFull(last, most);
    const hash = isOpen ? await requireUnchanged(folder, last) : createHash('sha256');
    const first = Number(row.position);
    const part = isOpen
      ? last
      : { file: `${month}.${String(first).padStart(12, '0')}.ndjson.gz`, bytes: 0, first, last: first };
    const path = join(folder, part.file);
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | NO_LINKS;
    const handle = await writing(path, () => open(path, flags, 0o600));
    await writing(path, () => handle.truncate(part.bytes));
    return new PartFile(month, path, handle, hash, part);
  }

  isFull(most: number): boolean {
    return isFull(this.part, most);
  }

  async add(rows: Rows): Promise<void> {
    // Gzip allows several members in a file, so that members of another run can follow.
    const bytes = await compress(rows.map(toLogText).join(''));
    await writing(this.path, () => this.handle.writeFile(bytes));
    this.hash.update(bytes);
    const last = Number(rows.at(-1)?.position);
    this.part = { ...this.part, bytes: this.part.bytes + bytes.length, last };
  }

  async finish(): Promise<BackupPart> {
    await writing(this.path, () => this.handle.sync());
    await this.close();
    return { ...this.part, sha256: this.hash.digest('hex') };
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

function isFull({ first, last, bytes }: Omit<BackupPart, 'sha256'>, most: number): boolean {
  return last - first + 1 >= most || bytes >= PART_BYTES;
}
