import { z } from 'zod';
import type { AlertDestination } from '../domain/alerts/destinations.js';
import { section } from './faults.js';
import { apiKeyValue, durationValue, textLike, urlValue } from './values.js';

const SHORTEST_REMIND_MS = 300_000;

const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';
const TELEGRAM_URL = 'https://api.telegram.org';

const KINDS = [
  'webhook',
  'slack',
  'alertmanager',
  'pagerduty',
  'telegram',
  'teams',
  'email',
] as const satisfies readonly AlertDestination['kind'][];
type Kind = (typeof KINDS)[number];

/** Further settings, and the kinds that may have them. */
const OWNERS = {
  secret: ['webhook'],
  url: ['pagerduty', 'telegram'],
  token: ['telegram'],
  smtp: ['email'],
  from: ['email'],
} as const satisfies Record<string, readonly Kind[]>;
type Further = keyof typeof OWNERS;

/** Further settings that a kind must have. */
const NEEDED: Readonly<Partial<Record<Kind, readonly Further[]>>> = {
  telegram: ['token'],
  email: ['smtp', 'from'],
};

const address = urlValue('http:', 'https:').optional();

const mailAddress = textLike(
  /^[^\s@<>,;:"()[\]\\]{1,64}@[A-Za-z0-9.-]{1,190}$/,
  'must be one mail address like ops@example.org',
).optional();

const smtpAddress = urlValue('smtp:', 'smtps:').refine((url) => new URL(url).hostname !== '', {
  error: 'must name a server',
  when: ({ issues }) => issues.length === 0,
});

const chatValue = textLike(/^(?:-?\d{1,20}|@[A-Za-z0-9_]{4,64})$/, 'must be the id of a chat, or @channel');

/** A destination of messages: exactly one of its kinds is given, with the address as its value. */
export const destinationValue = section({
  id: textLike(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores'),
  webhook: address,
  slack: address,
  alertmanager: address,
  pagerduty: textLike(
    /^[A-Za-z0-9]{32}$/,
    'must be the integration key of a service (Events API v2), 32 letters and digits',
  ).optional(),
  telegram: chatValue.optional(),
  teams: address,
  email: mailAddress,
  /** Another address of PagerDuty (its EU region) or of Telegram (a Bot API server of one's own). */
  url: address,
  token: textLike(
    /^\d{1,20}:[A-Za-z0-9_-]{20,100}$/,
    'must be the token of a bot, as BotFather gives it',
  ).optional(),
  smtp: smtpAddress.optional(),
  from: mailAddress,
  secret: apiKeyValue
    .refine(
      (secret) => !secret.startsWith('whsec_') || /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(secret),
      'must be base64 after whsec_',
    )
    .optional(),
  /** How long after a message a lasting alert is sent again. */
  remind: durationValue.refine((ms) => ms >= SHORTEST_REMIND_MS, 'must be at least 5m').optional(),
}).transform((given, context): AlertDestination => {
  const complaint = (message: string): void => context.addIssue({ code: 'custom', message });
  const [kind, another] = KINDS.filter((name) => given[name] !== undefined);
  for (const [name, owners] of Object.entries(OWNERS) as [Further, readonly Kind[]][])
    if (given[name] !== undefined && !owners.some((owner) => owner === kind))
      complaint(`has ${name}, which only ${owners.join(' or ')} can have`);
  if (kind === undefined || another !== undefined) {
    complaint(`must have one of ${KINDS.join(', ')}`);
    return z.NEVER;
  }
  const missing = (NEEDED[kind] ?? []).filter((name) => given[name] === undefined);
  if (missing.length === 0) return toDestination(kind, given);
  complaint(`must have ${missing.join(' and ')} in addition to ${kind}`);
  return z.NEVER;
});

type Given = Readonly<Partial<Record<Kind | Further, string | undefined>>> & {
  readonly id: string;
  readonly remind?: number | undefined;
};

/** Complete settings as a destination. */
function toDestination(kind: Kind, given: Given): AlertDestination {
  const { id, remind: remindMs, secret, url, token, smtp = '', from = '' } = given;
  const to = given[kind] ?? '';
  const common = { id, remindMs };
  switch (kind) {
    case 'webhook':
      return { ...common, kind, url: to, secret };
    case 'pagerduty':
      return { ...common, kind, url: url ?? PAGERDUTY_URL, routingKey: to };
    case 'telegram': {
      const base = (url ?? TELEGRAM_URL).replace(/\/+$/, '');
      return { ...common, kind, url: `${base}/bot${token}/sendMessage`, chat: to };
    }
    case 'email':
      return { ...common, kind, url: smtp, from, to };
    default:
      return { ...common, kind, url: to };
  }
}
