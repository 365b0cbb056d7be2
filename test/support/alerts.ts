import type { DataSource } from 'typeorm';
import { AlertLinks } from '../../src/alerts/alert-links.js';
import type { AlertSources, AlertsOptions } from '../../src/alerts/alerts-options.js';
import { AlertsService } from '../../src/alerts/alerts.service.js';
import { ConditionSampler } from '../../src/alerts/condition-sampler.js';
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
