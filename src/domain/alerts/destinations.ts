import type { Millis } from '../time.js';

interface Destination {
  readonly id: string;
  /** Never shown, logged or recorded. */
  readonly url: string;
  /** The time between reminders of an ongoing alert, in milliseconds; undefined: no reminders. */
  readonly remindMs?: Millis | undefined;
}

export interface MailDestination extends Destination {
  /** `url` is `smtp://` or `smtps://`, with user and password if the server requires them. */
  readonly kind: 'email';
  readonly from: string;
  /** A single address, so that acceptance is a single fact. */
  readonly to: string;
}

/** Accepts any HTTP server. */
interface WebhookDestination extends Destination {
  readonly kind: 'webhook';
  /** The key that signs messages; its form is that of Standard Webhooks if it begins with `whsec_`. */
  readonly secret?: string | undefined;
}

interface PagerDutyDestination extends Destination {
  readonly kind: 'pagerduty';
  /** The integration key of a service, secret. */
  readonly routingKey: string;
}

interface TelegramDestination extends Destination {
  /** `url` contains the token of the bot. */
  readonly kind: 'telegram';
  /** The id of a chat, or `@channel`. */
  readonly chat: string;
}

interface PlainDestination extends Destination {
  readonly kind: 'slack' | 'alertmanager' | 'teams';
}

/** A destination that receives a POST of JSON. */
export type HttpDestination =
  WebhookDestination | PagerDutyDestination | TelegramDestination | PlainDestination;

export type AlertDestination = HttpDestination | MailDestination;

/** Alertmanager considers an alert over unless it is repeated, and is reminded long before, so that several messages may fail. */
const ALERTMANAGER_REMIND_MS: Millis = 24 * 3_600_000;

/** The time between reminders by destination, in milliseconds; destinations without reminders are left out. */
export function findPauses(destinations: readonly AlertDestination[]): ReadonlyMap<string, Millis> {
  return new Map(
    destinations.flatMap(
      ({ id, kind, remindMs = kind === 'alertmanager' ? ALERTMANAGER_REMIND_MS : undefined }) =>
        remindMs === undefined ? [] : [[id, remindMs] as const],
    ),
  );
}
