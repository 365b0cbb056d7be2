import type { Millis } from '../../domain/time.js';
import type { RigProcessOptions } from '../rig-process.js';

/** Options of a DA node of the rig. Everything has a default. */
export interface DaDevnodeOptions extends RigProcessOptions {
  /** Ports of the DA node's JSON-RPC and of the consensus node's REST; 0, the default, takes a free port. */
  port?: number;
  consensusPort?: number;
  /** Default `devnode-da-1`. */
  chainId?: string;
  /** Height of the first DA block. Default 1. */
  firstHeight?: bigint;
  /** Default 2,000; 0 makes no blocks but those of `produce`. */
  blockTimeMs?: Millis;
  /** In utia per gas, plain decimal text. Default `0.004`. */
  gasPrice?: string;
  /** Bytes of the blobs of a submission together. Default 7 MiB. */
  maxBlobBytes?: number;
  /** Balance of the node's own account at genesis. Default 100 TIA; 0 for an account that the network has never seen. */
  balanceUtia?: bigint;
}
