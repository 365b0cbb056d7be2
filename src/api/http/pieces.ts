/** Bytes of one piece of a response: sending pieces shows how much the client has taken. */
export const PIECE_BYTES = 65_536;

/** Splits text or bytes into pieces of at most {@link PIECE_BYTES}. */
export function* toPieces(whole: string | Buffer): Generator<string | Buffer> {
  if (whole.length <= PIECE_BYTES) return yield whole;
  // Split as bytes: no string may be cut within a character.
  const bytes = typeof whole === 'string' ? Buffer.from(whole) : whole;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
