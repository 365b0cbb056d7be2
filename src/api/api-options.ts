import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

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
  readonly sharedCounts?: { readonly url: string; readonly prefix: string } | undefined;
  /** Origins (`https://host:port`) whose pages may ask and read. */
  readonly corsOrigins: readonly string[];
  /** Shown on the page at `/`. */
  readonly version: string;
}

/** Token under which {@link ApiOptions} are injected. */
export const API_OPTIONS = Symbol('ApiOptions');
