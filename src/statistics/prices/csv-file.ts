import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Parser } from 'csv-parse';
import type { UserError } from '../../platform/errors.js';
import { toUtf8 } from './to-utf8.js';

export interface BadLine {
  readonly line: number;
  readonly problem: string;
}

/** The rows of a file, and its lines that are no rows. */
export interface CsvFile<Row> {
  readonly rows: readonly Row[];
  /** The first {@link SHOWN_FAULTS} faults. */
  readonly faults: readonly BadLine[];
  readonly faultCount: number;
}

/** A kind of file: its columns and the parsers of its rows. */
export interface CsvKind<Row> {
  readonly mostRows: number;
  /** The column for each name in the header; false for names that are not read. @throws UserError if a column is missing */
  readonly nameColumns: (header: readonly string[]) => (string | false)[];
  /**
   * The row of a line, or everything that is wrong with it, or undefined if it sets nothing. Lines whose read columns are all
   * empty, such as lines with only a note, are skipped before.
   */
  readonly read: (record: CsvRecord, place: CsvPlace) => Row | string | undefined;
  /** The error for a file that is not imported. */
  readonly refuse: Refuse;
}

/** The texts of a line by column, without the columns that the file lacks. Columns that the line lacks are empty. */
export type CsvRecord = Readonly<Record<string, string | undefined>>;

interface CsvPlace {
  readonly line: number;
  /** Whether decimals may follow a comma: only if it does not separate columns. */
  readonly hasDecimalCommas: boolean;
}

type Refuse = (problem: string, remedy: string) => UserError;

export const SHOWN_FAULTS = 20;

/** Bounds the texts of a record: a quote that is never closed would put the rest of the file into one field. */
const LARGEST_LINE_BYTES = 100_000;

/** Bounds a record with its separators, for each of which the parser keeps a field that it does not count. */
const LARGEST_RECORD_BYTES = 1_000_000;

/** Smaller than a record may be, so that a larger piece is not taken for a record. */
const PIECE_BYTES = 65_536;

const SEPARATORS = [',', ';', '\t'];

/**
 * Finds each column by the first of its names that the header has, ignoring case; for {@link CsvKind.nameColumns}.
 * @throws UserError if a column occurs twice
 */
export function matchColumns(
  header: readonly string[],
  columns: Readonly<Record<string, readonly string[]>>,
  refuse: Refuse,
): (string | false)[] {
  const names = header.map((name) =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, ''),
  );
  const found = names.map((): string | false => false);
  for (const [column, wanted] of Object.entries(columns)) {
    const name = wanted.find((candidate) => names.includes(candidate));
    if (name === undefined) continue;
    if (names.indexOf(name) !== names.lastIndexOf(name))
      throw refuse(`The file has two columns called ${name}.`, 'Leave one out.');
    found[names.indexOf(name)] = column;
  }
  return found;
}

/**
 * Reads a CSV file: a header, then a row per line. The separator is a comma, semicolon or tab, whichever the header has, or a line
 * `sep=;` before it. The text is UTF-8, or UTF-16 with a byte order mark, as spreadsheets save it.
 *
 * @param file its text, or pieces of it
 * @throws UserError if the file is not CSV, its header lacks a required column, or a line or the file is too large
 */
export async function readCsvFile<Row>(
  file: string | AsyncIterable<string | Uint8Array>,
  kind: CsvKind<Row>,
): Promise<CsvFile<Row>> {
  const { lines, pieces } = await startOf(typeof file === 'string' ? [file] : file);
  if (lines.some((line) => line.includes('\0'))) {
    throw unreadable(kind.refuse, 'it is not text', 'Save it as CSV in UTF-8.');
  }
  // Excel writes and reads a first line that names the separator.
  const [, named] = /^\uFEFF?"?sep=([,;\t])"?$/i.exec(lines[0] ?? '') ?? [];
  const delimiter = named ?? separatorOf(lines[0] ?? '');
  const parser = parse({
    bom: true,
    delimiter,
    from_line: named === undefined ? 1 : 2,
    info: true,
    max_record_size: LARGEST_LINE_BYTES,
    // Joined files may mix line ends. Without the list, the first line end decides, and other lines would be one record.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  // A failure of the source also ends the parser, which passes the error to its reader.
  const bounded = boundRecords(pieces, parser, kind.refuse);
  pipeline(Readable.from(bounded, { objectMode: false }), parser, () => undefined);
  try {
    const read = await readRecords(parser, delimiter !== ',', kind);
    if (read !== undefined) return read;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw unreadable(kind.refuse, error.message, 'Check the file, above all its quotes.');
  }
  throw kind.refuse('The file is empty.', 'Its first line must name the columns.');
}

interface ParsedLine {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

interface ReadColumn {
  readonly name: string;
  readonly index: number;
}

/** @returns undefined if the file has no header */
async function readRecords<Row>(
  parser: Parser,
  hasDecimalCommas: boolean,
  { mostRows, nameColumns, read, refuse }: CsvKind<Row>,
): Promise<CsvFile<Row> | undefined> {
  let header: readonly string[] | undefined;
  let columns: readonly ReadColumn[] = [];
  const rows: Row[] = [];
  const faults: BadLine[] = [];
  let faultCount = 0;
  for await (const { record: fields, info } of parser as AsyncIterable<ParsedLine>) {
    if (header === undefined) {
      header = fields;
      columns = nameColumns(header).flatMap((name, index) => (name ? [{ name, index }] : []));
      continue;
    }
    const { lines: line } = info;
    if (setsNothing(fields, columns)) continue;
    const row = hasMore(fields, header.length)
      ? `has more fields than the header, which has ${header.length}`
      : read(toRecord(fields, columns), { line, hasDecimalCommas });
    if (typeof row === 'string') {
      faultCount += 1;
      if (faults.length < SHOWN_FAULTS) faults.push({ line, problem: row });
    } else if (row !== undefined && rows.length === mostRows) {
      const problem = `the file has more than ${mostRows} rows (line ${line})`;
      throw unreadable(refuse, problem, 'Import it in parts, each with the header.');
    } else if (row !== undefined) rows.push(row);
  }
  return header && { rows, faults, faultCount };
}

/** Whether the line has every column that is read, all of them empty. A line that was cut off lacks some. */
function setsNothing(fields: readonly string[], columns: readonly ReadColumn[]): boolean {
  return columns.every(({ index }) => fields[index] === '') || fields.every((field) => field === '');
}

/** A separator inside an amount, such as `1,000`, adds a field to the line. */
function hasMore(fields: readonly string[], count: number): boolean {
  return fields.length > count && fields.slice(count).some((field) => field !== '');
}

function toRecord(fields: readonly string[], columns: readonly ReadColumn[]): CsvRecord {
  return Object.fromEntries(columns.map(({ name, index }) => [name, fields[index] ?? '']));
}

/** Passes the pieces on unchanged, as long as records end. */
async function* boundRecords(
  pieces: AsyncIterable<Buffer>,
  { info }: Parser,
  refuse: Refuse,
): AsyncGenerator<Buffer> {
  let [ended, unended] = [0, 0];
  for await (const piece of pieces) {
    const known = info.records + info.empty_lines;
    unended = known === ended ? unended + piece.length : 0;
    ended = known;
    if (unended > LARGEST_RECORD_BYTES) {
      const problem = `more than ${LARGEST_RECORD_BYTES} bytes are one record (line ${info.lines})`;
      throw unreadable(refuse, problem, 'Check its line ends and quotes.');
    }
    yield piece;
  }
}

/** Reads until the first line is complete; `pieces` is the file from its beginning. */
async function startOf(
  source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<{ lines: string[]; pieces: AsyncIterable<Buffer> }> {
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
  return { lines: start.toString('utf8').split(/\r?\n|\r/), pieces: pieces() };
}

async function* toBuffers(
  source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Buffer> {
  for await (const bytes of toUtf8(source)) {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES)
      yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

/** The separator that occurs most often in the header. */
function separatorOf(header: string): string {
  const counts = SEPARATORS.map((separator) => ({ separator, count: header.split(separator).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.separator ?? ',';
}

function unreadable(refuse: Refuse, problem: string, remedy: string): UserError {
  return refuse(`The file cannot be read as CSV: ${problem}.`, remedy);
}
