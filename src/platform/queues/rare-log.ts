import type { Clock } from '../clock.js';
import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';

/** The same complaint is written again after this time at the earliest. */
const QUIET_MS = 60_000;

/** Kinds of complaints that are told apart. */
const MAX_KINDS = 20;

/** Writes down errors that come again and again: each kind at once, and then once a minute with a count. */
export class RareLog {
  private readonly kinds = new Map<string, { writtenAt: number; untold: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  warn(error: unknown, message: string): void {
    const text = messageOf(error);
    // Numbers of jobs and ports would make every error a kind of its own.
    const key = `${message} ${text.replaceAll(/\d+/g, '#')}`.slice(0, 200);
    const now = this.clock.monotonic();
    const kind = this.kinds.get(key);
    if (kind !== undefined && now - kind.writtenAt < QUIET_MS) {
      kind.untold += 1;
      return;
    }
    if (kind === undefined && this.kinds.size >= MAX_KINDS) this.forgetOldest();
    this.kinds.set(key, { writtenAt: now, untold: 0 });
    this.logger.warn({ error: text, ...(kind && kind.untold > 0 && { again: kind.untold }) }, message);
  }

  private forgetOldest(): void {
    const [oldest] = [...this.kinds].sort(([, a], [, b]) => a.writtenAt - b.writtenAt);
    if (oldest) this.kinds.delete(oldest[0]);
  }
}
