import { z } from 'zod';
import { nanosToMicros, parseTime } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import type { LogRow } from './logged-event.js';

/** An event of an export of the log. */
export interface LogLine {
  /** Where it stands, for whoever looks for it. */
  readonly place: string;
  readonly row: LogRow;
  /** Of the last event of a stream what its observer knows, as JSON; null of all others. */
  readonly state: string | null;
}

/** A file that is imported. */
export interface LogFile {
  readonly name: string;
  readonly pieces: AsyncIterable<Buffer>;
}

/** An event may hold a list of 32 MB, and each of its bytes take six as JSON. */
const LONGEST_LINE = 256 * 1_048_576;
const LINE_END = 0x0a;

const COUNT = z.int().min(1);
const TIME = z.string().transform((text, context) => {
  const time = text.endsWith('Z') ? parseTime(text) : undefined;
  if (time !== undefined) return nanosToMicros(time);
  context.addIssue('is not a time such as 2026-11-21T03:12:00.000000Z');
  return z.NEVER;
});
/** The column takes no U+0000. */
const TEXT = z.string().refine((text) => !text.includes('\0'), 'holds U+0000');

const EVENT = z.object({
  position: COUNT.transform(BigInt),
  stream: TEXT.min(1),
  version: COUNT.transform(BigInt),
  type: TEXT.min(1),
  schema: COUNT.max(32_767),
  observed_at: TIME,
  recorded_at: TIME,
  body: TEXT,
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256'),
  // The hash does not cover it.
  state: TEXT.refine((text) => parseJson(text) !== undefined, 'is not JSON').nullable(),
});

/**
 * The events of NDJSON exports, in the order of the files.
 * @throws UserError that names the first line that is none
 */
export async function* readLogLines(files: readonly LogFile[]): AsyncGenerator<LogLine> {
  for (const { name, pieces } of files) {
    let number = 0;
    for await (const line of splitLines(name, pieces)) {
      number += 1;
      if (line !== '') yield toLogLine(`${name}, line ${number}`, line);
    }
  }
}

function toLogLine(place: string, line: string): LogLine {
  const read = EVENT.safeParse(parseJson(line));
  if (!read.success) {
    const [issue] = read.error.issues;
    const what = issue ? `${issue.path.join('.')} ${issue.message}`.trim() : 'it cannot be read';
    throw new UserError(`${place} is not an event of an exported log: ${what}.`, HOW);
  }
  const { observed_at: observedAt, recorded_at: recordedAt, state, ...event } = read.data;
  return { place, state, row: { ...event, observedAt, recordedAt } };
}

const HOW = 'Give files that `hindsight export events --format ndjson` wrote.';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** At line feeds alone: texts may hold other characters that end lines elsewhere. */
async function* splitLines(name: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, from)) {
      parts.push(piece.subarray(from, at));
      yield Buffer.concat(parts).toString();
      parts = [];
      length = 0;
      from = at + 1;
    }
    parts.push(piece.subarray(from));
    length += piece.length - from;
    if (length > LONGEST_LINE)
      throw new UserError(`${name} has a line of more than ${LONGEST_LINE} bytes.`, HOW);
  }
  if (length > 0) yield Buffer.concat(parts).toString();
}
