import { printJson } from '../../domain/node-interface/print-json.js';
import { formatTime, type Micros, microsToNanos } from '../../domain/time.js';
import { Readable } from 'node:stream';
import type { HttpReply } from '../graphql/http-messages.js';
import { PIECE_BYTES, toPieces } from '../http/pieces.js';

/** How far an answer is proven by what the node said. */
export interface Provenance {
  /** Whether it is proven that the node answered this, at the requested moment or, without one, at `asOf`. */
  readonly isProven: boolean;
  /** The time of the poll that the answer is based on; null without one. */
  readonly asOf: Micros | null;
  /** Names of members that the node returned, or would have, and that are not on record. */
  readonly missing?: readonly string[];
}

/** A response in the name of a node. */
export interface ServedAnswer extends Provenance {
  readonly status: number;
  readonly type: string;
  /** Complete, or as a list of its parts, which together may be large. */
  readonly body: string | Buffer | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent after the body. */
  readonly trailers?: Readonly<Record<string, string>>;
}

/** Headers with the {@link Provenance} of an answer. */
export const PROVENANCE_HEADERS = ['x-hindsight-proven', 'x-hindsight-as-of', 'x-hindsight-missing'] as const;
/** The header with the value of `before` for the next older rows. */
export const NEXT_BEFORE = 'x-hindsight-next-before';

/** The standing where nothing is known of what the node said. */
export const NO_PROVENANCE: Provenance = { isProven: false, asOf: null };

const JSON_TYPE = 'application/json';

/** JSON in parts, with the trailing line feed of Go's encoder. */
export function partsAnswer(parts: readonly string[], standing: Provenance): ServedAnswer {
  return { status: 200, type: JSON_TYPE, body: [...parts, '\n'], ...standing };
}

/** JSON text, or a value to print as JSON, with the trailing line feed of Go's encoder. */
export function jsonAnswer(value: object | string, standing: Provenance): ServedAnswer {
  const body = typeof value === 'string' ? value : printJson(value);
  return { status: 200, type: JSON_TYPE, body: `${body}\n`, ...standing };
}

/** A line of text, as nodes answer a probe that succeeds. */
export function plainAnswer(line: string, standing: Provenance): ServedAnswer {
  return { status: 200, type: 'text/plain', body: `${line}\n`, ...standing };
}

/** A line of text, as Go's `http.Error` sends it. */
export function textAnswer(status: number, line: string, standing: Provenance = NO_PROVENANCE): ServedAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${line}\n`, ...standing };
}

/** For something that is not on record and that the node cannot be asked for. */
export function unavailable(message: string, missing: readonly string[] = []): ServedAnswer {
  const body = printJson({ code: 'unavailable', message });
  return { status: 503, type: JSON_TYPE, body, ...NO_PROVENANCE, missing };
}

/** A node's response to a path that it does not have. */
export function pageNotFound(standing: Provenance = NO_PROVENANCE): ServedAnswer {
  return textAnswer(404, '404 page not found', standing);
}

/** Appends a member to a JSON object as sent. A member of the same name, such as from another Hindsight, is replaced. */
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

export function provenanceHeaders({ isProven, asOf, missing = [] }: Provenance): Record<string, string> {
  const [proven, since, lacking] = PROVENANCE_HEADERS;
  return {
    [proven]: String(isProven),
    ...(asOf !== null && { [since]: formatTime(microsToNanos(asOf)) }),
    ...(missing.length > 0 && { [lacking]: missing.join(', ') }),
  };
}

export function sendAnswer(reply: HttpReply, answer: ServedAnswer): void {
  const { status, type, body, headers = {} } = answer;
  reply.code(status).header('content-type', type);
  for (const [name, value] of Object.entries({ ...provenanceHeaders(answer), ...headers })) {
    reply.header(name, value);
  }
  if (Buffer.isBuffer(body)) return sendBytes(reply, body, answer.trailers ?? {});
  const parts = typeof body === 'string' ? [body] : body;
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  // Sent as bytes: to a text Fastify would add a charset, which nodes do not send.
  if (bytes <= PIECE_BYTES) return void reply.send(Buffer.from(parts.join('')));
  reply.header('content-length', String(bytes)).send(Readable.from(printParts(parts), { highWaterMark: 1 }));
}

function sendBytes(reply: HttpReply, body: Buffer, trailers: Readonly<Record<string, string>>): void {
  const names = Object.keys(trailers);
  if (names.length === 0 && body.length <= PIECE_BYTES) return void reply.send(body);
  // A body with a known length cannot have trailers.
  if (names.length === 0) reply.header('content-length', String(body.length));
  else {
    reply.header('trailer', names.join(', '));
    reply.raw.addTrailers(trailers);
  }
  reply.send(Readable.from(toPieces(body), { highWaterMark: 1 }));
}

/** Sends short parts together. */
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
