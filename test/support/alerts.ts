import type { DataSource } from 'typeorm';
import { AlertLinks } from '../../src/alerts/alert-links.js';
import type { AlertSources, AlertsOptions } from '../../src/alerts/alerts-options.js';
import { AlertsService } from '../../src/alerts/alerts.service.js';
import { ConditionSampler } from '../../src/alerts/condition-sampler.js';
import type { Alert } from '../../src/domain/alerts/alert-ledger.js';
import { EventStore } from '../../src/event-log/event-store.js';
import type { JobHandlers } from '../../src/platform/queues/job-kind.js';
import type { JobQueue } from '../../src/platform/queues/job-queue.js';

/** Sources that report no trouble of the service itself, and no incident. */
const QUIET_SOURCES: AlertSources = {
  readOwnHealth: () => Promise.resolve({ degraded: [] }),
  findIncident: () => Promise.resolve(undefined),
};

/** Alerts of a process, as its composition root creates them. */
export function newAlerts(
  dataSource: DataSource,
  queue: JobQueue,
  handlers: JobHandlers,
  options: AlertsOptions,
  sources = QUIET_SOURCES,
): AlertsService {
  const sampler = new ConditionSampler(dataSource, sources, options);
  const links = new AlertLinks(sources, options);
  return new AlertsService(dataSource, new EventStore(dataSource), queue, handlers, sampler, links, options);
}

const MINUTE_MS = 60_000;

/**
 * An alert about failing submissions.
 * @param startMs since 1970
 * @param number of the alert, which began as many minutes after `startMs`
 */
export function alertAt(startMs: number, number: number, given: Partial<Alert> = {}): Alert {
  return {
    id: `da-failing-${number}`,
    rule: 'da-failing',
    severity: 'CRITICAL',
    owner: 'lab-1',
    chain: 'lab-1',
    nodes: ['alpha'],
    since: startMs + number * MINUTE_MS,
    reason: 'the last 5 attempts failed',
    words: { title: 'DA submissions fail', means: 'It means this.', remedy: 'Do that.' },
    ...given,
  };
}
