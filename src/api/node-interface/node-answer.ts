import { printJson } from '../../domain/node-interface/print-json.js';
import { formatTime, type Micros, microsToNanos } from '../../domain/time.js';
import { Readable } from 'node:stream';
import type { HttpReply } from '../graphql/http-messages.js';
import { PIECE_BYTES, toPieces } from '../http/pieces.js';

/** How an answer stands to what the node said. */
export interface Standing {
  /** Whether it is proven that the node answered so, at the moment asked for or, without one, at `asOf`. */
  readonly isProven: boolean;
  /** The look that the answer rests on; null without one. */
  readonly asOf: Micros | null;
  /** Names of what the node told, or would have, and is not on record. */
  readonly missing?: readonly string[];
}

/** What is answered in the name of a node. */
export interface NodeAnswer extends Standing {
  readonly status: number;
  readonly type: string;
  /** Whole, or in the parts that it is made of: together they may be large. */
  readonly body: string | Buffer | readonly string[];
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent behind the body. */
  readonly trailers?: Readonly<Record<string, string>>;
}

/** Headers that say how an answer stands to what the node said. */
export const STANDING_HEADERS = ['x-hindsight-proven', 'x-hindsight-as-of', 'x-hindsight-missing'] as const;
/** Says which `before` the next older rows are asked with. */
export const NEXT_BEFORE = 'x-hindsight-next-before';

/** Nothing is known of what the node said. */
export const NO_STANDING: Standing = { isProven: false, asOf: null };

const JSON_TYPE = 'application/json';

/** JSON in parts, with the line feed that Go's encoder ends it with. */
export function partsAnswer(parts: readonly string[], standing: Standing): NodeAnswer {
  return { status: 200, type: JSON_TYPE, body: [...parts, '\n'], ...standing };
}

/** JSON that was printed already, or that a value is printed as, with the same line feed. */
export function jsonAnswer(value: object | string, standing: Standing): NodeAnswer {
  const body = typeof value === 'string' ? value : printJson(value);
  return { status: 200, type: JSON_TYPE, body: `${body}\n`, ...standing };
}

/** A line of text, as nodes answer probes where all is well. */
export function plainAnswer(line: string, standing: Standing): NodeAnswer {
  return { status: 200, type: 'text/plain', body: `${line}\n`, ...standing };
}

/** A line of text, as Go's `http.Error` sends it. */
export function textAnswer(status: number, line: string, standing: Standing = NO_STANDING): NodeAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${line}\n`, ...standing };
}

/** Something is not on record, and the node cannot be asked for it. */
export function unavailable(message: string, missing: readonly string[] = []): NodeAnswer {
  const body = printJson({ code: 'unavailable', message });
  return { status: 503, type: JSON_TYPE, body, ...NO_STANDING, missing };
}

/** What a node says to a path that it does not have. */
export function pageNotFound(standing: Standing = NO_STANDING): NodeAnswer {
  return textAnswer(404, '404 page not found', standing);
}

/** A JSON object as sent, with a member behind its own. One of this name, as another Hindsight has it, gives way. */
export function withMember(object: string, name: string, value: unknown): string {
  const own = object.includes(JSON.stringify(name)) ? withoutMember(object, name) : object;
  const end = own.lastIndexOf('}');
  const isEmpty = own.slice(0, end).trim().endsWith('{');
  return `${own.slice(0, end)}${isEmpty ? '' : ','}${JSON.stringify(name)}:${printJson(value)}}`;
}

function withoutMember(object: string, name: string): string {
  const { [name]: _given, ...others } = JSON.parse(object) as Record<string, unknown>;
  return JSON.stringify(others);
}

/** How an answer stands to what the node said, as headers. */
export function standingHeaders({ isProven, asOf, missing = [] }: Standing): Record<string, string> {
  const [proven, since, lacking] = STANDING_HEADERS;
  return {
    [proven]: String(isProven),
    ...(asOf !== null && { [since]: formatTime(microsToNanos(asOf)) }),
    ...(missing.length > 0 && { [lacking]: missing.join(', ') }),
  };
}

export function sendAnswer(reply: HttpReply, answer: NodeAnswer): void {
  const { status, type, body, headers = {} } = answer;
  reply.code(status).header('content-type', type);
  for (const [name, value] of Object.entries({ ...standingHeaders(answer), ...headers })) {
    reply.header(name, value);
  }
  if (Buffer.isBuffer(body)) return sendBytes(reply, body, answer.trailers ?? {});
  const parts = typeof body === 'string' ? [body] : body;
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  // To a text Fastify would add a charset, which nodes do not send.
  if (bytes <= PIECE_BYTES) return void reply.send(Buffer.from(parts.join('')));
  reply.header('content-length', String(bytes)).send(Readable.from(printParts(parts), { highWaterMark: 1 }));
}

function sendBytes(reply: HttpReply, body: Buffer, trailers: Readonly<Record<string, string>>): void {
  const names = Object.keys(trailers);
  if (names.length === 0 && body.length <= PIECE_BYTES) return void reply.send(body);
  // Behind a body whose length is known no trailers come.
  if (names.length === 0) reply.header('content-length', String(body.length));
  else {
    reply.header('trailer', names.join(', '));
    reply.raw.addTrailers(trailers);
  }
  reply.send(Readable.from(toPieces(body), { highWaterMark: 1 }));
}

/** Short parts go out together. */
function* printParts(parts: readonly string[]): Generator<string | Buffer> {
  let printed = '';
  for (const part of parts) {
    printed += part;
    if (printed.length < PIECE_BYTES) continue;
    yield* toPieces(printed);
    printed = '';
  }
  yield printed;
}
