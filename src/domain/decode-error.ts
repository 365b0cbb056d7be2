/** What is stored cannot be read. A function of what is stored alone: reading it again gives the same error. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/**
 * Runs a pure function of something stored.
 *
 * @param what is read, for the error's text
 * @throws DecodeError whatever `decode` throws
 */
export function decoding<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new DecodeError(
      `${what} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}
