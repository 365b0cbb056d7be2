import type { AlertsOptions } from '../alerts/alerts-options.js';
import type { ChainBudget } from '../domain/cost/budget.js';
import type { PublicPart } from '../domain/public-parts.js';
import type { NodeAccess } from '../node-api/node-api.js';
import type { Clock } from '../platform/clock.js';
import type { ConnectionCounts } from '../platform/connection-counts.js';
import type { Logger } from '../platform/logger.js';
import type { PollMetrics } from './metrics/poll-metrics.js';

export interface ApiOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * SHA-256 of each API key in the settings, lower-case hex. These keys may do everything; if there are any, every request needs
   * a key.
   */
  readonly apiKeyHashes: readonly string[];
  /** Whether the server can be reached from this computer only. If not, every request needs a key. */
  readonly isLoopback: boolean;
  /** Requests per minute, per key, or per address without a key; 0: no limit. */
  readonly rateLimit: number;
  /** Where all processes count requests together; when left out, each process counts its own. */
  readonly sharedCounts?: SharedCounts | undefined;
  /** Origins (`https://host:port`) whose pages may send requests and read the answers. */
  readonly corsOrigins: readonly string[];
  /** Shown on the page at `/`. */
  readonly version: string;
  /** A chain of samples, which the page at `/` offers first. */
  readonly sampleChain?: string | undefined;
  readonly metrics: MetricsOptions;
  /** How to reach the nodes of the settings for what is not on record. */
  readonly nodes?: readonly ReachableNode[] | undefined;
  /** Budgets of chains, from the alert rules. */
  readonly budgets?: readonly ChainBudget[] | undefined;
  /** Rules and destinations of alerts; undefined: none. Addresses and secrets in it are never served. */
  readonly alerts?: AlertSettings | undefined;
  /** The node whose own interface is also served at the root. */
  readonly defaultNode?: string | undefined;
  /** The parts of each chain's public page; chains without a page are left out. */
  readonly publicChains?: ReadonlyMap<string, ReadonlySet<PublicPart>> | undefined;
}

type AlertSettings = Pick<AlertsOptions, 'destinations' | 'rules' | 'maintenance' | 'publicUrl'>;

export const NO_ALERTS: AlertSettings = { destinations: [], rules: [], maintenance: [] };

export interface ReachableNode extends NodeAccess {
  readonly id: string;
}

interface MetricsOptions {
  /** Whether it exports the figures of the database, which are the same in every process. */
  readonly tellsFigures: boolean;
  countConnections(): ConnectionCounts;
  /** The polls of this process; only if it observes. */
  readonly polls?: PollMetrics | undefined;
}

/** A Redis that counts requests. */
export interface SharedCounts {
  readonly url: string;
  /** Prefix of all key names. */
  readonly prefix: string;
  /** Longest time, in milliseconds, that a request waits for Redis; 250 when left out. */
  readonly patienceMs?: number;
}

export const API_OPTIONS = Symbol('ApiOptions');
