import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { ReadRequest } from '../../platform/reads/read-request.js';
import { requireKnownNames } from '../../statistics/read/known-names.query.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { Nanos } from '../../domain/time.js';
import { ApiError, badUserInput } from '../errors.js';
import { copyStatement } from './copy-text.js';
import { readCopiedRows } from './copied-rows.js';
import type { CellValue, ExportColumn, ExportFormat } from './export-column.js';
import { ExportReaders } from './export-readers.js';
import type { ExportTable, OpenedRows, ExportPageRequest } from './export-table.js';
import { toParquet } from './parquet-file.js';
import { nameOfQuestion } from '../graphql/keyed-list.js';
import { quote } from '../graphql/scalars.js';
import { toPieces } from '../http/pieces.js';
import { PAGING, type Parameters, readParameters, suggest } from './parameters.js';
import { toCsv, toCsvHeader, toNdjson } from './row-writers.js';
import { BALANCE_PARAMETERS, balancesTable } from './tables/balances.table.js';
import { BLOCK_PARAMETERS, blocksTable } from './tables/blocks.table.js';
import { EVENT_PARAMETERS, eventsTable } from './tables/events.table.js';
import { HEALTH_PARAMETERS, healthTable } from './tables/health.table.js';
import { INCIDENT_PARAMETERS, incidentsTable } from './tables/incidents.table.js';
import { LOSS_PARAMETERS, lossesTable } from './tables/losses.table.js';
import {
  COST_PARAMETERS,
  costsTable,
  STATISTICS_PARAMETERS,
  statisticsTable,
} from './tables/report.table.js';
import { SUBMISSION_PARAMETERS, submissionsTable } from './tables/submissions.table.js';

interface Export {
  /** Without `limit` and `cursor`. */
  readonly parameters: Parameters;
  readonly table: (readers: ExportReaders, clock: Clock) => ExportTable;
}

export const EXPORTS = {
  submissions: { parameters: SUBMISSION_PARAMETERS, table: submissionsTable },
  blocks: { parameters: BLOCK_PARAMETERS, table: blocksTable },
  losses: { parameters: LOSS_PARAMETERS, table: lossesTable },
  health: { parameters: HEALTH_PARAMETERS, table: healthTable },
  incidents: { parameters: INCIDENT_PARAMETERS, table: incidentsTable },
  statistics: { parameters: STATISTICS_PARAMETERS, table: statisticsTable },
  costs: { parameters: COST_PARAMETERS, table: costsTable },
  balances: { parameters: BALANCE_PARAMETERS, table: balancesTable },
  events: { parameters: EVENT_PARAMETERS, table: eventsTable },
} satisfies Record<string, Export>;

export type ExportName = keyof typeof EXPORTS;
export const EXPORT_NAMES = Object.keys(EXPORTS) as ExportName[];

/** Describes every parameter, with its meaning for each file that takes it. */
export function describeParameters(): Record<string, string> {
  const meanings = new Map<string, Map<string, string[]>>();
  for (const [file, { parameters }] of Object.entries<Export>(EXPORTS)) {
    for (const [name, { about }] of Object.entries(parameters)) {
      const files = meanings.get(name) ?? new Map<string, string[]>();
      meanings.set(name, files.set(about, [...(files.get(about) ?? []), file]));
    }
  }
  const toText = (files: ReadonlyMap<string, readonly string[]>): string =>
    [...files].map(([about, names]) => `${names.join(', ')}: ${about}`).join('. ');
  const own = [...meanings].map(([name, files]) => [name, toText(files)] as const);
  const ofAll = Object.entries(PAGING).map(([name, { about }]) => [name, about] as const);
  return Object.fromEntries([...own, ...ofAll]);
}

export type GivenParameters = Readonly<Record<string, string | readonly string[]>>;

export interface ExportRequest {
  readonly name: ExportName;
  readonly format: ExportFormat;
  readonly given: GivenParameters;
  /** CSV only: false for a later part of a file; true when left out. */
  readonly hasHeader?: boolean;
}

/** A file being written. Its first bytes are already available, so a later error can only cut it off. */
export interface ExportFile {
  readonly stream: Readable;
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
}

type Batches = AsyncIterable<readonly (readonly CellValue[])[]>;

@Injectable()
export class Exports {
  constructor(
    private readonly readers: ExportReaders,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /** @throws ApiError BAD_USER_INPUT, and any error of the readers' database */
  async open({ name, format, given, hasHeader = true }: ExportRequest): Promise<ExportFile> {
    const opened = await this.find(name, given);
    return { next: opened.next, stream: await this.write(opened, format, hasHeader) };
  }

  /** The approximate number of rows, by the database's estimate; undefined where it has none. */
  async estimateRows({ name, given }: Pick<ExportRequest, 'name' | 'given'>): Promise<number | undefined> {
    if (this.tableOf(name).checkReport) return undefined;
    const { limit = Infinity, ...whole } = given;
    const opened = await this.find(name, whole);
    if (opened.by === 'US') return undefined;
    const [row] = await this.readers.source.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[]>(
      `EXPLAIN (FORMAT JSON) SELECT ${opened.from}`,
    );
    return row && Math.min(row['QUERY PLAN'][0].Plan['Plan Rows'], Number(limit));
  }

  /**
   * Rejects requests that {@link open} would reject, as far as this is known before a row is read or a report computed.
   * @throws ApiError BAD_USER_INPUT, and any error of the readers' database
   */
  async check({ name, given }: Pick<ExportRequest, 'name' | 'given'>): Promise<void> {
    const { values, page } = readRequest(name, given);
    await requireKnownNames(this.readers.source, values, { log: name === 'events' });
    const table = this.tableOf(name);
    if (table.checkReport) return table.checkReport(values);
    // Without the limit: finding the end of a page would read its rows.
    const { limit: _, ...place } = page;
    await table.open(values, place);
  }

  private tableOf(name: ExportName): ExportTable {
    return EXPORTS[name].table(this.readers, this.options.clock);
  }

  private async find(name: ExportName, given: GivenParameters): Promise<OpenedRows> {
    const { values, page } = readRequest(name, given);
    await requireKnownNames(this.readers.source, values, { log: name === 'events' });
    return this.tableOf(name).open(values, page);
  }

  private async write(opened: OpenedRows, format: ExportFormat, hasHeader: boolean): Promise<Readable> {
    const { columns } = opened;
    if (opened.by === 'US') {
      const batches = await begin(ReadRequest.current?.runEach(opened.batches) ?? opened.batches);
      return Readable.from(inPieces(print(batches, columns, format, hasHeader)), { objectMode: false });
    }
    const copied = await this.readers.source.copyOut(
      copyStatement(opened.columns, opened.from, format, { hasHeader }),
    );
    if (format !== 'parquet') return copied;
    return Readable.from(inPieces(toParquet(readCopiedRows(copied, columns), columns)), {
      objectMode: false,
    });
  }
}

/** @throws ApiError BAD_USER_INPUT */
function readRequest(
  name: ExportName,
  given: GivenParameters,
): { readonly values: Readonly<Record<string, unknown>>; readonly page: ExportPageRequest } {
  const { limit, cursor, ...values } = readParameters({ ...EXPORTS[name].parameters, ...PAGING }, given);
  const { from, to } = values as { readonly from?: Nanos; readonly to?: Nanos };
  // An empty file would look like a quiet time.
  if (from !== undefined && to !== undefined && from >= to) throw badUserInput('`from` must be before `to`.');
  const page = {
    question: nameOfQuestion(values),
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
  };
  return { values, page };
}

/** The export for a name such as `blocks`. @throws ApiError NOT_FOUND */
export function toExportName(text: string): ExportName {
  const name = EXPORT_NAMES.find((known) => known === text);
  if (name !== undefined) return name;
  throw new ApiError('NOT_FOUND', `There is no export ${quote(text)}${suggest(text, EXPORT_NAMES)}`);
}

/** Waits for the first batch, so that its error is thrown before anything is sent. */
async function begin(batches: Batches): Promise<Batches> {
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let step = first; !step.done; step = await iterator.next()) yield step.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

async function* inPieces(texts: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
  for await (const text of texts) yield* toPieces(text);
}

function print(
  batches: Batches,
  columns: readonly ExportColumn[],
  format: ExportFormat,
  hasHeader: boolean,
): AsyncIterable<Buffer | string> {
  switch (format) {
    case 'csv':
      return printEach(batches, hasHeader ? toCsvHeader(columns) : '', (rows) => toCsv(rows, columns));
    case 'ndjson':
      return printEach(batches, '', (rows) => toNdjson(rows, columns));
    case 'parquet':
      return toParquet(batches, columns);
    default:
      return format satisfies never;
  }
}

async function* printEach(
  batches: Batches,
  head: string,
  toText: (rows: readonly (readonly CellValue[])[]) => string,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  for await (const rows of batches) if (rows.length > 0) yield toText(rows);
}
