import { Inject, Injectable } from '@nestjs/common';
import type { Alert } from '../domain/alerts/alert-ledger.js';
import { RareLog } from '../platform/rare-log.js';
import { ALERT_SOURCES, ALERTS_OPTIONS, type AlertSources, type AlertsOptions } from './alerts-options.js';

/** Finds the page about an alert: its incident, else its node or chain. */
@Injectable()
export class AlertLinks {
  private readonly complaints: RareLog;

  constructor(
    @Inject(ALERT_SOURCES) private readonly sources: AlertSources,
    @Inject(ALERTS_OPTIONS) private readonly options: AlertsOptions,
  ) {
    this.complaints = new RareLog(options.clock, options.logger);
  }

  /** The alert with its link, if the settings have a public address. Errors are logged and never delay an alert. */
  async addTo(alert: Alert): Promise<Alert> {
    const { publicUrl } = this.options;
    if (publicUrl === undefined) return alert;
    const path = await this.findPath(alert).catch((error: unknown) => {
      this.complaints.warn(error, 'the page about an alert was not found');
      return '/';
    });
    return { ...alert, link: `${publicUrl.replace(/\/+$/, '')}${path}` };
  }

  private async findPath({ rule, nodes, chain, since }: Alert): Promise<string> {
    const condition = this.options.rules.find(({ name }) => name === rule)?.condition;
    const [node] = nodes;
    if (node === undefined) return chain === null ? '/' : `/chain/${encodeURIComponent(chain)}`;
    if (condition?.kind === 'health') {
      const id = await this.sources.findIncident(node, condition.component ?? 'DA', since);
      if (id !== undefined) return `/incident/${encodeURIComponent(id).replaceAll('%3A', ':')}`;
    }
    return `/node/${encodeURIComponent(node)}`;
  }
}
