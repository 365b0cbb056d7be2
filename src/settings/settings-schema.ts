import { z } from 'zod';
import { LOG_LEVELS } from '../platform/logger.js';
import { ROLES } from '../platform/role.js';
import { alertsValue } from './alerts.js';
import { chainValue } from './chain.js';
import { findConflicts } from './conflicts.js';
import { databaseUrlValue } from './database-url.js';
import { section } from './faults.js';
import { nodeValue } from './node.js';
import { reportsValue } from './reports.js';
import {
  apiKeyValue,
  bytesValue,
  durationValue,
  originsValue,
  portValue,
  rateValue,
  shardValue,
  textValue,
  urlValue,
} from './values.js';

/** Metadata of a setting that can also come from the command line and the environment. */
export interface SettingMeta {
  /** The flag; `poll.floor` has `--poll-floor` if left out. A secret has none, as every user of the computer can read command lines. */
  readonly flag?: `--${string}` | 'NONE';
  /** The variable; `poll.floor` has `HINDSIGHT_POLL_FLOOR` if left out. */
  readonly variable?: string;
  /** The default, in the form in which it would be written; left out without one. */
  readonly fallback?: string;
  /** The word after the flag in the help text. */
  readonly placeholder: string;
  readonly description: string;
  /** A URL that may contain a password: giving it by the flag causes a warning. */
  readonly secretInUrl?: true;
  /** The flag can be repeated, and the variable is separated by blanks. */
  readonly isList?: true;
}

const whenUrl = { when: ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0 };

/** Links with this URL are sent to others, so it must contain no password. The pages name their files from the root of a host. */
const publicUrlValue = urlValue('http:', 'https:')
  .refine(isBareUrl, { error: 'must have no user, password, query or fragment', ...whenUrl })
  .refine((text) => new URL(text).pathname === '/', {
    error:
      'must have no path: the pages work only at the root of a host; give them a host name, as https://hindsight.example.org',
    ...whenUrl,
  });

function isBareUrl(text: string): boolean {
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === '';
}

function setting<Value extends z.ZodType>(value: Value, meta: SettingMeta): Value {
  return value.meta({ ...meta });
}

const databaseUrl = databaseUrlValue.optional();

/** Everything that can be set, under the keys of `hindsight.yaml`. */
export const SHAPE = {
  nodes: setting(z.array(nodeValue, 'must be a list of nodes').default([]), {
    flag: '--node',
    placeholder: '[ID=]URL',
    description:
      'a node to monitor, [ID=]URL; the flag can be repeated, the variable takes several, separated by spaces',
    secretInUrl: true,
    isList: true,
  }),
  defaultNode: setting(textValue.optional(), {
    placeholder: 'ID',
    description: 'the node whose interface is also served at the root, as under `/nodes/ID`; default: none',
  }),
  chains: z.array(chainValue, 'must be a list of chains').default([]),
  alerts: alertsValue.prefault({}),
  reports: reportsValue,
  host: setting(textValue, {
    fallback: '127.0.0.1',
    placeholder: 'ADDRESS',
    description: 'address to listen on; any but a loopback address needs an API key',
  }),
  port: setting(portValue, {
    fallback: '4400',
    placeholder: 'PORT',
    description: 'port to listen on; 0 takes a free one',
  }),
  publicUrl: setting(publicUrlValue.optional(), {
    placeholder: 'URL',
    description: 'public address of the dashboard; messages link to it, and have no links without it',
    secretInUrl: true,
  }),
  dataDir: setting(textValue, {
    fallback: '.hindsight',
    placeholder: 'DIR',
    description: 'folder of the embedded database',
  }),
  /** Contains a password, like the two below it: print them only through `redactUrl`. */
  databaseUrl: setting(databaseUrl, {
    variable: 'DATABASE_URL',
    placeholder: 'URL',
    description: 'your own Postgres 15 or newer, instead of the embedded one',
    secretInUrl: true,
  }),
  databaseReadUrl: setting(databaseUrl, {
    variable: 'DATABASE_READ_URL',
    placeholder: 'URL',
    description: 'a streaming replica of that Postgres, which answers the queries',
    secretInUrl: true,
  }),
  redisUrl: setting(urlValue('redis:', 'rediss:').optional(), {
    variable: 'REDIS_URL',
    placeholder: 'URL',
    description: 'a Redis for the job queues, instead of the database; also counts requests',
    secretInUrl: true,
  }),
  poll: section({
    floor: setting(durationValue, {
      fallback: '500ms',
      placeholder: 'DURATION',
      description: "shortest time between two polls of a node's submissions, at least 10ms",
    }),
    ceiling: setting(durationValue, {
      fallback: '2s',
      placeholder: 'DURATION',
      description: 'longest time between two polls; a restart of the node can hide submissions of this time',
    }),
  }),
  /** Most bytes that one node can write into the log per day. */
  logBudget: setting(bytesValue, {
    fallback: '1GB',
    placeholder: 'BYTES',
    description:
      'bytes that one node can write into the log per day (UTC) before its long texts are cut, at least 1MB',
  }),
  role: setting(z.enum(ROLES, `must be one of ${ROLES.join(', ')}`), {
    fallback: 'all',
    placeholder: 'ROLE',
    description: `what this process does: ${ROLES.join(', ')}`,
  }),
  shard: setting(shardValue, {
    fallback: '1/1',
    placeholder: 'I/N',
    description: 'the part of the nodes that this process observes: 2/4 is the second of four',
  }),
  apiKey: setting(apiKeyValue.optional(), {
    flag: 'NONE',
    placeholder: 'KEY',
    description: 'a key with all rights; if it is set, all clients must send a key',
  }),
  apiKeys: z.array(apiKeyValue, 'must be a list of keys').default([]),
  rateLimit: setting(rateValue, {
    fallback: '6000',
    placeholder: 'NUMBER',
    description:
      'requests per minute of a key, or of an address without a key, if keys are required; 0: no limit',
  }),
  corsOrigins: setting(originsValue.default([]), {
    placeholder: 'ORIGINS',
    description:
      'origins whose web pages may send queries, separated by spaces, a list in the file; default: none',
  }),
  logLevel: setting(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`), {
    fallback: 'info',
    placeholder: 'LEVEL',
    description: `how much is logged: ${LOG_LEVELS.join(', ')}`,
  }),
};

/**
 * Checks everything at once, including conflicts between settings; the keys of the single values must be present. Durations come
 * out in milliseconds, `apiKeys` with the single key in front.
 */
export const settingsSchema = section(SHAPE)
  .superRefine(
    (settings, context) => {
      const faults = context.issues.map(({ path = [] }) => path.join('.'));
      const fine = <T>(key: string, value: T): T | undefined =>
        faults.some((fault) => `${fault}.`.startsWith(`${key}.`)) ? undefined : value;
      const { nodes, chains, poll, role, reports, alerts } = settings;
      const conflicts = findConflicts({
        nodes: fine('nodes', nodes) ?? [],
        chains: fine('chains', chains) ?? [],
        poll: {
          floorMs: fine('poll.floor', poll.floor) ?? NaN,
          ceilingMs: fine('poll.ceiling', poll.ceiling) ?? NaN,
        },
        role: fine('role', role),
        reports: fine('reports', reports) ?? [],
        destinations: fine('alerts', alerts)?.destinations,
        databaseUrl: fine('databaseUrl', settings.databaseUrl),
        databaseReadUrl: fine('databaseReadUrl', settings.databaseReadUrl),
      });
      for (const { path, problem } of conflicts)
        context.addIssue({ code: 'custom', path: [...path], message: problem });
    },
    { when: () => true },
  )
  .transform(({ poll, apiKey, apiKeys, ...settings }) => ({
    ...settings,
    poll: { floorMs: poll.floor, ceilingMs: poll.ceiling },
    apiKeys: apiKey === undefined ? apiKeys : [apiKey, ...apiKeys],
  }));

export type CheckedSettings = z.output<typeof settingsSchema>;
