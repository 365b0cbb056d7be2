/** Stored data cannot be read. Depends on the stored data alone: reading it again gives the same error. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/**
 * Runs a pure function of stored data.
 *
 * @param what names the data in the error's text
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
