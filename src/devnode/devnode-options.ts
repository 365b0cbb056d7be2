import type { Clock } from '../platform/clock.js';
import type { BlockShape } from '../domain/node-interface/known-block.js';
import type { Scenario } from './scenario.js';
import type { Millis } from '../domain/time.js';

/** How a devnode is to behave. Everything but the chain has a default. */
export interface DevnodeOptions {
  chainId: string;
  /** Default: the computer's clock. */
  clock?: Clock;
  /** Keys, transactions and the moments of a scenario follow from it. Default `devnode`. */
  seed?: string;
  /** Address to listen on. Default 127.0.0.1. */
  host?: string;
  /** Of the RPC server and of the status query; 0, the default, takes a free one. */
  port?: number;
  statusPort?: number;
  /** Where the chain is kept; without it, in files that go with the process. */
  dataDirectory?: string;
  /** URL of the devnode to follow; such a node makes and submits nothing itself. */
  follow?: string;
  /** Default 1,000; 0 makes no blocks but those of `produce` and `burst`. */
  blockTimeMs?: Millis;
  /** On average. Default 4. */
  txsPerBlock?: number;
  /** Default 2,000. */
  daBlockTimeMs?: Millis;
  /** How long the node waits for a DA layer that hangs. Default 28,000. */
  daTimeoutMs?: Millis;
  /** What happens to it, from the first start on. Default: nothing. */
  scenario?: Scenario;
  /** Where all that truly happens is written, a line of JSON each. */
  truthFile?: string;
  /** Default `on`. */
  daMonitoring?: 'on' | 'disabled' | 'absent';
  /** Rows that the list keeps. Default 100. */
  ringSize?: number;
  /** Show only the newest blocks. */
  retainBlocks?: number;
  /** Whether inclusion stands still after a kill until the next orderly stop, as with the real node. */
  freezeAfterKill?: boolean;
  /** Default `connect`, the real node's. */
  shape?: BlockShape;
  /** Default `evnode.v1`, and `node.v1` in the shape of the specification. */
  service?: string;
}
