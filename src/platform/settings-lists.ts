import { z } from 'zod';
import { daSettings, flattenDa } from './settings-da.js';
import { maskUrl } from './redact.js';
import { parseDuration, textValue, timeZoneValue, urlValue } from './settings-values.js';

/**
 * Thresholds of the health rules that are durations: the names of `domain/health/health-thresholds.ts`, where they are explained,
 * without the unit behind them.
 */
export const DURATION_THRESHOLDS = [
  'notWatchedAfter',
  'unreachableAfter',
  'failingAfter',
  'failingAtMost',
  'frozenAfter',
  'frozenAtMost',
  'silentAfter',
  'silentAtMost',
  'slowAfter',
  'slowHold',
  'headStillAfter',
  'longestBlockInterval',
  'catchingUpAfter',
  'claimDiffersAfter',
  'usualUnknown',
] as const;

/** Thresholds of the health rules that are counts or factors. */
export const NUMBER_THRESHOLDS = [
  'failingCount',
  'failingUsualFactor',
  'frozenCount',
  'frozenUsualFactor',
  'inclusionLateShare',
  'silentUsualFactor',
  'failuresCount',
  'failuresOf',
  'slowUsualFactor',
  'headStillUsualFactor',
  'headLateShare',
  'usualKnownFrom',
  'usualWindow',
] as const;

/** The name of a threshold as the health rules know it: durations in milliseconds. */
type ThresholdName = `${(typeof DURATION_THRESHOLDS)[number]}Ms` | (typeof NUMBER_THRESHOLDS)[number];

/** How much of a block's transactions is kept. */
type RecordedTransactions = 'none' | 'hashes' | 'full';

/**
 * One node that is watched. Its URLs carry no user and password; those are in `headers`. They may carry a key in their
 * path: show and record them only through `maskUrl`.
 */
export interface WatchedNode {
  /** 1 to 64 of `A-Z a-z 0-9 . _ -`. */
  readonly id: string;
  /** The id that earlier releases made from a URL with a key in it, and the key with it. */
  readonly formerId?: string;
  /** Base of the RPC server, without a slash at the end. */
  readonly url: string;
  /** Base of the status endpoint, where there is one. */
  readonly statusUrl?: string;
  /** Prefix of the node's StoreService (`evnode.v1`); found by itself when left out. */
  readonly service?: string;
  /** The chain it should belong to. */
  readonly chain?: string;
  /** Whether it runs with Raft; `/raft/node` is asked only then, as it makes other nodes log an error. */
  readonly raft: boolean;
  /** Sent with every request. Secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly transactions: RecordedTransactions;
  /** Where the backfill of blocks begins: height 1, the oldest block still there, or a height. */
  readonly backfillFrom: 'first' | 'oldest' | bigint;
}

/** What is set for one chain. */
export interface WatchedChain {
  readonly id: string;
  /** A name of the IANA database; `UTC` when left out. */
  readonly reportingTimeZone: string;
  /** Its DA layer and what that costs, as `flattenDa` of `settings-da.ts` writes them. */
  readonly da: Readonly<Record<string, string>>;
  /** Only those that are set: durations in milliseconds, counts and factors as they are. */
  readonly thresholds: Readonly<Partial<Record<ThresholdName, number>>>;
}

const NODE_ID = /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/;

const baseUrl = urlValue('http:', 'https:').refine(
  (text) => !URL.canParse(text) || !/[?#]/.test(text),
  'must be a base URL without a query',
);

const thresholdDuration = z.string('must be a duration like 15s').transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  context.addIssue('must be a duration like 15s');
  return z.NEVER;
});

const thresholds = z.strictObject({
  ...shapeOf(DURATION_THRESHOLDS, thresholdDuration.optional()),
  ...shapeOf(NUMBER_THRESHOLDS, z.number('must be a number').positive('must be more than 0').optional()),
});

function shapeOf<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
}

const headers = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be a header name'),
  z.string('must be a text').regex(/^[\t\x20-\x7e]*$/, 'must be plain text of one line'),
);

function withUnits(given: Readonly<Record<string, number>>): WatchedChain['thresholds'] {
  const durations: readonly string[] = DURATION_THRESHOLDS;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [durations.includes(name) ? `${name}Ms` : name, value]),
  );
}

/** One entry of `nodes` in the file. `rpc` and `url` are two names of the same thing. */
const node = z
  .strictObject({
    id: z.string().regex(NODE_ID, 'must be 1 to 64 letters, digits, dots, dashes or underscores').optional(),
    rpc: baseUrl.optional(),
    url: baseUrl.optional(),
    status: baseUrl.optional(),
    service: z
      .string()
      .regex(/^[A-Za-z0-9_.]{1,100}$/, 'must be like evnode.v1')
      .optional(),
    chain: textValue.optional(),
    raft: z.boolean('must be true or false').default(false),
    headers: headers.default({}),
    record: z
      .strictObject({
        transactions: z.enum(['none', 'hashes', 'full'], 'must be none, hashes or full').default('none'),
      })
      .default({ transactions: 'none' }),
    backfillFrom: z
      .union([z.enum(['first', 'oldest']), z.number().int().positive()], 'must be first, oldest or a height')
      .default('first'),
  })
  .transform((entry, context): WatchedNode => {
    const url = entry.rpc ?? entry.url;
    if (url === undefined || (entry.rpc !== undefined && entry.url !== undefined)) {
      context.addIssue({ code: 'custom', path: ['rpc'], message: 'must be given, once (also as url)' });
      return z.NEVER;
    }
    return toNode(url, entry);
  });

type NodeEntry = Partial<Omit<WatchedNode, 'url' | 'formerId' | 'backfillFrom'>> & {
  readonly status?: string | undefined;
  readonly record?: { readonly transactions: RecordedTransactions };
  readonly backfillFrom?: 'first' | 'oldest' | number;
};

/** `nodes` of the file. */
export const nodeList = z.array(node, 'must be a list of nodes');

/** `chains` of the file. */
export const chainList = z.array(
  z
    .strictObject({
      id: textValue,
      reportingTimeZone: timeZoneValue.default('UTC'),
      da: daSettings.default({}),
      thresholds: thresholds.default({}),
    })
    .transform((chain): WatchedChain => ({
      id: chain.id,
      reportingTimeZone: chain.reportingTimeZone,
      da: flattenDa(chain.da),
      thresholds: withUnits(withoutUndefined(chain.thresholds)),
    })),
  'must be a list of chains',
);

/** `[ID=]URL` of a flag or variable. */
export const nodeArgument = z.string().transform((text, context): WatchedNode => {
  const [, id, url] = /^(?:([^=/]*)=)?(.*)$/s.exec(text) ?? [];
  if (id !== undefined && !NODE_ID.test(id)) {
    context.addIssue('the ID before = must be 1 to 64 letters, digits, dots, dashes or underscores');
    return z.NEVER;
  }
  const checked = baseUrl.safeParse(url);
  if (checked.success) return toNode(checked.data, { ...(id !== undefined && { id }) });
  context.addIssue(checked.error.issues[0]?.message ?? 'must be a URL');
  return z.NEVER;
});

function toNode(given: string, entry: NodeEntry): WatchedNode {
  const parsed = new URL(given);
  const { url, credentials } = splitUrl(parsed);
  const from = entry.backfillFrom ?? 'first';
  return {
    ...(entry.id === undefined ? deriveIds(parsed) : { id: entry.id }),
    url,
    ...(entry.status !== undefined && { statusUrl: splitUrl(new URL(entry.status)).url }),
    ...(entry.service !== undefined && { service: entry.service }),
    ...(entry.chain !== undefined && { chain: entry.chain }),
    raft: entry.raft ?? false,
    headers: { ...credentials, ...entry.headers },
    transactions: entry.record?.transactions ?? 'none',
    backfillFrom: typeof from === 'number' ? BigInt(from) : from,
  };
}

/** A URL is recorded and shown; the user and password in it are not, so they travel as a header. */
function splitUrl(given: URL): { url: string; credentials: Record<string, string> } {
  const user = `${decodeURIComponent(given.username)}:${decodeURIComponent(given.password)}`;
  const bare = `${given.protocol}//${given.host}${given.pathname.replace(/\/+$/, '')}`;
  if (user === ':') return { url: bare, credentials: {} };
  return {
    url: bare,
    credentials: { authorization: `Basic ${Buffer.from(user, 'utf8').toString('base64')}` },
  };
}

/** `localhost-7331` of `http://localhost:7331`; a key in the path gives its digest to the id, not itself. */
function deriveIds(url: URL): Pick<WatchedNode, 'id' | 'formerId'> {
  const formerId = toId(`${url.host}${url.pathname}`);
  const id = toId(maskUrl(`${url.protocol}//${url.host}${url.pathname}`).slice(url.protocol.length));
  return id === formerId ? { id } : { id, formerId };
}

function toId(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}

function withoutUndefined<T>(record: Record<string, T | undefined>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, T] => entry[1] !== undefined),
  );
}
