import type { Millis } from '../../domain/time.js';
import type { ConsensusApi, ConsensusHead } from '../../node-api/consensus-api.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';

/** A poll of the DA node that a consensus node is read for. */
interface Wanted {
  /** The chain of the DA node; none while it is unknown. */
  readonly daChain: string | null | undefined;
  /** A head that was asked for within this time is not asked for again. */
  readonly freshMs: Millis;
  readonly logger: Logger;
}

/**
 * Reads the head of a consensus node while polls of its DA node go on: a consensus node that hangs delays nothing else. Nodes
 * that name the same address share one.
 */
export class ConsensusWatch {
  private latest: ConsensusHead | undefined;
  private isReading = false;
  private readAt: Millis = -Infinity;
  private problem = '';

  constructor(
    readonly api: ConsensusApi,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /**
   * The head that was read last; undefined while the consensus node does not answer, and if it is of another chain. Starts to read
   * the next one, unless that is under way or was done lately.
   */
  next({ daChain, freshMs, logger }: Wanted, signal: AbortSignal): ConsensusHead | undefined {
    const now = this.clock.monotonic();
    if (!this.isReading && now - this.readAt >= freshMs) {
      this.isReading = true;
      this.readAt = now;
      void this.read({ daChain, logger }, signal).finally(() => {
        this.isReading = false;
      });
    }
    return this.latest?.chain === daChain ? this.latest : undefined;
  }

  private async read({ daChain, logger }: Omit<Wanted, 'freshMs'>, signal: AbortSignal): Promise<void> {
    const head = await this.api.head(signal);
    if (signal.aborted) return;
    this.latest = head.ok ? head.value : undefined;
    const isForeign = head.ok && typeof daChain === 'string' && head.value.chain !== daChain;
    const problem = head.ok ? (isForeign ? 'of another DA chain' : '') : head.state;
    if (problem !== '' && problem !== this.problem)
      logger.warn({ problem }, 'the consensus node of the settings cannot be used');
    this.problem = problem;
  }
}
