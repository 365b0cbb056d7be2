import type { AlertRule } from '../domain/alerts/alert-rules.js';
import type { Mute } from '../domain/alerts/alert-scope.js';
import type { AlertDestination } from '../domain/alerts/destinations.js';
import type { HealthComponent } from '../domain/health/health-rule.js';
import type { ReportSchedule, RequestedReport } from '../domain/statistics/due-report.js';
import type { Millis } from '../domain/time.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { Mail } from './send-mail.js';

export interface AlertsOptions {
  readonly destinations: readonly AlertDestination[];
  readonly rules: readonly AlertRule[];
  readonly maintenance: readonly Mute[];
  readonly reports?: readonly ReportSchedule[];
  /** URL that is requested once a minute while all is well; undefined: none. Secret, like the addresses of destinations. */
  readonly heartbeat?: string | undefined;
  /** The public address of the dashboard; messages have no link without it. */
  readonly publicUrl?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const ALERTS_OPTIONS = Symbol('AlertsOptions');

export interface OwnHealth {
  /** Why it is not ready, or does not record what it should; undefined if neither. */
  readonly notReady?: string | undefined;
  /** Each other fault of the service, as a sentence. */
  readonly degraded: readonly string[];
  /** Free bytes on the database's disk; undefined if unknown. */
  readonly freeBytes?: bigint | undefined;
  readonly daysLeft?: number | undefined;
}

export interface AlertedIncident {
  readonly id: string;
  /** The name of the person who acknowledged it; null if nobody did. */
  readonly acknowledgedBy: string | null;
}

/** The cost of a chain in a period, as a mail. */
export interface ReportMail extends Pick<Mail, 'subject' | 'text' | 'html' | 'file'> {
  /** Whether everything that is on record is in its figures. */
  readonly isCounted: boolean;
}

/** Reads a report from the stages above this one. */
export type ReadReport = (chain: string, report: RequestedReport) => Promise<ReportMail>;

export const READ_REPORT = Symbol('ReadReport');

/** Data that alerts need from stages above this one. */
export interface AlertSources {
  readOwnHealth(): Promise<OwnHealth>;
  /** A node's incident at a time; undefined if there is none. */
  findIncident(node: string, component: HealthComponent, at: Millis): Promise<AlertedIncident | undefined>;
}

export const ALERT_SOURCES = Symbol('AlertSources');
