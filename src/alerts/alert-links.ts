import { Inject, Injectable } from '@nestjs/common';
import type { Alert } from '../domain/alerts/alert-ledger.js';
import { ALERT_RULES } from '../domain/alerts/alert-rules.js';
import { RUNBOOK_PATH } from '../domain/health/trouble-words.js';
import { RareLog } from '../platform/rare-log.js';
import {
  ALERT_SOURCES,
  ALERTS_OPTIONS,
  type AlertedIncident,
  type AlertSources,
  type AlertsOptions,
} from './alerts-options.js';

/** Finds the pages about an alert: its incident, else its node or chain; and its runbook. */
@Injectable()
export class AlertLinks {
  private readonly complaints: RareLog;

  constructor(
    @Inject(ALERT_SOURCES) private readonly sources: AlertSources,
    @Inject(ALERTS_OPTIONS) private readonly options: AlertsOptions,
  ) {
    this.complaints = new RareLog(options.clock, options.logger);
  }

  /**
   * The alert with its runbook and, if the settings have a public address, with its link. Errors are logged and never delay an alert.
   * @param alert its `runbook` is a path so far; undefined: the page of its rule
   */
  async addTo(alert: Alert): Promise<Alert> {
    const { publicUrl } = this.options;
    const isOurs = ALERT_RULES.some(({ name }) => name === alert.rule);
    const page = alert.runbook ?? (isOurs ? `${RUNBOOK_PATH}${alert.rule}` : undefined);
    if (publicUrl === undefined) return page === undefined ? alert : { ...alert, runbook: toFile(page) };
    const path = await this.findPath(alert).catch((error: unknown) => {
      this.complaints.warn(error, 'the page about an alert was not found');
      return '/';
    });
    const base = publicUrl.replace(/\/+$/, '');
    return { ...alert, link: `${base}${path}`, ...(page !== undefined && { runbook: `${base}${page}` }) };
  }

  /** The incident of an alert about health; undefined for other alerts, and if there is no incident. */
  async findIncident({ rule, nodes, since }: Alert): Promise<AlertedIncident | undefined> {
    const condition = this.options.rules.find(({ name }) => name === rule)?.condition;
    const [node] = nodes;
    if (node === undefined || condition?.kind !== 'health') return undefined;
    return this.sources.findIncident(node, condition.component ?? 'DA', since);
  }

  private async findPath(alert: Alert): Promise<string> {
    const { chain } = alert;
    const [node] = alert.nodes;
    if (node === undefined) return chain === null ? '/' : `/chain/${encodeURIComponent(chain)}`;
    const id = (await this.findIncident(alert))?.id;
    if (id !== undefined) return `/incident/${encodeURIComponent(id).replaceAll('%3A', ':')}`;
    return `/node/${encodeURIComponent(node)}`;
  }
}

/** The file of a runbook in the sources: `docs/runbooks/da-failing.md`, `docs/failure-causes.md#da_busy`. */
function toFile(page: string): string {
  const [, name = '', section = ''] = /^\/runbooks\/([^#]+)(#.*)?$/.exec(page) ?? [];
  return name === 'failure-causes' ? `docs/${name}.md${section}` : `docs/runbooks/${name}.md`;
}
