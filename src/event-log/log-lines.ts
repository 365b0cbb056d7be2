import { z } from 'zod';
import { nanosToMicros, parseTime } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import type { LogRow } from './logged-event.js';

/** An event of an export of the log. */
export interface LogLine {
  /** File name and line number, for error messages. */
  readonly place: string;
  readonly row: LogRow;
  /** The observer's state as JSON, with the last event of each stream; null with all other events. */
  readonly state: string | null;
}

export interface LogFile {
  readonly name: string;
  readonly pieces: AsyncIterable<Buffer>;
}

/** An event may contain a list of 32 MB, and JSON may need six bytes for each of its bytes. */
const LONGEST_LINE = 256 * 1_048_576;
const LINE_END = 0x0a;

const COUNT = z.int().min(1);
const TIME = z.string().transform((text, context) => {
  const time = text.endsWith('Z') ? parseTime(text) : undefined;
  if (time !== undefined) return nanosToMicros(time);
  context.addIssue('is not a time such as 2026-11-21T03:12:00.000000Z');
  return z.NEVER;
});
/** The columns cannot store U+0000. */
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
  // The hash does not cover the state.
  state: TEXT.refine((text) => parseJson(text) !== undefined, 'is not JSON').nullable(),
});

/**
 * The events of NDJSON exports, in the order of the files.
 * @throws UserError that names the first line that is not an event
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

/** Splits at line feeds only: texts may contain other characters that end lines elsewhere. */
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
