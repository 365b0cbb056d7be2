import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { SystemClock } from '../platform/clock.js';
import { codeOf, reasonOf, UserError } from '../platform/errors.js';

const OUTPUTS = [
  { name: 'stdout', descriptor: 1, title: 'standard output' },
  { name: 'stderr', descriptor: 2, title: 'standard error' },
] as const;
type Output = (typeof OUTPUTS)[number];

/** Codes of a pipe or socket without a reader. */
const UNREAD_CODES: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET']);

/** The first failure of each output. */
const failures = new Map<Output, Error>();

/** The reader of an output closed it before the command was done, as `head` does. */
export class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft';
}

/** Standard output did not accept a text. `requireOutputs` gives the reason. */
export class OutputFailure extends Error {
  override readonly name = 'OutputFailure';
}

/** Prepares standard output and standard error so that they can be awaited. Called once, before anything is written. */
export function openOutputs(): void {
  for (const output of OUTPUTS) {
    const { name, descriptor } = output;
    // On an almost full disk, Node's own file stream drops the rest of a write that the disk accepted in part.
    if (!(process[name] instanceof Socket))
      Object.defineProperty(process, name, { value: new FileOutput(descriptor), configurable: true });
    process[name].on('error', (error) => {
      if (!failures.has(output)) failures.set(output, error);
    });
  }
}

/** Writes to a file, or to a device other than a terminal, synchronously and completely. */
class FileOutput extends Writable {
  constructor(private readonly descriptor: number) {
    super();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    try {
      for (let rest = chunk; rest.length > 0;) rest = rest.subarray(writeSync(this.descriptor, rest));
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}

/**
 * Writes to standard output at the pace of its reader, for commands that print more than fits into memory.
 * @throws OutputFailure
 */
export function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) =>
      error ? reject(new OutputFailure(error.message, { cause: error })) : resolve(),
    );
  });
}

/**
 * Waits until both outputs have accepted everything, or have failed. @param patienceMs longest wait; without limit if left out
 */
export async function outputsTaken(patienceMs?: number): Promise<void> {
  const taken = Promise.all(OUTPUTS.map(outputTaken));
  await (patienceMs === undefined ? taken : Promise.race([taken, new SystemClock().sleep(patienceMs)]));
}

async function outputTaken(output: Output): Promise<void> {
  // A write that failed immediately reports its failure a moment later.
  await setImmediate();
  const stream = process[output.name];
  if (failures.has(output) || stream.writableLength === 0) return;
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
  await setImmediate();
}

/**
 * Waits until both outputs have accepted everything.
 * @throws ReaderLeft if an output is no longer read
 * @throws UserError if an output failed otherwise
 */
export async function requireOutputs(): Promise<void> {
  await outputsTaken();
  const failed = OUTPUTS.find((output) => failures.has(output));
  if (failed === undefined) return;
  const failure = failures.get(failed);
  if (UNREAD_CODES.has(codeOf(failure))) throw new ReaderLeft();
  throw new UserError(
    `Cannot write to ${failed.title}: ${reasonOf(failure)}.`,
    'The output is incomplete. Free some disk space, or write to another place.',
    1,
    { cause: failure },
  );
}
