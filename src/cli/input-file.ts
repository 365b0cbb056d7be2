import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { messageOf, UserError } from '../platform/errors.js';

/** The name of a file in messages; `-` is standard input. */
export function nameOfInput(path: string): string {
  return path === '-' ? 'standard input' : basename(path);
}

export interface ReadOptions {
  /** Called with the size of each piece, in bytes. */
  readonly onPiece?: (bytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** @throws UserError if the file cannot be read */
export async function* readInput(path: string, options: ReadOptions = {}): AsyncGenerator<Buffer> {
  try {
    for await (const piece of path === '-' ? process.stdin : createReadStream(path)) {
      options.signal?.throwIfAborted();
      const bytes = Buffer.from(piece);
      options.onPiece?.(bytes.length);
      yield bytes;
    }
  } catch (error) {
    throw new UserError(`Cannot read ${path}: ${messageOf(error)}`, 'Check the name of the file.', 2, {
      cause: error,
    });
  }
}
