import type { DaBlock, DaChain } from './da-chain.js';

/** A DA node as its methods see it. */
export interface DaView {
  readonly chain: DaChain;
  readonly chainId: string;
  /** The account that pays for submissions. */
  readonly address: string;
  /** The newest block that the node has; older than the network's while it is cut off. */
  head(): DaBlock;
  /** Bytes of the blobs of a submission together. */
  maxBlobBytes(): number;
  /** Counts a call, for tests. */
  count(method: string): void;
  /**
   * Waits for the consensus node. Returns the error of gRPC when it cannot be reached, undefined when it answered.
   * @param isPatient waits for as long as it hangs
   */
  awaitConsensus(signal: AbortSignal, isPatient: boolean): Promise<string | undefined>;
}
