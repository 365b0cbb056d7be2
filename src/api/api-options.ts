import type { Budget } from '../domain/cost/budget.js';
import type { NodeAccess } from '../node-api/node-api.js';
import type { Clock } from '../platform/clock.js';
import type { ConnectionCounts } from '../platform/connection-counts.js';
import type { Logger } from '../platform/logger.js';
import type { PollMetrics } from './metrics/poll-metrics.js';

/** What the composition root tells this stage. */
export interface ApiOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** SHA-256 of each API key of the settings, lower-case hex. They may do everything; where there are any, all need a key. */
  readonly apiKeyHashes: readonly string[];
  /** Whether the server is reached from this computer only. If not, all need a key. */
  readonly isLoopback: boolean;
  /** Requests a minute, of a key, or of an address without one; 0: without a limit. */
  readonly rateLimit: number;
  /** Where requests are counted for all processes together; each counts its own when left out. */
  readonly sharedCounts?: SharedCounts | undefined;
  /** Origins (`https://host:port`) whose pages may ask and read. */
  readonly corsOrigins: readonly string[];
  /** Shown on the page at `/`. */
  readonly version: string;
  readonly metrics: MetricsOptions;
  /** How the nodes of the settings are asked for what is not on record. */
  readonly nodes?: readonly ReachableNode[] | undefined;
  /** Budgets of chains, from the rules of alerts. */
  readonly budgets?: readonly Budget[] | undefined;
  /** Whose own interface also stands at the root. */
  readonly defaultNode?: string | undefined;
}

/** A node, and how to reach it. */
export interface ReachableNode extends NodeAccess {
  readonly id: string;
}

/** What this process tells Prometheus. */
interface MetricsOptions {
  /** Whether it tells what stands in the database, which is the same whichever process tells it. */
  readonly tellsFigures: boolean;
  countConnections(): ConnectionCounts;
  /** The polls of a process that observes. */
  readonly polls?: PollMetrics | undefined;
}

/** A Redis in which requests are counted. */
export interface SharedCounts {
  readonly url: string;
  /** Before the names of all keys. */
  readonly prefix: string;
  /** No request waits for it longer than so many milliseconds; 250 when left out. */
  readonly patienceMs?: number;
}

/** Token under which {@link ApiOptions} are injected. */
export const API_OPTIONS = Symbol('ApiOptions');
