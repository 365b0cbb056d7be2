import { z } from 'zod';
import { UserError } from './errors.js';
import type { LogLevel } from './logger.js';
import { findConflicts, findMissingNodes } from './settings-conflicts.js';
import { DA_KEYS } from './settings-da.js';
import { toFaults, unknownKey, type SettingFault } from './settings-faults.js';
import { isRecord, parseSettingsFile, type SettingsFile } from './settings-file.js';
import {
  chainList,
  DURATION_THRESHOLDS,
  nodeArgument,
  nodeList,
  NUMBER_THRESHOLDS,
  type WatchedChain,
  type WatchedNode,
} from './settings-lists.js';
import {
  OTHER_FLAGS,
  SETTINGS,
  type Role,
  type SettingDefinition,
  type SettingFlags,
  type SettingName,
} from './settings-table.js';
import type { Shard } from './settings-values.js';

/** Everything a user can set, checked. Durations are milliseconds. */
export interface Settings {
  readonly nodes: readonly WatchedNode[];
  readonly chains: readonly WatchedChain[];
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Holds a password; print it only through `redactUrl`. */
  readonly databaseUrl: string | undefined;
  /** As `databaseUrl`. Undefined: questions are answered from there. */
  readonly databaseReadUrl: string | undefined;
  /** As `databaseUrl`. */
  readonly redisUrl: string | undefined;
  readonly poll: { readonly floorMs: number; readonly ceilingMs: number };
  /** Bytes that one node can write into the log in a day. */
  readonly logBudget: number;
  readonly role: Role;
  readonly shard: Shard;
  /** Secret. They may do everything, and where there are any, nobody may ask without a key. */
  readonly apiKeys: readonly string[];
  /** Requests a minute, of a key or of an address without one; 0: without a limit. */
  readonly rateLimit: number;
  /** Origins whose pages may ask, as browsers name them. */
  readonly corsOrigins: readonly string[];
  readonly logLevel: LogLevel;
}

/** Where settings come from. */
export interface SettingSources {
  readonly flags: SettingFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file: SettingsFile | undefined;
  /** Whether it is a fault to name no node, as for `start`. */
  readonly needsNodes?: boolean;
}

/** Keys at the top of the file beside the single values. */
const LIST_KEYS = ['nodes', 'chains', 'apiKeys'];

/** Keys inside the lists, only to suggest them. */
const NODE_KEYS = [
  'id',
  'rpc',
  'url',
  'status',
  'service',
  'chain',
  'raft',
  'headers',
  'record',
  'backfillFrom',
];
const CHAIN_KEYS = ['id', 'reportingTimeZone', 'da', 'thresholds', ...DA_KEYS];

/**
 * Reads all settings: a flag wins over a variable, a variable over the file. Nodes are one setting: nodes given by flag
 * replace those of the file.
 * @throws UserError (exit code 2) that lists everything that is wrong at once, without any value
 */
export function loadSettings(sources: SettingSources): Settings {
  const faults: SettingFault[] = [];
  const file = sources.file === undefined ? { values: {}, faults: [] } : parseSettingsFile(sources.file);
  faults.push(...file.faults, ...findUnknownKeys(file.values));
  const read = <Name extends SettingName>(name: Name): ValueOf<Name> =>
    readSingle(name, sources, file.values, faults);
  const settings: Settings = {
    nodes: readNodes(sources, file.values, faults),
    chains:
      check('chains', chainList, file.values['chains'] ?? [], [...CHAIN_KEYS, ...THRESHOLD_KEYS], faults) ??
      [],
    host: read('host'),
    port: read('port'),
    dataDir: read('dataDir'),
    databaseUrl: read('databaseUrl'),
    databaseReadUrl: read('databaseReadUrl'),
    redisUrl: read('redisUrl'),
    poll: { floorMs: read('pollFloor'), ceilingMs: read('pollCeiling') },
    logBudget: read('logBudget'),
    role: read('role'),
    shard: read('shard'),
    apiKeys: readApiKeys(read('apiKey'), file.values, faults),
    rateLimit: read('rateLimit'),
    corsOrigins: read('corsOrigins') ?? [],
    logLevel: read('logLevel'),
  };
  faults.push(...findConflicts(settings));
  if (sources.needsNodes && faults.length === 0) faults.push(...findMissingNodes(settings));
  if (faults.length > 0) throw toUserError(faults);
  return settings;
}

const THRESHOLD_KEYS = [...DURATION_THRESHOLDS, ...NUMBER_THRESHOLDS];

/** What a setting is once it is read; undefined only where it has no default. */
type ValueOf<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]['value']>;

/** The value of the strongest source. After a fault the result is never used, so it may be anything. */
function readSingle<Name extends SettingName>(
  name: Name,
  sources: SettingSources,
  values: Record<string, unknown>,
  faults: SettingFault[],
): ValueOf<Name> {
  const definition: SettingDefinition = SETTINGS[name];
  const candidates: [string, unknown][] = [
    [definition.flag ?? '', sources.flags[name]],
    // An empty variable is how shells and compose files say "not set".
    [definition.variable, sources.env[definition.variable] || undefined],
    [definition.key, valueAt(values, definition.key)],
    [definition.key, definition.fallback],
  ];
  const [source, value] = candidates.find(([, candidate]) => candidate !== undefined) ?? ['', undefined];
  return (
    value === undefined ? undefined : check(source, definition.value, value, [], faults)
  ) as ValueOf<Name>;
}

function valueAt(values: Record<string, unknown>, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((value, part) => (isRecord(value) ? (value[part] ?? undefined) : undefined), values);
}

function check<T>(
  name: string,
  schema: z.ZodType<T>,
  value: unknown,
  knownKeys: readonly string[],
  faults: SettingFault[],
): T | undefined {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  faults.push(...toFaults(name, result.error, knownKeys));
  return undefined;
}

function readNodes(
  sources: SettingSources,
  values: Record<string, unknown>,
  faults: SettingFault[],
): WatchedNode[] {
  const variable = sources.env[OTHER_FLAGS.node.variable]?.trim();
  const [name, list] =
    sources.flags.node !== undefined && sources.flags.node.length > 0
      ? [OTHER_FLAGS.node.flag, sources.flags.node]
      : [OTHER_FLAGS.node.variable, variable ? variable.split(/\s+/) : undefined];
  if (list === undefined) return check('nodes', nodeList, values['nodes'] ?? [], NODE_KEYS, faults) ?? [];
  return check(name, z.array(nodeArgument), list, [], faults) ?? [];
}

function readApiKeys(
  single: string | undefined,
  values: Record<string, unknown>,
  faults: SettingFault[],
): string[] {
  const schema = z.array(SETTINGS.apiKey.value, 'must be a list of keys');
  const list = check('apiKeys', schema, values['apiKeys'] ?? [], [], faults) ?? [];
  return single === undefined ? list : [single, ...list];
}

function findUnknownKeys(values: Record<string, unknown>): SettingFault[] {
  const keys = Object.values<SettingDefinition>(SETTINGS).map((definition) => definition.key);
  const top = [...new Set([...keys.map((key) => key.split('.')[0] ?? key), ...LIST_KEYS])];
  const faults = Object.keys(values)
    .filter((key) => !top.includes(key))
    .map((key) => unknownKey(key, key, top));
  if (values['poll'] === undefined || values['poll'] === null) return faults;
  if (!isRecord(values['poll'])) return [...faults, { name: 'poll', problem: 'must have keys below it' }];
  const below = keys.filter((key) => key.startsWith('poll.')).map((key) => key.slice('poll.'.length));
  const wrong = Object.keys(values['poll']).filter((key) => !below.includes(key));
  return [...faults, ...wrong.map((key) => unknownKey(`poll.${key}`, key, below))];
}

function toUserError(faults: readonly SettingFault[]): UserError {
  const list = faults.map(({ name, problem }) => `${name} ${problem}`);
  return new UserError(
    `Wrong settings: ${list.join('; ')}.`,
    'See hindsight start --help and hindsight.example.yaml for what can be set.',
    2,
  );
}
