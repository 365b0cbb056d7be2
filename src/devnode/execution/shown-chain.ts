import { createHash } from 'node:crypto';
import type { GivenFaults } from '../given-faults.js';
import {
  mismatch,
  type ExecutionBlock,
  type ExecutionChain,
  type ExecutionPayload,
} from './execution-chain.js';
import type { ExecutionFault } from './execution-faults.js';

/** An execution layer's chain as its faults show it. */
export class ShownChain {
  constructor(
    private readonly chain: ExecutionChain,
    private readonly faults: GivenFaults<ExecutionFault>,
  ) {}

  get head(): bigint {
    const shown = this.chain.head.number + this.blocksOf('ahead') - this.blocksOf('behind');
    return shown > 0n ? shown : 0n;
  }

  find(number: bigint): ExecutionBlock | undefined {
    if (number > this.head) return undefined;
    const block = this.chain.find(number) ?? this.inventBlock(number);
    return block && number >= this.firstOther ? toOther(block) : block;
  }

  /**
   * Executes the rollup's next block.
   * @throws ExecutionError if the states differ
   */
  execute(payload: ExecutionPayload): ExecutionBlock {
    const before = payload.height - 1n;
    const other = this.isRefusing && before >= this.firstOther ? this.find(before) : undefined;
    if (other) throw mismatch(payload.height, payload.previousStateRoot, other.stateRoot);
    return this.chain.execute(payload);
  }

  /** The first block with another state than the rollup's. */
  private get firstOther(): number {
    return this.faults.has('wrong-genesis') ? 0 : (this.faults.find('differs')?.height ?? Infinity);
  }

  private get isRefusing(): boolean {
    const fault = this.faults.find('wrong-genesis') ?? this.faults.find('differs');
    return fault !== undefined && fault.refuse !== false;
  }

  private blocksOf(name: 'ahead' | 'behind'): bigint {
    return BigInt(this.faults.find(name)?.blocks ?? 0);
  }

  /** A block that the rollup never made, while the head is ahead. */
  private inventBlock(number: bigint): ExecutionBlock | undefined {
    const { head } = this.chain;
    if (number <= head.number) return undefined;
    const timestamp = head.timestamp + number - head.number;
    return { ...toOther({ ...head, stateRoot: `${head.stateRoot} ${number}` }), number, timestamp };
  }
}

/** The same block of another chain. */
function toOther(block: ExecutionBlock): ExecutionBlock {
  const derive = (text: string): string => createHash('sha256').update(`another chain ${text}`).digest('hex');
  return { ...block, hash: derive(block.stateRoot), stateRoot: derive(`state ${block.stateRoot}`) };
}
