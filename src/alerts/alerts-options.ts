import type { AlertDestination } from '../domain/alerts/notice-request.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

/** The settings and tools that this stage works with. */
export interface AlertsOptions {
  readonly destinations: readonly AlertDestination[];
  /** Asked once a minute while all is well; nothing when left out. Secret, as the addresses of destinations are. */
  readonly heartbeat?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Token under which {@link AlertsOptions} are injected. */
export const ALERTS_OPTIONS = Symbol('AlertsOptions');
