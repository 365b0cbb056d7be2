import { Inject, Injectable } from '@nestjs/common';
import { ALERT_STREAM, AlertBook } from '../../alerts/alert-book.js';
import { findUnevaluable } from '../../alerts/condition-sampler.js';
import type { AlertLedger } from '../../domain/alerts/alert-ledger.js';
import { isAlertMuted } from '../../domain/alerts/alert-scope.js';
import { findPauses } from '../../domain/alerts/destinations.js';
import { EventStore } from '../../event-log/event-store.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { API_OPTIONS, NO_ALERTS, type ApiOptions } from '../api-options.js';
import { toPage, toPageRequest, type Page, type PagingArgs } from '../graphql/connection.js';
import { codecFor, cursorsOf, keysetOrder, numbersOf } from '../graphql/keyed-list.js';
import { limitOf, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { toSilence } from '../silences/silence.type.js';
import {
  MOST_DELIVERIES,
  toAlertDelivery,
  type AlertDestination,
  type DeliveryRow,
} from './alert-destination.type.js';
import { toAlertRule, type AlertRule, type UnevaluatedChain } from './alert-rule.type.js';
import { toAlert, type Alert, type AlertRow, type AlertSilences } from './alert.type.js';

const KEY = numbersOf('e.version');
const CURSORS = cursorsOf<AlertRow>('alerts', KEY, ({ version }) => [version]);

/** Deliveries among which those of each destination are found. */
const LATEST_DELIVERIES = 1_000;

/** Reads what the alerts stage has recorded. Rules and destinations are those of the settings of this process. */
@Injectable()
export class AlertsQuery {
  private readonly book: AlertBook;

  constructor(
    store: EventStore,
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'alerts' | 'clock'>,
  ) {
    this.book = new AlertBook(store);
  }

  /** A page of alerts, those raised last first. @param open only open ones, or only those that are over; undefined: both */
  async getAlerts(open: boolean | null | undefined, args: PagingArgs): Promise<Page<Alert>> {
    const codec = codecFor(CURSORS, { open });
    const request = toPageRequest(args, codec);
    const ledger = await this.book.read();
    const ids = ledger.open.map(({ id }) => id);
    const parameters = new SqlParameters();
    const keyset = keysetOrder(KEY, request, false, parameters);
    const id = "e.body->'alert'->>'id'";
    const isOpen =
      typeof open === 'boolean' ? `(${id} = ANY (${parameters.add(ids, 'text[]')})) = ${open}` : 'true';
    // The search ends with the last open alert, however long the stream is.
    const limit = open === true ? Math.min(request.size + 1, ids.length) : request.size + 1;
    const rows = await this.reads.query<AlertRow[]>(
      `WITH raised AS MATERIALIZED (
         SELECT e.version, e.body->'alert' AS alert FROM event e
          ${whereAll([`e.stream = '${ALERT_STREAM}'`, "e.type = 'AlertRaised'", isOpen, ...keyset.conditions])}
          ORDER BY ${keyset.orderBy} LIMIT ${limitOf(limit)}),
       ended AS (
         SELECT e.body->>'alert' AS id, (e.body->>'until')::float8 AS until, e.body->'gone' AS gone FROM event e
          WHERE e.stream = '${ALERT_STREAM}' AND e.type = 'AlertResolved' AND e.version > (SELECT min(version) FROM raised)
            AND e.body->>'alert' IN (SELECT alert->>'id' FROM raised))
       SELECT e.version, e.alert, ended.until, coalesce(ended.gone, '[]') AS gone
         FROM raised e LEFT JOIN ended ON ended.id = e.alert->>'id' ORDER BY ${keyset.orderBy}`,
      parameters.values,
    );
    return toPage(request, rows, codec, (row) => toAlert(row, this.silencesOf(ledger, row)));
  }

  /** The rules; empty without a destination, because then none is evaluated. */
  async getRules(): Promise<AlertRule[]> {
    const { rules, destinations } = this.settings;
    if (destinations.length === 0) return [];
    const { open } = await this.book.read();
    return rules.map((rule) => toAlertRule(rule, open.filter((alert) => alert.rule === rule.name).length));
  }

  /** Chains for which a rule on cost cannot be evaluated. */
  async getUnevaluated({ given }: AlertRule): Promise<UnevaluatedChain[]> {
    const found = await findUnevaluable(this.reads, [given], this.options.clock.now());
    return found.map(({ chain, why: reason }) => ({ chain, reason }));
  }

  async getDestinations(): Promise<AlertDestination[]> {
    const { destinations } = this.settings;
    if (destinations.length === 0) return [];
    const [ledger, rows] = await Promise.all([this.book.read(), this.readDeliveries()]);
    const waiting = ledger.state.notices.flatMap(({ waitingAt }) => waitingAt);
    const pauses = findPauses(destinations);
    return destinations.map(({ id, kind }) => ({
      id,
      kind,
      remindMs: pauses.get(id) ?? null,
      pending: waiting.filter((destination) => destination === id).length,
      deliveries: rows
        .filter(({ destination }) => destination === id)
        .slice(0, MOST_DELIVERIES)
        .map(toAlertDelivery),
    }));
  }

  private readDeliveries(): Promise<DeliveryRow[]> {
    return this.reads.query<DeliveryRow[]>(
      `SELECT e.body->>'destination' AS destination, e.body->>'notice' AS notice, e.body->>'outcome' AS outcome,
              e.body->>'detail' AS detail, e.observed_at AS at
         FROM event e WHERE e.stream = '${ALERT_STREAM}' AND e.type = 'AlertDelivered'
        ORDER BY e.version DESC LIMIT ${LATEST_DELIVERIES}`,
    );
  }

  private silencesOf(ledger: AlertLedger, { alert }: AlertRow): AlertSilences {
    const now = this.options.clock.now();
    const parts = alert.nodes.length > 0 ? alert.nodes.map((node) => ({ ...alert, nodes: [node] })) : [alert];
    const silences = ledger.silencesAt(now).filter(({ scope, from, until }) => {
      const mutes = [{ scope, when: { from, until } }];
      return parts.some((part) => isAlertMuted(mutes, part, now));
    });
    const mutes = [...this.settings.maintenance, ...ledger.mutesAt(now)];
    return {
      isMuted: isAlertMuted(mutes, alert, now),
      silences: silences.map(toSilence),
    };
  }

  private get settings(): NonNullable<ApiOptions['alerts']> {
    return this.options.alerts ?? NO_ALERTS;
  }
}
