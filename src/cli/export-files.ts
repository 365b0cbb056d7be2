import { stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { callbackify } from 'node:util';
import type { ExportFile, Exports, ExportRequest } from '../api/export/exports.js';
import { formatBytes } from '../platform/bytes.js';
import { messageOf, UserError } from '../platform/errors.js';
import { OutputFile } from './output-file.js';
import { print } from './outputs.js';
import { type Progress, withProgress } from './progress.js';

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
  request: ExportRequest,
  out: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const expected = await exports.estimateRows(request);
  const isInParts = request.format !== 'parquet';
  const next = await withProgress(request.name, isInParts ? 'rows' : 'MB', async (progress) => {
    // On a terminal, the rows themselves are the progress.
    const isShown = out === undefined && process.stdout.isTTY;
    const meter = isShown ? () => undefined : isInParts ? rowMeter(progress, expected) : byteMeter(progress);
    if (!isShown) progress.show(`${request.name}: reading`);
    const writeTo =
      (take: Take): Write =>
      (file) =>
        pipeline(file.stream, meteredBy(meter, take), { signal });
    if (out === undefined) {
      const file = await exports.open(request);
      await writeTo(print)(file);
      return file.next;
    }
    const file = await OutputFile.create(out, {
      continues: isInParts && request.given['cursor'] !== undefined,
    });
    const write = writeTo((bytes) => file.write(bytes));
    const cursor = await (isInParts ? writeParts : writeAtOnce)(exports, request, file, write, signal);
    await file.commit();
    return cursor;
  });
  if (out !== undefined) {
    const { size } = await stat(out, { bigint: true });
    process.stdout.write(`${formatBytes(size)} are in ${out}.\n`);
  }
  if (next !== undefined) process.stderr.write(`There are more rows: continue with --cursor ${next}\n`);
}

type Take = (bytes: Buffer) => Promise<void>;
type Write = (file: ExportFile) => Promise<void>;

/** @returns the cursor after the limit */
async function writeAtOnce(
  exports: Exports,
  request: ExportRequest,
  out: OutputFile,
  write: Write,
): Promise<string | undefined> {
  try {
    const file = await exports.open(request);
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
  request: ExportRequest,
  out: OutputFile,
  write: Write,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { limit, cursor: first, ...filter } = request.given;
  let left = limit === undefined ? Infinity : Number(limit);
  let cursor = first;
  let isFirst = true;
  do {
    const given = {
      ...filter,
      limit: String(Math.min(left, PART_ROWS)),
      ...(cursor !== undefined && { cursor }),
    };
    try {
      const file = await exports.open({ ...request, given, hasHeader: isFirst && out.isEmpty });
      await write(file);
      cursor = file.next;
      await out.mark();
      isFirst = false;
    } catch (error) {
      await out.giveUp();
      if (isFirst && out.isEmpty) throw error;
      const remedy = `The complete rows are in ${out.draft}; continue with --cursor ${String(cursor)}`;
      if (signal.aborted) process.stderr.write(`${remedy}\n`);
      throw new UserError(`${out.path} is incomplete: ${messageOf(error)}`, remedy, 1, { cause: error });
    }
    left -= PART_ROWS;
  } while (cursor !== undefined && left > 0);
  return cursor;
}

type Meter = (chunk: Buffer) => void;

/** Counts pieces, and passes them on. */
function meteredBy(meter: Meter, take: Take): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      meter(chunk);
      callbackify(take)(chunk, done);
    },
  });
}

function byteMeter(progress: Progress): Meter {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    progress.count(bytes / 1_000_000);
  };
}

/** @param expected approximate number of rows; undefined if unknown */
function rowMeter(progress: Progress, expected = 0): Meter {
  let [rows, bytes] = [0, 0];
  return (chunk) => {
    bytes += chunk.length;
    rows += countLines(chunk);
    progress.count(rows, expected > rows ? expected : undefined, formatBytes(BigInt(bytes)));
  };
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}
