import type { Clock } from './clock.js';
import { codeOf, messageOf } from './errors.js';
import type { Logger } from './logger.js';

/** Shortest time between two lines of the same kind. */
const QUIET_MS = 60_000;

/** Most kinds of complaints that are counted separately, and so the most lines in that time. */
const MAX_KINDS = 20;

/** Most characters of an error's text, which may quote what a caller sent. */
const MAX_TEXT = 300;

const MAX_FRAMES = 12;

/** Logs recurring errors: each kind at once, and then once a minute with a count. */
export class RareLog {
  private readonly kinds = new Map<string, { writtenAt: number; untold: number }>();
  /** Complaints beyond `MAX_KINDS` kinds. */
  private others = 0;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Logs trouble outside the process. */
  warn(error: unknown, message: string): void {
    const text = messageOf(error).slice(0, MAX_TEXT);
    // Numbers of jobs and ports would make every error a kind of its own.
    const counts = this.count(`${message} ${text.replaceAll(/\d+/g, '#')}`.slice(0, 200));
    if (counts !== undefined) this.logger.warn({ error: text, ...counts }, message);
  }

  /**
   * Logs a failure of our own. Failures are grouped by where they happened, since the text may contain what a caller sent. Only
   * text, code and stack are logged: a database error also carries the statement and its parameters.
   */
  error(error: unknown, message: string): void {
    const text = messageOf(error).slice(0, MAX_TEXT);
    const code = codeOf(error);
    const frames = framesOf(error);
    // The nearest frame of our own code: all database errors leave the driver at the same frame.
    const place = frames.find((frame) => /^(?!.*node_modules).*\.ts:\d/.test(frame)) ?? frames[0];
    const counts = this.count(`${message} ${code ?? ''} ${place ?? text}`.slice(0, MAX_TEXT));
    if (counts === undefined) return;
    const stack = frames.length > 0 ? { stack: frames.join('\n') } : {};
    this.logger.error({ error: text, ...(code !== undefined && { code }), ...stack, ...counts }, message);
  }

  /**
   * Returns undefined while this kind must not be logged yet. Otherwise returns how many of this kind (`again`) and of kinds
   * beyond the limit (`others`) were not logged.
   */
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

  /** Returns false when even the oldest kind was logged a moment ago. */
  private forgetOldest(now: number): boolean {
    const [oldest] = [...this.kinds].sort(([, a], [, b]) => a.writtenAt - b.writtenAt);
    if (oldest === undefined || now - oldest[1].writtenAt < QUIET_MS) return false;
    return this.kinds.delete(oldest[0]);
  }
}

/** The frames of an error's stack, without the text before them, which is logged separately and cut. */
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
