import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

/** What the composition root tells this stage. */
export interface ApiOptions {
  readonly clock: Clock;
  /** For our own failures. */
  readonly logger: Logger;
  /** SHA-256 of each API key, lower-case hex. Empty: no key is asked for. */
  readonly apiKeyHashes: readonly string[];
  /** Shown on the page at `/`. */
  readonly version: string;
}

/** Token under which {@link ApiOptions} are injected. */
export const API_OPTIONS = Symbol('ApiOptions');
