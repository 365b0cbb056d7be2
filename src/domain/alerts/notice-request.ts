import { createHmac } from 'node:crypto';
import { toPrintable } from '../printable-text.js';
import { formatTime, millisToNanos, type Millis } from '../time.js';
import type { Message } from './alert-ledger.js';
import { toChatLines } from './chat-text.js';
import type { HttpDestination } from './destinations.js';
import { toNoticeText } from './notice-text.js';

export interface NoticeRequest {
  readonly url: string;
  readonly json: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The rule of an alert that tests a destination. */
export const TRIAL_RULE = 'trial';
const TRIAL_HELD_MS = 300_000;

/** Alertmanager considers an alert over unless it is repeated. Each message keeps the alert open for this long. */
const HELD_MS: Millis = 7 * 24 * 3_600_000;

/** The most characters that PagerDuty accepts as a summary, Telegram as a text, and Discord as Slack's message. */
const LONGEST = { summary: 1_024, telegram: 4_096, slack: 2_000 } as const;

/**
 * The request that sends a notice to a destination. Its body and key are the same at each try.
 * @param now the time of the try, which a webhook's signature contains
 */
export function toNoticeRequest(destination: HttpDestination, notice: Message, now: Millis): NoticeRequest {
  const body = JSON.stringify(toBody(destination, notice));
  return {
    url: toAddress(destination),
    json: body,
    headers: { 'x-hindsight-key': notice.key, ...sign(destination, notice.key, body, now) },
  };
}

function toBody(destination: HttpDestination, notice: Message): object {
  switch (destination.kind) {
    case 'webhook':
      return toWebhook(notice);
    case 'slack':
      // Mattermost and Discord ignore `mrkdwn`.
      return { text: toChatLines(notice, LONGEST.slack).join('\n'), mrkdwn: false };
    case 'alertmanager':
      return [toAlertmanager(notice)];
    case 'pagerduty':
      return toPagerDuty(destination.routingKey, notice);
    case 'telegram':
      return toTelegram(destination.chat, notice);
    case 'teams':
      return toTeams(notice);
  }
}

function toAddress({ kind, url }: HttpDestination): string {
  if (kind !== 'alertmanager') return url;
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/api/v2/alerts`;
  return address.href;
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com): a receiver refuses an old time, so that nobody can send a
 * recorded message again. `x-hindsight-signature` has no time; it is sent for receivers that were written for it.
 */
function sign(destination: HttpDestination, key: string, body: string, now: Millis): Record<string, string> {
  if (destination.kind !== 'webhook') return {};
  const { secret } = destination;
  const timestamp = String(Math.floor(now / 1_000));
  const named = { 'webhook-id': key, 'webhook-timestamp': timestamp };
  if (secret === undefined) return named;
  return {
    ...named,
    'webhook-signature': `v1,${standardSignature(secret, `${key}.${timestamp}.${body}`)}`,
    'x-hindsight-signature': createHmac('sha256', secret).update(body).digest('hex'),
  };
}

/**
 * The signature of Standard Webhooks, in base64.
 * @param secret base64 after `whsec_`, or else the key itself
 * @param content id, seconds since 1970 and body, separated by dots
 */
export function standardSignature(secret: string, content: string): string {
  const [, encoded] = /^whsec_(.+)$/.exec(secret) ?? [];
  const key = encoded === undefined ? secret : Buffer.from(encoded, 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
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

const PAGERDUTY_ACTIONS = {
  RAISED: 'trigger',
  REMINDED: 'trigger',
  ACKNOWLEDGED: 'acknowledge',
  RESOLVED: 'resolve',
} as const satisfies Record<Message['status'], string>;

/** An event of PagerDuty's Events API v2. All events of an alert have one `dedup_key`, so that they are one incident there. */
function toPagerDuty(routingKey: string, notice: Message): object {
  const { id, severity, since, rule, chain, nodes, owner, link, runbook } = notice.alert;
  const { title, text } = toNoticeText(notice);
  const pages = { Incident: link, Runbook: runbook?.startsWith('http') === true ? runbook : undefined };
  return {
    routing_key: routingKey,
    event_action: PAGERDUTY_ACTIONS[notice.status],
    dedup_key: id,
    client: 'Hindsight',
    ...(link !== undefined && { client_url: link }),
    links: Object.entries(pages).flatMap(([name, href]) =>
      href === undefined ? [] : [{ href, text: name }],
    ),
    payload: {
      summary: toPrintable(title, LONGEST.summary),
      source: nodes[0] ?? owner,
      severity: severity.toLowerCase(),
      timestamp: timeOf(since),
      class: rule,
      ...(chain !== null && { group: chain }),
      custom_details: { message: text },
    },
  };
}

/** The arguments of `sendMessage` of Telegram's Bot API. */
function toTelegram(chat: string, notice: Message): object {
  const [title = '', ...rest] = toChatLines(notice, LONGEST.telegram);
  return {
    chat_id: chat,
    parse_mode: 'HTML',
    text: [`<b>${title}</b>`, ...rest].join('\n'),
    link_preview_options: { is_disabled: true },
  };
}

/** A message of a Teams workflow. Its runs of text are shown as they are, so that text of a node becomes no Markdown. */
function toTeams(notice: Message): object {
  const [title, ...rest] = toNoticeText(notice).text.split('\n');
  const paragraph = (text: string | undefined, weight: string): object => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, weight }],
  });
  const { link } = notice.alert;
  const card = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    fallbackText: title,
    body: [paragraph(title, 'Bolder'), ...rest.map((line) => paragraph(line, 'Default'))],
    ...(link !== undefined && {
      actions: [{ type: 'Action.OpenUrl', title: 'Open in Hindsight', url: link }],
    }),
  };
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  };
}

function timeOf(at: number): string {
  return formatTime(millisToNanos(at), 3);
}
