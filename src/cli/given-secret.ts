import { readSecretFile } from '../observe/systems/secret-file.js';
import { UserError } from '../platform/errors.js';

/**
 * The secret in a file that a command names; null if the file is empty.
 * @throws UserError if the file cannot be read
 */
export function readGivenSecret(file: string): Promise<string | null> {
  return readSecretFile(file).catch((error: unknown) => {
    throw new UserError(`${(error as Error).message}.`, 'Give a file that this user may read.');
  });
}
