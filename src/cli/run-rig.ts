import { codeOf, UserError } from '../platform/errors.js';

interface RigProgram {
  /** Settled when it stops by itself. */
  readonly stopsItself?: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs a program of the rig until a signal stops it, or until it stops by itself.
 * @param describe printed once it is ready
 * @throws UserError if a port is in use
 */
export async function runRig<Program extends RigProgram>(
  start: () => Promise<Program>,
  describe: (program: Program) => string,
): Promise<Program> {
  const stop = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
  });
  const program = await start().catch((error: unknown) => {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    const { port } = error as { readonly port?: number };
    const remedy = 'Choose another with the options that end with port; 0 takes a free one.';
    throw new UserError(`Port ${port} is in use.`, remedy, 1, { cause: error });
  });
  process.stdout.write(`${describe(program)}\n`);
  await Promise.race(program.stopsItself ? [stop, program.stopsItself] : [stop]);
  await program.stop();
  return program;
}
