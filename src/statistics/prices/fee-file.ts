import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Parser } from 'csv-parse';
import type { ImportedFee } from '../../domain/events.js';
import { UserError } from '../../platform/errors.js';
import { findColumns, type FeeColumns } from './fee-columns.js';
import { readHeight, readNamespace, readTia, readTransaction, readUtia, type Cell } from './fee-cells.js';

/** A fee of the file, and the line that it stands on. */
export interface FeeLine {
  readonly line: number;
  readonly fee: ImportedFee;
}

/** A line that is no fee. */
export interface LineFault {
  readonly line: number;
  readonly problem: string;
}

/** What a file holds. */
export interface FeeFile {
  readonly fees: readonly FeeLine[];
  /** The first of them. */
  readonly faults: readonly LineFault[];
  readonly faultCount: number;
}

/** Faults that are kept to be shown. */
export const SHOWN_FAULTS = 20;

/** A quote that is never closed would take the rest of the file into one cell. */
const LARGEST_LINE_BYTES = 100_000;

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads a file of fees: a header, then a fee a line. Commas, semicolons or tabs separate, whichever the header has.
 *
 * @param file its text, or pieces of it
 * @throws UserError when it is no CSV, or its header lacks a column that is needed
 */
export async function readFeeFile(file: string | AsyncIterable<string | Uint8Array>): Promise<FeeFile> {
  const source = typeof file === 'string' ? [file] : file;
  const first = await startOf(source);
  const parser = parse({
    bom: true,
    delimiter: separatorOf(first.header),
    info: true,
    max_record_size: LARGEST_LINE_BYTES,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  // A failure of the source ends the parser too, which then tells whoever reads it.
  pipeline(Readable.from(first.pieces, { objectMode: false }), parser, () => undefined);
  try {
    return await readRecords(parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UserError(
      `The file cannot be read as CSV: ${problemOf(error)}.`,
      'Nothing was imported. Check the file, the quotes above all.',
    );
  }
}

async function readRecords(parser: Parser): Promise<FeeFile> {
  const fees: FeeLine[] = [];
  const faults: LineFault[] = [];
  let columns: FeeColumns | undefined;
  let faultCount = 0;
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    if (columns === undefined) {
      columns = findColumns(record);
      continue;
    }
    if (record.every((cell) => cell === '')) continue;
    const fee = readFee(record, columns);
    if (typeof fee === 'string') {
      faultCount += 1;
      if (faults.length < SHOWN_FAULTS) faults.push({ line: info.lines, problem: fee });
    } else fees.push({ line: info.lines, fee });
  }
  if (columns === undefined) {
    throw new UserError('The file is empty.', 'Its first line must name the columns: da_height, fee …');
  }
  return { fees, faults, faultCount };
}

/** The fee of a line, or all that is wrong with it. */
function readFee(record: readonly string[], columns: FeeColumns): ImportedFee | string {
  const cell = (index: number | undefined): string => (index === undefined ? '' : (record[index] ?? ''));
  const daHeight = readHeight(cell(columns.height));
  const namespace = readNamespace(cell(columns.namespace), cell(columns.version));
  const tx = readTransaction(cell(columns.tx));
  const fee = columns.isTia ? readTia(cell(columns.fee)) : readUtia(cell(columns.fee));
  if (isRead(daHeight) && isRead(namespace) && isRead(tx) && isRead(fee)) {
    return { daHeight: daHeight.value, namespace: namespace.value, tx: tx.value, fee: fee.value };
  }
  return [daHeight, namespace, tx, fee].flatMap((one) => (isRead(one) ? [] : [one.fault])).join('; ');
}

function isRead<T>(cell: Cell<T>): cell is { readonly value: T } {
  return 'value' in cell;
}

/** Reads until the header is whole, and gives back the file from its beginning. */
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
  for await (const piece of source) yield typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece);
}

function separatorOf(header: string): string {
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
