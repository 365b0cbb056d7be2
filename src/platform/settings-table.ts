import { z } from 'zod';
import { LOG_LEVELS } from './logger.js';
import { holdsSecret } from './redact.js';
import {
  bytesValue,
  durationValue,
  originsValue,
  portValue,
  rateValue,
  shardValue,
  textValue,
  urlValue,
} from './settings-values.js';

/** What a process does: everything, only observing, only jobs, only answering. */
const ROLES = ['all', 'observer', 'worker', 'api'] as const;

/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number];

/** One setting with a single value, and the three places it can come from. */
export interface SettingDefinition<T = unknown> {
  /** In `hindsight.yaml`; a dot is a level. */
  readonly key: string;
  /** On the command line; a secret has none, as every user of the computer can read command lines. */
  readonly flag?: string;
  readonly variable: string;
  /** A URL that may hold a password: given by its flag, it gets a warning. */
  readonly secretInUrl?: true;
  readonly value: z.ZodType<T>;
  /** As it would be written; undefined when there is none. */
  readonly fallback?: string;
  /** The word after the flag in the help text. */
  readonly placeholder: string;
  readonly description: string;
}

function setting<T>(definition: SettingDefinition<T>): SettingDefinition<T> {
  return definition;
}

const apiKey = z
  .string('must be a text')
  .regex(/^[\x21-\x7e]{16,200}$/, 'must have 16 to 200 visible characters without spaces');

/** All settings with a single value. Lists (`nodes`, `chains`) are in `settings-lists.ts`. */
export const SETTINGS = {
  host: setting({
    key: 'host',
    flag: '--host',
    variable: 'HINDSIGHT_HOST',
    value: textValue,
    fallback: '127.0.0.1',
    placeholder: 'ADDRESS',
    description: 'address to listen on; any but a loopback address needs an API key',
  }),
  port: setting({
    key: 'port',
    flag: '--port',
    variable: 'HINDSIGHT_PORT',
    value: portValue,
    fallback: '4400',
    placeholder: 'PORT',
    description: 'port to listen on; 0 takes a free one',
  }),
  dataDir: setting({
    key: 'dataDir',
    flag: '--data-dir',
    variable: 'HINDSIGHT_DATA_DIR',
    value: textValue,
    fallback: '.hindsight',
    placeholder: 'DIR',
    description: 'where the embedded database is kept',
  }),
  databaseUrl: setting({
    key: 'databaseUrl',
    flag: '--database-url',
    variable: 'DATABASE_URL',
    secretInUrl: true,
    value: urlValue('postgres:', 'postgresql:'),
    placeholder: 'URL',
    description: 'a Postgres 15 or newer of your own, instead of the embedded one',
  }),
  databaseReadUrl: setting({
    key: 'databaseReadUrl',
    flag: '--database-read-url',
    variable: 'DATABASE_READ_URL',
    secretInUrl: true,
    value: urlValue('postgres:', 'postgresql:'),
    placeholder: 'URL',
    description: 'a streaming replica of that Postgres, to answer questions from',
  }),
  redisUrl: setting({
    key: 'redisUrl',
    flag: '--redis-url',
    variable: 'REDIS_URL',
    secretInUrl: true,
    value: urlValue('redis:', 'rediss:'),
    placeholder: 'URL',
    description: 'a Redis for the job queues, instead of the database; requests are counted there, too',
  }),
  pollFloor: setting({
    key: 'poll.floor',
    flag: '--poll-floor',
    variable: 'HINDSIGHT_POLL_FLOOR',
    value: durationValue,
    fallback: '500ms',
    placeholder: 'DURATION',
    description: "shortest time between two looks at a node's submissions, at least 10ms",
  }),
  pollCeiling: setting({
    key: 'poll.ceiling',
    flag: '--poll-ceiling',
    variable: 'HINDSIGHT_POLL_CEILING',
    value: durationValue,
    fallback: '2s',
    placeholder: 'DURATION',
    description: 'longest time between two looks; what a restart of the node can take with it',
  }),
  logBudget: setting({
    key: 'logBudget',
    flag: '--log-budget',
    variable: 'HINDSIGHT_LOG_BUDGET',
    value: bytesValue,
    fallback: '1GB',
    placeholder: 'BYTES',
    description:
      'what one node can write into the log in a day (UTC) before its long texts are cut, at least 1MB',
  }),
  role: setting({
    key: 'role',
    flag: '--role',
    variable: 'HINDSIGHT_ROLE',
    value: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`),
    fallback: 'all',
    placeholder: 'ROLE',
    description: `what this process does: ${ROLES.join(', ')}`,
  }),
  shard: setting({
    key: 'shard',
    flag: '--shard',
    variable: 'HINDSIGHT_SHARD',
    value: shardValue,
    fallback: '1/1',
    placeholder: 'I/N',
    description: 'which part of the nodes this process observes: 2/4 is the second of four',
  }),
  apiKey: setting({
    key: 'apiKey',
    variable: 'HINDSIGHT_API_KEY',
    value: apiKey,
    placeholder: 'KEY',
    description: 'a key that may do everything; with it all clients must send one',
  }),
  rateLimit: setting({
    key: 'rateLimit',
    flag: '--rate-limit',
    variable: 'HINDSIGHT_RATE_LIMIT',
    value: rateValue,
    fallback: '6000',
    placeholder: 'NUMBER',
    description:
      'requests a minute of a key, or of an address without one, where keys are asked for; 0: no limit',
  }),
  corsOrigins: setting({
    key: 'corsOrigins',
    flag: '--cors-origins',
    variable: 'HINDSIGHT_CORS_ORIGINS',
    value: originsValue,
    placeholder: 'ORIGINS',
    description:
      'origins whose web pages may ask, separated by spaces, a list in the file; none when left out',
  }),
  logLevel: setting({
    key: 'logLevel',
    flag: '--log-level',
    variable: 'HINDSIGHT_LOG_LEVEL',
    value: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
    fallback: 'info',
    placeholder: 'LEVEL',
    description: `how much is logged: ${LOG_LEVELS.join(', ')}`,
  }),
} as const;

/** The name of a setting with a single value. */
export type SettingName = keyof typeof SETTINGS;

/** Flags by the name of their setting, as the command line parser gives them. */
export type SettingFlags = Readonly<Partial<Record<SettingName, string>> & { node?: readonly string[] }>;

/** The settings that are not single values, or no settings of a running service, but have a flag all the same. */
export const OTHER_FLAGS = {
  node: { flag: '--node', variable: 'HINDSIGHT_NODES', key: 'nodes' },
  config: { flag: '--config', variable: 'HINDSIGHT_CONFIG' },
} as const;

/** The flags that were given a URL with a password or key in it, and where it belongs instead. Never holds a value. */
export function findSecretFlags(flags: SettingFlags): string[] {
  const single = (Object.keys(SETTINGS) as SettingName[])
    .filter((name) => (SETTINGS[name] as SettingDefinition).secretInUrl === true)
    .filter((name) => holdsSecret(flags[name] ?? ''))
    .map((name): SettingDefinition => SETTINGS[name]);
  // What stands before the URL is an id.
  const isNode = flags.node?.some((text) => holdsSecret(text.replace(/^[^=/]*=/, ''))) === true;
  return [...single, ...(isNode ? [OTHER_FLAGS.node] : [])].map(
    ({ flag = '', variable, key }) => `${flag} (use ${variable}, or ${key} in the settings file)`,
  );
}

/** The settings as a Markdown table, which stands in the README (a test compares them). */
export function settingsTable(): string {
  const rows = Object.values<SettingDefinition>(SETTINGS).map(
    ({ flag, variable, key, fallback, description }) =>
      `| ${flag === undefined ? '' : `\`${flag}\``} | \`${variable}\` | \`${key}\` | ${
        fallback === undefined ? '' : `\`${fallback}\``
      } | ${description} |`,
  );
  return [
    '| flag | variable | in `hindsight.yaml` | default | what it does |',
    '|---|---|---|---|---|',
    '| `--node` | `HINDSIGHT_NODES` | `nodes` | | a node to watch, `[ID=]URL`; the flag can be repeated, the variable separates by spaces |',
    '| `--config` | `HINDSIGHT_CONFIG` | | `hindsight.yaml`, if there is one | the settings file |',
    ...rows,
    '',
  ].join('\n');
}
