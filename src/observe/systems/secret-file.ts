import { open } from 'node:fs/promises';

const LARGEST = 16_384;

/**
 * Reads a token from a file at each call, so that a new one is used. celestia-node prints warnings before the
 * token, so the last line counts.
 * @returns null if the file is empty
 * @throws Error whose message names no path
 */
export async function readSecretFile(path: string): Promise<string | null> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LARGEST), 0, LARGEST, 0);
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
      return lines.map((line) => line.trim()).findLast((line) => line !== '') ?? null;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new Error(
      `the token file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
      { cause: error },
    );
  }
}
