/** Bytes of a piece of an answer that goes out by itself: so it can be seen how much of it a client has taken. */
export const PIECE_BYTES = 65_536;

/** A text or bytes in pieces of that size at most. */
export function* toPieces(whole: string | Buffer): Generator<string | Buffer> {
  if (whole.length <= PIECE_BYTES) return yield whole;
  // Of a text no character must be cut in two.
  const bytes = typeof whole === 'string' ? Buffer.from(whole) : whole;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
