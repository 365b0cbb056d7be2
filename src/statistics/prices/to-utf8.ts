import { TextDecoder } from 'node:util';

/** Encodings by their byte order marks, in hex. */
const UTF_16: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };
const MARK_BYTES = 2;

/** The pieces of a text file in UTF-8: those of UTF-16 with a byte order mark are converted, and others passed on. */
export async function* toUtf8(
  source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  for await (const piece of source) {
    let bytes = Buffer.from(piece);
    if (start !== undefined) {
      start = bytes = Buffer.concat([start, bytes]);
      if (start.length < MARK_BYTES) continue;
      const encoding = UTF_16[start.toString('hex', 0, MARK_BYTES)];
      if (encoding !== undefined) decoder = new TextDecoder(encoding);
      start = undefined;
    }
    yield decoder === undefined ? bytes : Buffer.from(decoder.decode(bytes, { stream: true }));
  }
  if (start !== undefined) yield start;
}
