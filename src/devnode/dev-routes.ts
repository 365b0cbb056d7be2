import { z } from 'zod';
import {
  errorText,
  jsonAnswer,
  PAGE_NOT_FOUND,
  type DevnodeAnswer,
  type NodeRequest,
} from './http-server.js';
import { isLoopback } from './loopback.js';

/** The longest time that a fault can last, or delay an answer. */
export const LONGEST_MS = 30 * 24 * 3_600_000;
/** Without it, a fault lasts until it is ended. */
export const FOR_MS = z.number().positive().max(LONGEST_MS).optional();

/** The command that ends one of these faults, or all. */
export function endOf<Name extends string>(names: readonly Name[]): z.ZodType<{ end: Name | 'all' }> {
  return z.strictObject({ end: z.enum([...names, 'all']) });
}

/** The control of a process of the rig: the commands that it takes at `POST /dev/fault`. */
export interface DevControl<Command> {
  readonly truth: { readonly text: string };
  readonly schema: z.ZodType<Command>;
  /** Sent with status 400 to a client whose command is none. */
  readonly usage: string;
  /** Carries out a command. Returns what the answer shows, or as text why the command was refused. */
  apply(command: Command): object | string;
}

/** Whether a path is for the rig's control, not for the imitated program. */
export function isDevPath(path: string): boolean {
  return path.startsWith('/dev/');
}

/**
 * Answers `POST /dev/fault` and `GET /dev/truth`. Only JSON is accepted: a web page cannot send JSON to another address without
 * permission. A process that other hosts can reach accepts no commands.
 */
export function answerDev<Command>(
  control: DevControl<Command>,
  host: string,
  { method, path, headers, body }: NodeRequest,
): DevnodeAnswer {
  if (!isLoopback(host)) return PAGE_NOT_FOUND;
  if (path === '/dev/truth')
    return method === 'GET'
      ? { status: 200, type: 'application/x-ndjson', body: control.truth.text }
      : errorText(405, 'Method not allowed');
  if (path !== '/dev/fault') return PAGE_NOT_FOUND;
  if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
    return errorText(415, 'Send application/json.');
  const command = method === 'POST' ? readCommand(control.schema, body) : undefined;
  if (command === undefined) return errorText(400, control.usage);
  const outcome = control.apply(command);
  return typeof outcome === 'string' ? errorText(400, outcome) : jsonAnswer(outcome);
}

function readCommand<Command>(schema: z.ZodType<Command>, text: string): Command | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
