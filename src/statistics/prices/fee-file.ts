import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Parser } from 'csv-parse';
import type { ImportedFee } from '../../domain/events.js';
import { UserError } from '../../platform/errors.js';
import { findColumns, type FeeColumns } from './fee-columns.js';
import { readHeight, readNamespace, readTia, readTransaction, readUtia, type Field } from './fee-fields.js';

/** A fee of the file, with its line number. */
export interface FeeLine {
  readonly line: number;
  readonly fee: ImportedFee;
}

export interface LineFault {
  readonly line: number;
  readonly problem: string;
}

export interface FeeFile {
  readonly fees: readonly FeeLine[];
  /** The first {@link SHOWN_FAULTS} faults. */
  readonly faults: readonly LineFault[];
  readonly faultCount: number;
}

export const SHOWN_FAULTS = 20;

/** Bounds a line, and the texts of a record: a quote that is never closed would put the rest of the file into one field. */
const LARGEST_LINE_BYTES = 100_000;

/** Bounds a record, whose quoted fields may span many lines. It counts separators, which the parser does not. */
const LARGEST_RECORD_BYTES = 1_000_000;

const MOST_COLUMNS = 1_000;

const PIECE_BYTES = 65_536;

/** About 500 bytes of memory each. */
const MOST_FEES = 4_000_000;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads a file of fees: a header, then one fee per line. The separator is a comma, semicolon or tab, whichever the header has;
 * if it is not a comma, decimals may follow a comma.
 *
 * @param file its text, or pieces of it
 * @throws UserError if the file is not CSV, its header lacks a required column, or a line or the file is too large
 */
export async function readFeeFile(file: string | AsyncIterable<string | Uint8Array>): Promise<FeeFile> {
  const source = typeof file === 'string' ? [file] : file;
  const first = await startOf(source);
  const delimiter = separatorOf(first.header);
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: LARGEST_LINE_BYTES,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  // A failure of the source also ends the parser, which passes the error to its reader.
  pipeline(Readable.from(bounded(first.pieces, parser), { objectMode: false }), parser, () => undefined);
  try {
    return await readRecords(parser, delimiter !== ',');
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UserError(
      `The file cannot be read as CSV: ${problemOf(error)}.`,
      'Nothing was imported. Check the file, above all its quotes.',
    );
  }
}

/** @param hasCommas whether decimals may follow a comma */
async function readRecords(parser: Parser, hasCommas: boolean): Promise<FeeFile> {
  const fees: FeeLine[] = [];
  const faults: LineFault[] = [];
  let columns: FeeColumns | undefined;
  let faultCount = 0;
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    if (record.length > MOST_COLUMNS) {
      throw tooMuch(
        `a line has more than ${MOST_COLUMNS} columns`,
        info.lines,
        'Check that the file is a table.',
      );
    }
    if (columns === undefined) {
      columns = findColumns(record);
      continue;
    }
    if (record.every((field) => field === '')) continue;
    const fee = readFee(record, columns, hasCommas);
    if (typeof fee === 'string') {
      faultCount += 1;
      if (faults.length < SHOWN_FAULTS) faults.push({ line: info.lines, problem: fee });
    } else if (fees.length === MOST_FEES) {
      throw tooMuch(
        `the file has more than ${MOST_FEES} fees`,
        info.lines,
        'Import it in parts, each with the header.',
      );
    } else fees.push({ line: info.lines, fee });
  }
  if (columns === undefined) {
    throw new UserError('The file is empty.', 'Its first line must name the columns: da_height, fee …');
  }
  return { fees, faults, faultCount };
}

/** The fee of a line, or everything that is wrong with it. */
function readFee(record: readonly string[], columns: FeeColumns, hasCommas: boolean): ImportedFee | string {
  const field = (index: number | undefined): string => (index === undefined ? '' : (record[index] ?? ''));
  const daHeight = readHeight(field(columns.height));
  const namespace = readNamespace(field(columns.namespace), field(columns.version));
  const tx = readTransaction(field(columns.tx));
  const amount = hasCommas ? withPoint(field(columns.fee), columns.isTia) : field(columns.fee);
  const fee = columns.isTia ? readTia(amount) : readUtia(amount);
  if (isRead(daHeight) && isRead(namespace) && isRead(tx) && isRead(fee)) {
    return { daHeight: daHeight.value, namespace: namespace.value, tx: tx.value, fee: fee.value };
  }
  return [daHeight, namespace, tx, fee].flatMap((one) => (isRead(one) ? [] : [one.fault])).join('; ');
}

/**
 * Replaces the comma of `0,000761` by a point. In a whole number, three digits after a comma may be thousands, so the comma
 * stays and becomes a fault.
 */
function withPoint(amount: string, isTia: boolean): string {
  const decimal = isTia ? /^(\d+),(\d+)/ : /^(\d+),(0{1,2})(?!\d)/;
  return amount.replace(decimal, '$1.$2');
}

function isRead<T>(field: Field<T>): field is { readonly value: T } {
  return 'value' in field;
}

/**
 * Passes the pieces on unchanged, as long as lines and records end. The parser bounds only the texts of a record, but keeps a
 * field for each separator.
 */
async function* bounded(pieces: AsyncIterable<Buffer>, { info }: Parser): AsyncGenerator<Buffer> {
  let [line, length, before] = [1, 0, 0];
  let [ended, unended] = [0, 0];
  for await (const piece of pieces) {
    for (const byte of piece) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        if (byte === CARRIAGE_RETURN || before !== CARRIAGE_RETURN) line += 1;
        length = 0;
      } else if ((length += 1) > LARGEST_LINE_BYTES) {
        throw tooMuch(`more than ${LARGEST_LINE_BYTES} bytes are one line`, line, 'Check its line ends.');
      }
      before = byte;
    }
    const known = info.records + info.empty_lines;
    unended = known === ended ? unended + piece.length : 0;
    ended = known;
    if (unended > LARGEST_RECORD_BYTES) {
      throw tooMuch(`more than ${LARGEST_RECORD_BYTES} bytes are one record`, line, 'Check its quotes.');
    }
    yield piece;
  }
}

function tooMuch(what: string, line: number, remedy: string): UserError {
  return new UserError(
    `The file cannot be read as CSV: ${what} (line ${line}).`,
    `Nothing was imported. ${remedy}`,
  );
}

/** Reads until the header is complete; `pieces` is the file from its beginning. */
async function startOf(
  source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<{ header: string; pieces: AsyncIterable<Buffer> }> {
  const iterator = toBuffers(source);
  let start = Buffer.alloc(0);
  while (!start.includes('\n') && start.length < LARGEST_LINE_BYTES) {
    const next = await iterator.next();
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  async function* pieces(): AsyncGenerator<Buffer> {
    yield start;
    yield* iterator;
  }
  return { header: start.toString('utf8').split(/\r?\n|\r/)[0] ?? '', pieces: pieces() };
}

async function* toBuffers(
  source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    const bytes = Buffer.from(piece);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      yield bytes.subarray(start, start + PIECE_BYTES);
    }
  }
}

/** The separator that occurs most often in the header. */
export function separatorOf(header: string): string {
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: header.split(separator).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.separator ?? ',';
}

function problemOf(error: CsvError): string {
  const line = 'lines' in error ? ` on line ${String(error['lines'])}` : '';
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `a quote is never closed${line}`;
    case 'CSV_MAX_RECORD_SIZE':
      return `more than ${LARGEST_LINE_BYTES} bytes are one line${line}`;
    default:
      return error.message.replace(/\.$/, '');
  }
}
