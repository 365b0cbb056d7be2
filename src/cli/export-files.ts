import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { callbackify } from 'node:util';
import type { ExportFile, Exports, ExportWish } from '../api/export/exports.js';
import { messageOf, UserError } from '../platform/errors.js';
import { OutputFile } from './output-file.js';
import { print } from './outputs.js';
import { createProgress, type Progress } from './progress.js';

/** Rows between two points from which an interrupted file can be continued. */
const PART_ROWS = 100_000;
const LINE_END = 0x0a;

/**
 * Writes an export to a file, or to standard output.
 *
 * @param out its name ends in `.part` until the file is complete
 * @param signal stops the export
 * @throws UserError that says how to continue, if a part of a file was written
 */
export async function writeExport(
  exports: Exports,
  wish: ExportWish,
  out: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const meter = new Meter(wish.format === 'parquet' ? 'BYTES' : 'LINES', await exports.estimateRows(wish));
  const writeTo =
    (take: Take): Write =>
    (file) =>
      pipeline(file.stream, meter.into(take), { signal });
  let next: string | undefined;
  if (out === undefined) {
    const file = await exports.open(wish);
    next = file.next;
    await writeTo(print)(file);
  } else {
    const isInParts = wish.format !== 'parquet';
    const file = await OutputFile.create(out, { continues: isInParts && wish.given['cursor'] !== undefined });
    const write = writeTo((bytes) => file.write(bytes));
    next = await (isInParts ? writeParts : writeAtOnce)(exports, wish, file, write, signal);
    await file.commit();
  }
  meter.end();
  if (next !== undefined) process.stderr.write(`There are more rows: continue with --cursor ${next}\n`);
}

type Take = (bytes: Buffer) => Promise<void>;
type Write = (file: ExportFile) => Promise<void>;

/** @returns the cursor after the limit */
async function writeAtOnce(
  exports: Exports,
  wish: ExportWish,
  out: OutputFile,
  write: Write,
): Promise<string | undefined> {
  try {
    const file = await exports.open(wish);
    await write(file);
    return file.next;
  } catch (error) {
    await out.giveUp();
    throw error;
  }
}

/** Writes complete parts, one after the other. @returns the cursor after the limit */
async function writeParts(
  exports: Exports,
  wish: ExportWish,
  out: OutputFile,
  write: Write,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { limit, cursor: first, ...filter } = wish.given;
  let left = limit === undefined ? Infinity : Number(limit);
  let cursor = first;
  do {
    const given = {
      ...filter,
      limit: String(Math.min(left, PART_ROWS)),
      ...(cursor !== undefined && { cursor }),
    };
    try {
      const file = await exports.open({ ...wish, given, hasHeader: out.isEmpty });
      await write(file);
      cursor = file.next;
      await out.mark();
    } catch (error) {
      await out.giveUp();
      if (out.isEmpty) throw error;
      const remedy = `The complete rows are in ${out.draft}; continue with --cursor ${String(cursor)}`;
      if (signal.aborted) process.stderr.write(`${remedy}\n`);
      throw new UserError(`${out.path} is incomplete: ${messageOf(error)}`, remedy, 1, { cause: error });
    }
    left -= PART_ROWS;
  } while (cursor !== undefined && left > 0);
  return cursor;
}

/** Shows the progress of a file on a terminal. */
class Meter {
  private readonly progress: Progress = createProgress();
  private readonly startedAt = performance.now();
  private shownAt = 0;
  private bytes = 0;
  private lines = 0;

  /** @param expected approximate number of rows; undefined if unknown */
  constructor(
    private readonly counts: 'LINES' | 'BYTES',
    private readonly expected: number | undefined,
  ) {}

  /** Counts bytes, and passes them on piece by piece. */
  into(take: Take): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.count(chunk);
        callbackify(take)(chunk, done);
      },
    });
  }

  end(): void {
    this.progress.end();
  }

  private count(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.counts === 'LINES') this.lines += countLines(chunk);
    const now = performance.now();
    if (now - this.shownAt < 200) return;
    this.shownAt = now;
    this.progress.show(
      describeProgress(this.lines, this.bytes, (now - this.startedAt) / 1_000, this.expected),
    );
  }
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}

/** `1,200,000 rows, 48,000 a second, 210 MB; about 3 min left` */
function describeProgress(
  rows: number,
  bytes: number,
  seconds: number,
  expected: number | undefined,
): string {
  const count = (number: number): string => Math.round(number).toLocaleString('en-US');
  const size = `${count(bytes / 1_000_000)} MB`;
  if (rows === 0) return size;
  const done = `${count(rows)} rows, ${count(rows / seconds)} a second, ${size}`;
  if (expected === undefined || expected <= rows) return done;
  const left = ((expected - rows) * seconds) / rows;
  return `${done}; about ${left < 90 ? `${count(left)} s` : `${count(left / 60)} min`} left`;
}
