import type { AlertRule } from '../domain/alerts/alert-rules.js';
import type { Mute } from '../domain/alerts/alert-scope.js';
import type { AlertDestination } from '../domain/alerts/notice-request.js';
import type { HealthComponent } from '../domain/health/health-rule.js';
import type { Millis } from '../domain/time.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

/** The settings and tools that this stage works with. */
export interface AlertsOptions {
  readonly destinations: readonly AlertDestination[];
  readonly rules: readonly AlertRule[];
  /** Times in which nobody is told. */
  readonly maintenance: readonly Mute[];
  /** Asked once a minute while all is well; nothing when left out. Secret, as the addresses of destinations are. */
  readonly heartbeat?: string | undefined;
  /** Where people reach the dashboard; messages have no link when it is left out. */
  readonly publicUrl?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Token under which {@link AlertsOptions} are injected. */
export const ALERTS_OPTIONS = Symbol('AlertsOptions');

/** How Hindsight itself is. */
export interface OwnHealth {
  /** Why it is not ready, or why what it should record is not recorded; undefined while neither is so. */
  readonly notReady?: string | undefined;
  /** Each other fault of the service, as a sentence. */
  readonly degraded: readonly string[];
  /** Of the database's disk; undefined where it cannot be asked. */
  readonly freeBytes?: bigint | undefined;
  readonly daysLeft?: number | undefined;
}

/** Alerts ask these of stages that stand above this one. */
export interface AlertSources {
  readOwnHealth(): Promise<OwnHealth>;
  /** The id of the incident of a node that stands at a time; undefined where there is none. */
  findIncident(node: string, component: HealthComponent, at: Millis): Promise<string | undefined>;
}

/** Token under which {@link AlertSources} are injected. */
export const ALERT_SOURCES = Symbol('AlertSources');
