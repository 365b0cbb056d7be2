import type { Millis } from '../../domain/time.js';
import type { ConsensusApi, ConsensusHead } from '../../node-api/consensus-api.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';

/**
 * Reads the head of a consensus node while polls of its DA node go on: a consensus node that hangs delays nothing else. Nodes
 * that name the same address share one.
 */
export class ConsensusWatch {
  private latest: ConsensusHead | undefined;
  private isReading = false;
  private readAt: Millis = -Infinity;
  private problem: string | undefined;

  constructor(
    readonly api: ConsensusApi,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /**
   * The head that was read last; undefined while the consensus node does not answer. Starts to read the next one, unless that is
   * under way or was done lately.
   */
  next(freshMs: Millis, logger: Logger, signal: AbortSignal): ConsensusHead | undefined {
    const now = this.clock.monotonic();
    if (!this.isReading && now - this.readAt >= freshMs) {
      this.isReading = true;
      this.readAt = now;
      void this.read(logger, signal).finally(() => {
        this.isReading = false;
      });
    }
    return this.latest;
  }

  private async read(logger: Logger, signal: AbortSignal): Promise<void> {
    const head = await this.api.head(signal);
    if (signal.aborted) return;
    this.latest = head.ok ? head.value : undefined;
    const problem = head.ok ? undefined : head.state;
    if (problem !== undefined && problem !== this.problem)
      logger.warn({ state: problem }, 'the consensus node of the settings does not answer');
    this.problem = problem;
  }
}
