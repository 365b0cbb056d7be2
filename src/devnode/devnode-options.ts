import type { Clock } from '../platform/clock.js';
import type { BlockShape } from '../domain/node-interface/known-block.js';
import type { Scenario } from './scenario.js';
import type { Millis } from '../domain/time.js';

/** Options of a devnode. Everything but `chainId` has a default. */
export interface DevnodeOptions {
  chainId: string;
  /** Default: the computer's clock. */
  clock?: Clock;
  /** Keys, transactions and the moments of a scenario follow from it. Default `devnode`. */
  seed?: string;
  /** Address to listen on. Default 127.0.0.1. */
  host?: string;
  /** Ports of the RPC server and of the status query; 0, the default, takes a free port. */
  port?: number;
  statusPort?: number;
  /** Folder of the chain; without it, the files disappear with the process. */
  dataDirectory?: string;
  /** URL of the devnode to follow; such a node makes and submits nothing itself. */
  follow?: string;
  /** Default 1,000; 0 makes no blocks but those of `produce` and `burst`. */
  blockTimeMs?: Millis;
  /** On average. Default 4. */
  txsPerBlock?: number;
  /** Default 2,000. */
  daBlockTimeMs?: Millis;
  /** The node waits this long for a DA layer that hangs. Default 28,000. */
  daTimeoutMs?: Millis;
  /** URL of a DA node to post to (`hindsight devnode da`), and a token that may write. Default: a DA layer in memory. */
  daUrl?: string;
  daToken?: string;
  /** Address of the account that pays the fees there. Default: the DA node's own. */
  daFeeGranter?: string;
  /** URL of an execution layer (`hindsight devnode execution`). Default: the node executes by itself. */
  execution?: string;
  /** The node tries this long when the execution layer has other blocks, before it stops itself. Default 22,000. */
  executionPatienceMs?: Millis;
  /** Faults from the first start on. Default: none. */
  scenario?: Scenario;
  /** File to which everything that happens is written, one line of JSON each. */
  truthFile?: string;
  /** Default `on`. */
  daMonitoring?: 'on' | 'disabled' | 'absent';
  /** Rows that the list keeps. Default 100. */
  ringSize?: number;
  /** The number of newest blocks that are shown. Default: all. */
  retainBlocks?: number;
  /** Whether inclusion stops after a kill until the next orderly stop, as in the real node. */
  freezeAfterKill?: boolean;
  /** Default `connect`, the real node's. */
  shape?: BlockShape;
  /** Default `evnode.v1`, and `node.v1` in the shape of the specification. */
  service?: string;
}
