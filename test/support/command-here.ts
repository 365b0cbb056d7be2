import { run } from '../../src/cli/program.js';

/** The result of a command that ended by itself. */
export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** A process has only one output, so commands run one at a time. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs `hindsight <args>` to its end in this process, which has loaded most of it: a new process takes half a second more. Tests
 * of the process itself (its exit, its signals, the build) need one of `ServiceHome`.
 *
 * @param place where the command works; the flags for this are added. Undefined: it needs no database
 */
export function runHere(
  args: readonly string[],
  place: { readonly dataDir: string; readonly databaseUrl: string } | undefined,
): Promise<CommandResult> {
  const flags =
    place === undefined
      ? []
      : ['--data-dir', place.dataDir, '--database-url', place.databaseUrl, '--log-level', 'silent'];
  const result = turn.then(() => runCaught([...args, ...flags]));
  turn = result.catch(() => undefined);
  return result;
}

async function runCaught(args: readonly string[]): Promise<CommandResult> {
  const [out, error] = [catchOutput(process.stdout), catchOutput(process.stderr)];
  try {
    const code = await run([process.execPath, 'hindsight', ...args]);
    return { code, out: out.text(), error: error.text() };
  } finally {
    out.release();
    error.release();
  }
}

/** Captures the output of a stream, which counts as a terminal meanwhile only if this is said. */
export function catchOutput(
  stream: NodeJS.WriteStream,
  isTerminal = false,
): { text(): string; release(): void } {
  const before = (['write', 'isTTY'] as const).map((name) => {
    return [name, Object.getOwnPropertyDescriptor(stream, name)] as const;
  });
  let text = '';
  stream.isTTY = isTerminal;
  stream.write = (piece: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof piece === 'string' ? piece : Buffer.from(piece).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  return {
    text: () => text,
    release: () => {
      for (const [name, own] of before) {
        Reflect.deleteProperty(stream, name);
        if (own) Object.defineProperty(stream, name, own);
      }
    },
  };
}
