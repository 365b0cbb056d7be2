import { Readable } from 'node:stream';
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
  if (second.done) return first.value;
  return Readable.from(inTurns([first.value, second.value], pieces), { highWaterMark: 1 });
}

async function* inTurns(printed: readonly string[], rest: Iterable<string>): AsyncGenerator<string> {
  yield* printed;
  for (const piece of rest) {
    await nextTurn();
    yield piece;
  }
}
