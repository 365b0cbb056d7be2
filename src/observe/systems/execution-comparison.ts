import type { ExecutionEvents } from '../../domain/events.js';
import type { ExecutionApi, ExecutionBlock } from '../../node-api/execution-api.js';
import type { NodeApi } from '../../node-api/node-api.js';

/** The newest block that the rollup node has executed, by its own state. */
export interface RollupState {
  /** Decimal digits. */
  readonly height: string;
  /** The state after that block; lower-case hex. */
  readonly appHash: string;
}

type Compared = NonNullable<ExecutionEvents['ExecutionHeadObserved']['compared']>;

/** A height of the rollup needs this many halvings at most: heights are below 2^63. */
const MOST_STEPS = 64;

/**
 * Compares the states of the execution layer and the rollup node. A header carries the state before its block, so the root
 * after block H is the `app_hash` of header H + 1, and that of the newest block is the node's own state.
 */
export class ExecutionComparison {
  constructor(
    private readonly execution: ExecutionApi,
    private readonly node: NodeApi,
    private readonly signal: AbortSignal,
  ) {}

  /** Compares at the newest height that both have; null if nothing can be compared. */
  async atHead(head: ExecutionBlock, rollup: RollupState): Promise<Compared | null> {
    const height = BigInt(rollup.height);
    if (head.number < height) return this.at(head.number, head);
    const block = head.number === height ? head : await this.executed(height);
    if (block === null) return null;
    return { height: rollup.height, stateRoot: block.stateRoot, appHash: rollup.appHash };
  }

  /**
   * The lowest height at which both differ, 0 for another genesis: states are cumulative, so halving finds it.
   * @param differs a height at which they differ
   * @param agreed the highest one at which they agreed so far
   */
  async firstDifference(differs: bigint, agreed: bigint): Promise<string | null> {
    let [low, high] = [agreed < differs ? agreed : 0n, differs];
    const isReplaced = low > 0n ? await this.isDifferent(low) : false;
    if (isReplaced === null) return null;
    // A height that agreed once may differ now: the execution layer was replaced.
    if (isReplaced) [low, high] = [0n, low];
    if (low === 0n && (await this.isDifferent(0n)) === true) return '0';
    for (let step = 0; step < MOST_STEPS && high - low > 1n; step += 1) {
      const middle = (low + high) / 2n;
      const isDifferent = await this.isDifferent(middle);
      if (isDifferent === null) return null;
      if (isDifferent) high = middle;
      else low = middle;
    }
    return String(high);
  }

  private async isDifferent(height: bigint): Promise<boolean | null> {
    const compared = await this.at(height);
    return compared && compared.stateRoot !== compared.appHash;
  }

  private async at(height: bigint, known?: ExecutionBlock): Promise<Compared | null> {
    const [block, header] = await Promise.all([
      known ?? this.executed(height),
      this.node.block({ height: height + 1n }, this.signal),
    ]);
    const appHash = header.ok ? header.value.header.appHash.toLowerCase() : '';
    return block === null || appHash === ''
      ? null
      : { height: String(height), stateRoot: block.stateRoot, appHash };
  }

  private async executed(height: bigint): Promise<ExecutionBlock | null> {
    const block = await this.execution.block(height, this.signal);
    return block.ok ? block.value : null;
  }
}
