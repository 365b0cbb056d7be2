import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';

const EVERY_MS = 10_000;
/** Within this many blocks of the head the observer is following, not backfilling. */
const BEHIND = 500n;

/** Logs how far a backfill has come and when it will be done. */
export class BackfillLog {
  private start: { readonly at: number; blocks: number } | undefined;
  private toldAt = -Infinity;

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** @param blocks recorded just now, up to `height` */
  note(height: bigint, head: bigint, blocks: number): void {
    const now = this.clock.monotonic();
    const left = head - height;
    if (left < BEHIND) {
      if (this.start) this.logger.info({ height: String(height) }, 'backfill of blocks complete');
      this.start = undefined;
      return;
    }
    this.start ??= { at: now, blocks: 0 };
    this.start.blocks += blocks;
    if (now - this.toldAt < EVERY_MS) return;
    this.toldAt = now;
    const seconds = Math.max(1, now - this.start.at) / 1000;
    const perSecond = this.start.blocks / seconds;
    const progress = { height: String(height), head: String(head), blocksPerSecond: Math.round(perSecond) };
    const etaSeconds = Math.round(Number(left) / perSecond);
    this.logger.info(seconds < 1 ? progress : { ...progress, etaSeconds }, 'backfilling blocks');
  }
}
