import { Readable } from 'node:stream';
import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { WeightedSemaphore } from '../../platform/reads/weighted-semaphore.js';
import { ApiError, tooMany } from '../errors.js';
import type { HttpReply, HttpRequest } from '../graphql/http-messages.js';
import { quote } from '../graphql/scalars.js';
import { markHolder, markLong, readFor, whenOver } from '../http/answer-pace.js';
import { ErrorMapper } from '../http/error-mapper.js';
import { ReadersGuard } from '../http/readers.guard.js';
import { ApiKeys } from '../keys/api-keys.js';
import { UnreadWatch } from '../replica/unread-watch.js';
import { Described } from '../openapi/described.js';
import { CONTENT_TYPES, EXPORT_FORMATS } from './export-column.js';
import { Exports, type ExportRequest, type GivenParameters, toExportName } from './exports.js';
import { suggest } from './parameters.js';

/** The header with the cursor of the next page. */
export const NEXT_CURSOR = 'x-hindsight-next-cursor';
/** The header with the number of events missing from the file because the read models have not read them yet. */
export const UNREAD = 'x-hindsight-unread-events';

/** The most files written at the same time: each uses one of the readers' few connections for as long as its client takes. */
const PLACES = 2;
/** A client that requests several small files at once gets them one after the other. */
const MOST_WAITING = 16;
const WAIT_MS = 10_000;
const RETRY_AFTER_S = 10;

/** Serves the record as files: `/export/blocks.csv?nodes=alpha`. */
@Controller('export')
@UseGuards(ReadersGuard)
export class ExportController {
  private readonly places = new WeightedSemaphore(PLACES, {
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
    full: () =>
      tooMany(`Other files are being written; try again in ${RETRY_AFTER_S} seconds.`, RETRY_AFTER_S),
  });

  constructor(
    private readonly exports: Exports,
    private readonly errors: ErrorMapper,
    private readonly keys: ApiKeys,
    private readonly reads: ReadDatabase,
    private readonly unread: UnreadWatch,
  ) {}

  /**
   * Streams the rows at the pace of the client. An error before the first byte is returned as JSON; after it, the connection is
   * cut, so that a part is not taken for the whole.
   */
  @Get(':file')
  @Described({
    tag: 'Questions',
    summary: 'The record as a file',
    description:
      'The parameters are those of GraphQL; a parameter that the file does not take is refused. The header `x-hindsight-next-cursor` has the `cursor` of the next page. The header `x-hindsight-unread-events` is present while the tables behind the file have not read that many events of the log.',
    type: '*/*',
    answer: 'The rows, as they are read.',
    // Each kind of file has a path of its own in the document.
    parts: { file: 'kind of the file, with .csv, .ndjson or .parquet' },
    isKeyed: true,
    refusals: {
      400: 'A parameter is unknown, missing or wrong, or the file is too much to compute at once; the message says which.',
      404: 'There is no such file.',
      429: 'Too many requests, or other files are being written; `retry-after` says when to retry.',
    },
  })
  async export(
    @Param('file') file: string,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ): Promise<void> {
    const exported = { ...readFileName(file), given: request.query as GivenParameters };
    const reading = readFor(reply.raw, this.reads);
    if (request.method === 'HEAD') {
      await reading.run(() => this.exports.check(exported));
      // A stream, because its length is unknown; for a text, the web server would send the length.
      return void toFile(reply, exported).send(Readable.from([]));
    }
    // A file takes up to an hour, and its key is not checked again meanwhile.
    whenOver(
      reply.raw,
      this.keys.onRevoked(request, () => reply.raw.destroy()),
    );
    const giveBack = await this.places.take(reading.signal);
    whenOver(reply.raw, () => giveBack());
    const unread = await this.unread.getState();
    const { stream, next } = await reading.run(() => this.exports.open(exported));
    // If the client has left meanwhile, nothing else would end the stream.
    if (reading.signal.aborted) return void stream.destroy();
    stream.on('error', (error) => this.errors.tell(error));
    markLong(reply.raw);
    markHolder(reply.raw, () => this.places.waitingCount > 0);
    toFile(reply, exported);
    if (next !== undefined) reply.header(NEXT_CURSOR, next);
    if (unread !== undefined) reply.header(UNREAD, unread.events ?? 'unknown');
    reply.send(stream);
  }
}

type FileName = Pick<ExportRequest, 'name' | 'format'>;

/** @throws ApiError NOT_FOUND */
function readFileName(file: string): FileName {
  const [, name = '', ending = ''] = /^(.*)\.([^.]*)$/.exec(file) ?? [undefined, file];
  const exported = toExportName(name);
  const format = EXPORT_FORMATS.find((known) => known === ending);
  if (format !== undefined) return { name: exported, format };
  throw new ApiError(
    'NOT_FOUND',
    `There are no ${quote(`.${ending}`)} files${suggest(ending, EXPORT_FORMATS)}`,
  );
}

function toFile(reply: HttpReply, { name, format }: FileName): HttpReply {
  return reply
    .header('content-type', CONTENT_TYPES[format])
    .header('content-disposition', `attachment; filename="${name}.${format}"`);
}
