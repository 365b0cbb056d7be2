import type { Clock } from './clock.js';
import { codeOf, messageOf } from './errors.js';
import type { Logger } from './logger.js';

/** The same complaint is written again after this time at the earliest. */
const QUIET_MS = 60_000;

/** Kinds of complaints that are told apart, and so the most lines that are written in that time. */
const MAX_KINDS = 20;

/** Characters of an error's text: it may quote what somebody sent. */
const MAX_TEXT = 300;

/** Lines of a stack. */
const MAX_FRAMES = 12;

/** Writes down errors that come again and again: each kind at once, and then once a minute with a count. */
export class RareLog {
  private readonly kinds = new Map<string, { writtenAt: number; untold: number }>();
  /** Complaints of kinds for which there was no room. */
  private others = 0;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Something outside of the process is in trouble. */
  warn(error: unknown, message: string): void {
    const text = messageOf(error).slice(0, MAX_TEXT);
    // Numbers of jobs and ports would make every error a kind of its own.
    const counts = this.count(`${message} ${text.replaceAll(/\d+/g, '#')}`.slice(0, 200));
    if (counts !== undefined) this.logger.warn({ error: text, ...counts }, message);
  }

  /**
   * A failure of our own. Kinds are told apart by where it happened, since its text may hold what a caller sent. The line
   * has its text, code and stack, and nothing else of it: a database error also carries the statement and its parameters.
   */
  error(error: unknown, message: string): void {
    const text = messageOf(error).slice(0, MAX_TEXT);
    const code = codeOf(error);
    const frames = framesOf(error);
    // The nearest place of our own: all errors of a database leave the driver at the same one.
    const place = frames.find((frame) => !/node_modules|node:/.test(frame)) ?? frames[0];
    const counts = this.count(`${message} ${code ?? ''} ${place ?? text}`.slice(0, MAX_TEXT));
    if (counts === undefined) return;
    const stack = frames.length > 0 ? { stack: frames.join('\n') } : {};
    this.logger.error({ error: text, ...(code !== undefined && { code }), ...stack, ...counts }, message);
  }

  /** Undefined: this kind is not to be written yet. Else how often it, and kinds without room, came unwritten. */
  private count(key: string): { again?: number; others?: number } | undefined {
    const now = this.clock.monotonic();
    const kind = this.kinds.get(key);
    if (kind !== undefined && now - kind.writtenAt < QUIET_MS) {
      kind.untold += 1;
      return undefined;
    }
    if (kind === undefined && this.kinds.size >= MAX_KINDS && !this.forgetOldest(now)) {
      this.others += 1;
      return undefined;
    }
    this.kinds.set(key, { writtenAt: now, untold: 0 });
    const { others } = this;
    this.others = 0;
    return { ...(kind && kind.untold > 0 && { again: kind.untold }), ...(others > 0 && { others }) };
  }

  /** False: even the oldest was written a moment ago. */
  private forgetOldest(now: number): boolean {
    const [oldest] = [...this.kinds].sort(([, a], [, b]) => a.writtenAt - b.writtenAt);
    if (oldest === undefined || now - oldest[1].writtenAt < QUIET_MS) return false;
    return this.kinds.delete(oldest[0]);
  }
}

/** The places that an error's stack names. The text in front of them is left out: it is written, cut, beside them. */
function framesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const stack = error.stack ?? '';
  const text = stack.indexOf(error.message);
  return (text < 0 ? stack : stack.slice(text + error.message.length))
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}
