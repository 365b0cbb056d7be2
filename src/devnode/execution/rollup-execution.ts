import type { Millis } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';
import { nextAppHash, type ChainBlock } from '../block-factory.js';
import type { ChainStore } from '../chain-store.js';
import { callRpc, type RpcOutcome } from '../rpc-client.js';
import type { NoteTruth } from '../truth-log.js';

interface RollupExecutionParts {
  readonly clock: Clock;
  /** The execution layer's public API. */
  readonly url: string;
  readonly chain: ChainStore;
  readonly note: NoteTruth;
  /** The node tries this long after a refusal before it stops itself. */
  readonly patienceMs: Millis;
}

const TIMEOUT_MS = 5_000;

/** The execution layer has other blocks than the rollup. The node stops itself, as the real node does, with this text in its log. */
export class ExecutionLost extends Error {
  override readonly name = 'ExecutionLost';
}

/**
 * The execution layer of a rollup node, in another process. A node that starts replays the blocks that the layer lacks; a
 * layer that lacks some later is refused.
 */
export class RollupExecution {
  private isReplayed = false;
  private refusedSince: Millis | undefined;

  constructor(private readonly parts: RollupExecutionParts) {}

  /** Called when the node starts. */
  reset(): void {
    this.isReplayed = false;
    this.refusedSince = undefined;
  }

  /**
   * Executes the rollup's next block.
   * @returns false while the execution layer is out of reach, or while the node still tries
   * @throws ExecutionLost when it has been refused for too long
   */
  async execute(block: ChainBlock, signal: AbortSignal): Promise<boolean> {
    if (!this.isReplayed && !(await this.replay(block.header.height - 1n, signal))) return false;
    this.isReplayed = true;
    return this.send(block, signal);
  }

  private async replay(to: bigint, signal: AbortSignal): Promise<boolean> {
    const { chain } = this.parts;
    const outcome = await this.call('eth_blockNumber', [], signal);
    if (outcome.kind !== 'result') return false;
    for (let height = BigInt(outcome.result as string) + 1n; height <= to; height += 1n) {
      const block = chain.findStored(height);
      if (block && !(await this.send(block, signal))) return false;
    }
    return true;
  }

  private async send(block: ChainBlock, signal: AbortSignal): Promise<boolean> {
    const { height, timeNs, appHash, dataHash } = block.header;
    const payload = {
      height: String(height),
      timestamp: String(timeNs / 1000000000n),
      previousStateRoot: appHash,
      dataHash,
    };
    const outcome = await this.call('dev_execute', [payload], signal);
    if (outcome.kind === 'error') return this.refuse(height, outcome.message);
    if (outcome.kind !== 'result') return false;
    const { stateRoot } = outcome.result as { stateRoot?: string };
    const expected = nextAppHash(block);
    if (stateRoot !== expected)
      return this.refuse(
        height,
        `app hash mismatch at height ${height}: expected ${expected}, got ${stateRoot}`,
      );
    this.refusedSince = undefined;
    return true;
  }

  private call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<RpcOutcome> {
    return callRpc({ url: this.parts.url, method, params, timeoutMs: TIMEOUT_MS, signal });
  }

  private refuse(height: bigint, reason: string): false {
    const { clock, note, patienceMs } = this.parts;
    if (this.refusedSince === undefined) note('execution-refused', { height, reason });
    this.refusedSince ??= clock.monotonic();
    if (clock.monotonic() - this.refusedSince >= patienceMs) throw new ExecutionLost(reason);
    return false;
  }
}
