import { z } from 'zod';
import { formatTime, type Micros, microsToNanos, nanosToMicros, parseTime } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import type { Head } from './commit-plan.js';
import type { LogRow } from './logged-event.js';

/** An event of an export of the log. */
export interface LogLine {
  /** File name and line number, for error messages. */
  readonly place: string;
  readonly row: LogRow;
  /** The observer's state as JSON, with the last event of each stream; null with all other events. */
  readonly state: string | null;
}

/** The end of a stream, with its observer's state as JSON; null without a state. */
export interface HeadLine extends Head {
  readonly stream: string;
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
const HASH = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256');
// The hash does not cover the state.
const STATE = TEXT.refine((text) => parseJson(text) !== undefined, 'is not JSON').nullable();

const EVENT = z.object({
  position: COUNT.transform(BigInt),
  stream: TEXT.min(1),
  version: COUNT.transform(BigInt),
  type: TEXT.min(1),
  schema: COUNT.max(32_767),
  observed_at: TIME,
  recorded_at: TIME,
  body: TEXT,
  hash: HASH,
  state: STATE,
});

const HEAD = z.object({
  stream: TEXT.min(1),
  version: COUNT.transform(BigInt),
  hash: HASH,
  state: STATE,
});

/**
 * The events of NDJSON exports, in the order of the files.
 * @throws UserError that names the first line that is not an event
 */
export async function* readLogLines(files: readonly LogFile[]): AsyncGenerator<LogLine> {
  for await (const { place, value } of readLines(files, EVENT)) {
    const { observed_at: observedAt, recorded_at: recordedAt, state, ...event } = value;
    yield { place, state, row: { ...event, observedAt, recordedAt } };
  }
}

/** The lines of `toHeadText`. @throws UserError that names the first line that is not the end of a stream */
export async function* readHeadLines(file: LogFile): AsyncGenerator<HeadLine> {
  for await (const { value } of readLines([file], HEAD)) yield value;
}

/** The line of an event as an export has it, without a state. */
export function toLogText({ observedAt, recordedAt, body, hash, ...event }: LogRow): string {
  const { position, stream, version, type, schema } = event;
  return toText({
    position: Number(position),
    stream,
    version: Number(version),
    type,
    schema,
    observed_at: toTimeText(observedAt),
    recorded_at: toTimeText(recordedAt),
    body,
    hash,
    state: null,
  });
}

export function toHeadText({ stream, version, hash, state }: HeadLine): string {
  return toText({ stream, version: Number(version), hash, state });
}

function toText(line: object): string {
  return `${JSON.stringify(line)}\n`;
}

/** A time as exports have it and the database accepts it, in microseconds. */
export function toTimeText(time: Micros): string {
  return formatTime(microsToNanos(time), 6);
}

async function* readLines<T>(
  files: readonly LogFile[],
  schema: z.ZodType<T>,
): AsyncGenerator<{ readonly place: string; readonly value: T }> {
  for (const { name, pieces } of files) {
    let number = 0;
    for await (const line of splitLines(name, pieces)) {
      number += 1;
      if (line === '') continue;
      const place = `${name}, line ${number}`;
      const read = schema.safeParse(parseJson(line));
      if (read.success) yield { place, value: read.data };
      else throw misread(place, read.error);
    }
  }
}

function misread(place: string, { issues: [issue] }: z.ZodError): UserError {
  const what = issue ? `${issue.path.join('.')} ${issue.message}`.trim() : 'it cannot be read';
  return new UserError(`${place} is not an event of an exported log: ${what}.`, HOW);
}

const HOW = 'Give files that `hindsight export events --format ndjson` or `hindsight backup` wrote.';

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
