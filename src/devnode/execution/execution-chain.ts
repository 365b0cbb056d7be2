import { createHash } from 'node:crypto';
import { GENESIS_APP_HASH, nextStateHash } from '../block-factory.js';

/** A block of an execution layer. Hashes are lower-case hex without a prefix. */
export interface ExecutionBlock {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  /** The state after the block; the next block of the rollup carries it as its app hash. */
  readonly stateRoot: string;
  /** Unix seconds; 0 at genesis. */
  readonly timestamp: bigint;
}

/** A block as the rollup node gives it to execute: header and data, as far as the state depends on them. */
export interface ExecutionPayload {
  readonly height: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  /** The state before the block, as the rollup node has it; lower-case hex. */
  readonly previousStateRoot: string;
  /** Hash of the block's transactions, lower-case hex. */
  readonly dataHash: string;
}

/** Blocks kept besides genesis. */
const BLOCKS_KEPT = 200_000;
const NO_HASH = '0'.repeat(64);

/** Refused to execute; the text is what the rollup node writes into its log. */
export class ExecutionError extends Error {}

/** The chain of an execution layer: each state root follows from the one before it and the block's data. */
export class ExecutionChain {
  private readonly blocks = new Map<bigint, ExecutionBlock>();
  private newest: ExecutionBlock;

  constructor(private readonly chainId: number) {
    this.newest = this.makeBlock(0n, NO_HASH, GENESIS_APP_HASH, 0n);
    this.blocks.set(0n, this.newest);
  }

  get head(): ExecutionBlock {
    return this.newest;
  }

  find(number: bigint): ExecutionBlock | undefined {
    return this.blocks.get(number);
  }

  /**
   * Executes the next block; a block that was executed before changes nothing.
   * @throws ExecutionError when the block before it is missing or has another state
   */
  execute(payload: ExecutionPayload): ExecutionBlock {
    const { height, timestamp, previousStateRoot, dataHash } = payload;
    const parent = this.blocks.get(height - 1n);
    if (!parent) throw new ExecutionError(`failed to get block at height ${height - 1n}: not found`);
    if (parent.stateRoot !== previousStateRoot) throw mismatch(height, previousStateRoot, parent.stateRoot);
    const known = this.blocks.get(height);
    const stateRoot = nextStateHash(previousStateRoot, dataHash);
    if (known?.stateRoot === stateRoot) return known;
    this.cutTo(height - 1n);
    this.newest = this.makeBlock(height, parent.hash, stateRoot, timestamp);
    this.blocks.set(height, this.newest);
    const oldest = height - BigInt(BLOCKS_KEPT);
    if (oldest > 0n) this.blocks.delete(oldest);
    return this.newest;
  }

  /** Drops every block above a height. */
  cutTo(height: bigint): void {
    for (let number = this.newest.number; number > height; number -= 1n) this.blocks.delete(number);
    this.newest = this.blocks.get(height) ?? this.newest;
  }

  private makeBlock(
    number: bigint,
    parentHash: string,
    stateRoot: string,
    timestamp: bigint,
  ): ExecutionBlock {
    const content = `${this.chainId} ${number} ${parentHash} ${stateRoot} ${timestamp}`;
    const hash = createHash('sha256').update(content).digest('hex');
    return { number, hash, parentHash, stateRoot, timestamp };
  }
}

/** The error of ev-node when the execution layer has another state than the rollup. */
export function mismatch(height: bigint, ofRollup: string, ofExecution: string): ExecutionError {
  return new ExecutionError(
    `prevStateRoot mismatch at height ${height}: consensus=${ofRollup} execution=${ofExecution}`,
  );
}
