import { createHmac } from 'node:crypto';
import { formatTime, millisToNanos, type Millis } from '../time.js';
import type { Message } from './alert-ledger.js';
import { toNoticeText } from './notice-text.js';

/** A destination of alerts. Its URL and secret are never shown, logged or recorded. */
export type AlertDestination = HttpDestination | MailDestination;

interface Destination {
  readonly id: string;
  /** The time between reminders of an ongoing alert, in milliseconds; undefined: no reminders. */
  readonly remindMs?: Millis | undefined;
}

export interface MailDestination extends Destination {
  readonly kind: 'email';
  /** `smtp://` or `smtps://`, with user and password if the server requires them. */
  readonly url: string;
  readonly from: string;
  /** A single address, so that acceptance is a single fact. */
  readonly to: string;
}

/** A destination that receives a POST. */
export interface HttpDestination extends Destination {
  readonly kind: 'webhook' | 'slack' | 'alertmanager';
  readonly url: string;
  /** The key that signs a webhook's body. */
  readonly secret?: string | undefined;
}

export interface NoticeRequest {
  readonly url: string;
  readonly json: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Alertmanager considers an alert over unless it is repeated. Each message keeps the alert open for this long. */
const HELD_MS: Millis = 7 * 24 * 3_600_000;

/** Alertmanager is reminded long before that, so that several messages may fail. */
const ALERTMANAGER_REMIND_MS: Millis = 24 * 3_600_000;

/** The rule of an alert that tests a destination. */
export const TRIAL_RULE = 'trial';
const TRIAL_HELD_MS = 300_000;

/** The time between reminders by destination, in milliseconds; destinations without reminders are left out. */
export function findPauses(destinations: readonly AlertDestination[]): ReadonlyMap<string, Millis> {
  return new Map(
    destinations.flatMap(
      ({ id, kind, remindMs = kind === 'alertmanager' ? ALERTMANAGER_REMIND_MS : undefined }) =>
        remindMs === undefined ? [] : [[id, remindMs] as const],
    ),
  );
}

/** The request that sends a notice to a destination: the same bytes at each try. */
export function toNoticeRequest(destination: HttpDestination, notice: Message): NoticeRequest {
  const { url, secret, kind } = destination;
  const key = { 'x-hindsight-key': notice.key };
  if (kind === 'slack') return { url, json: JSON.stringify({ text: escapeSlack(notice) }), headers: key };
  if (kind === 'alertmanager') {
    const address = new URL(url);
    address.pathname = `${address.pathname.replace(/\/+$/, '')}/api/v2/alerts`;
    return { url: address.href, json: JSON.stringify([toAlertmanager(notice)]), headers: key };
  }
  const json = JSON.stringify(toWebhook(notice));
  if (secret === undefined) return { url, json, headers: key };
  const signature = createHmac('sha256', secret).update(json).digest('hex');
  return { url, json, headers: { ...key, 'x-hindsight-signature': signature } };
}

function toWebhook(notice: Message): object {
  const { alert, until, key, status, gone = [] } = notice;
  const { id, rule, severity, chain, nodes } = alert;
  return {
    key,
    alert: id,
    status,
    rule,
    severity,
    chain,
    nodes,
    since: timeOf(alert.since),
    until: until === null ? null : timeOf(until),
    gone,
    reason: notice.reason ?? alert.reason,
    link: alert.link ?? null,
    ...toNoticeText(notice),
  };
}

/** Escapes text of a node, so that it becomes no mention or link in Slack. */
function escapeSlack(notice: Message): string {
  return toNoticeText(notice).text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function toAlertmanager(notice: Message): object {
  const { alert, until } = notice;
  const { title, text } = toNoticeText(notice);
  return {
    labels: {
      alertname: alert.rule,
      severity: alert.severity.toLowerCase(),
      owner: alert.owner,
      hindsight: alert.id,
    },
    annotations: { summary: title, description: text },
    ...(alert.link !== undefined && { generatorURL: alert.link }),
    startsAt: timeOf(alert.since),
    endsAt: timeOf(until ?? notice.at + (alert.rule === TRIAL_RULE ? TRIAL_HELD_MS : HELD_MS)),
  };
}

function timeOf(at: number): string {
  return formatTime(millisToNanos(at), 3);
}
