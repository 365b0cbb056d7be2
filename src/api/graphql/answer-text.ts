import { Readable } from 'node:stream';
import { PIECE_BYTES, toPieces } from '../http/pieces.js';
import { nextTurn } from '../../platform/turns.js';
import { jsonPieces } from './raw-json.js';

/**
 * An answer as JSON: a short one as text, a long one in pieces that are printed when the client has taken those before,
 * with a turn of the event loop in between. Destroying the stream ends the printing.
 */
export function toAnswerText(payload: unknown): string | Readable {
  const pieces = jsonPieces(payload);
  const first = pieces.next();
  const second = pieces.next();
  if (first.done) return '';
  if (second.done && first.value.length <= PIECE_BYTES) return first.value;
  const printed = second.done ? [first.value] : [first.value, second.value];
  return Readable.from(inTurns(printed, pieces), { highWaterMark: 1 });
}

async function* inTurns(printed: readonly string[], rest: Iterable<string>): AsyncGenerator<string | Buffer> {
  for (const piece of printed) yield* toPieces(piece);
  for (const piece of rest) {
    await nextTurn();
    yield* toPieces(piece);
  }
}
