import { z } from 'zod';
import { MOST_ACCOUNTS } from '../domain/health/da-node-facts.js';
import { maskUrl } from '../platform/redact.js';
import { section } from './faults.js';
import { textLike, textValue, urlValue } from './values.js';

const idValue = textLike(
  /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/,
  'must be 1 to 64 letters, digits, dots, dashes or underscores',
);

const baseUrl = urlValue('http:', 'https:').refine(
  (text) => !URL.canParse(text) || !/[?#]/.test(text),
  'must be a base URL without a query',
);

const headers = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be a header name'),
  textLike(/^[\t\x20-\x7e]*$/, 'must be plain text of one line'),
);

/**
 * A monitored node. `rpc` and `url` are two names of the same setting. The resulting URLs carry no user and password; those are
 * in `headers` and `statusHeaders`. The URLs may carry a key in their path: show and record them only through `maskUrl`.
 */
export const nodeValue = section({
  id: idValue.optional(),
  rpc: baseUrl.optional(),
  url: baseUrl.optional(),
  status: baseUrl.optional(),
  service: z
    .string()
    .regex(/^[A-Za-z0-9_.]{1,100}$/, 'must be like evnode.v1')
    .optional(),
  chain: textValue.optional(),
  direct: z.boolean('must be true or false').optional(),
  /** Has no effect; accepted so that files that have it continue to work. */
  raft: z.unknown().optional(),
  headers: headers.default({}),
  statusHeaders: headers.optional(),
  /** PEM files for TLS with the RPC server: trusted authorities, and a certificate of our own with its key. */
  caFile: textValue.optional(),
  certFile: textValue.optional(),
  keyFile: textValue.optional(),
  record: section({
    transactions: z.enum(['none', 'hashes', 'full'], 'must be none, hashes or full').default('none'),
  }).default({ transactions: 'none' }),
  daNode: section({ url: baseUrl, token: textValue.optional(), tokenFile: textValue.optional() })
    .refine(({ token, tokenFile }) => token === undefined || tokenFile === undefined, {
      message: 'must have either a token or a tokenFile',
    })
    .optional(),
  daAccounts: z
    .array(z.string().regex(/^[a-z]{1,20}1[02-9ac-hj-np-z]{6,90}$/, 'must be an address such as celestia1…'))
    .max(MOST_ACCOUNTS)
    .optional(),
  daConsensus: section({ rest: baseUrl }).optional(),
  execution: section({ url: baseUrl }).optional(),
  backfillFrom: z
    .union([z.enum(['first', 'oldest']), z.number().int().positive()], 'must be first, oldest or a height')
    .transform((from) => (typeof from === 'number' ? BigInt(from) : from))
    .default('first'),
}).transform(({ id, rpc, url, status, headers, statusHeaders, record, ...rest }, context) => {
  const given = rpc ?? url;
  if (given === undefined || (rpc !== undefined && url !== undefined)) {
    context.addIssue({ code: 'custom', path: ['rpc'], message: 'must be given, once (also as url)' });
    return z.NEVER;
  }
  if (statusHeaders !== undefined && status === undefined) {
    context.addIssue({ code: 'custom', path: ['statusHeaders'], message: 'needs a status address' });
    return z.NEVER;
  }
  const { service, chain, direct, backfillFrom, daNode, daAccounts = [], daConsensus, execution } = rest;
  const { caFile, certFile, keyFile } = rest;
  const [fileName, problem] = findFileProblem(given, { caFile, certFile, keyFile });
  if (problem !== undefined) {
    context.addIssue({ code: 'custom', path: [fileName], message: problem });
    return z.NEVER;
  }
  const ofDaNode = { daAccounts: daAccounts.length > 0, daConsensus: daConsensus !== undefined };
  for (const [name, isGiven] of Object.entries(ofDaNode)) {
    if (!isGiven || daNode !== undefined) continue;
    context.addIssue({ code: 'custom', path: [name], message: 'needs a daNode' });
    return z.NEVER;
  }
  const address = splitUrl(new URL(given));
  const sent = { ...address.credentials, ...headers };
  return {
    id: id ?? deriveId(new URL(given)),
    url: address.url,
    ...(status !== undefined && readStatus(new URL(status), statusHeaders, { url: new URL(given), sent })),
    service,
    chain,
    direct,
    headers: sent,
    ...((caFile ?? certFile) !== undefined && { tls: { caFile, certFile, keyFile } }),
    record: record.transactions,
    backfillFrom,
    ...(daNode && {
      daNode: {
        ...daNode,
        ...readSystem(daNode.url),
        accounts: daAccounts,
        ...(daConsensus && { consensus: readSystem(daConsensus.rest) }),
      },
    }),
    ...(execution && { execution: readSystem(execution.url) }),
  };
});

/** The first of the PEM files that cannot be used, and why. */
function findFileProblem(
  rpc: string,
  { caFile, certFile, keyFile }: Readonly<Record<'caFile' | 'certFile' | 'keyFile', string | undefined>>,
): [name: string, problem?: string] {
  const name = caFile === undefined ? (certFile === undefined ? 'keyFile' : 'certFile') : 'caFile';
  const isGiven = (caFile ?? certFile ?? keyFile) !== undefined;
  if (isGiven && !rpc.startsWith('https:')) return [name, 'needs an https:// address'];
  if (certFile !== undefined && keyFile === undefined) return ['certFile', 'needs a keyFile'];
  if (certFile === undefined && keyFile !== undefined) return ['keyFile', 'needs a certFile'];
  return [name];
}

/** Converts `[ID=]URL` into an entry of `nodes` in the file. */
export function toNodeEntry(argument: string): Readonly<Record<string, string>> {
  const [, id, rpc = ''] = /^(?:([^=/]*)=)?(.*)$/s.exec(argument) ?? [];
  return id === undefined ? { rpc } : { id, rpc };
}

/** The address of a system behind the node: a key in its user part travels as a header. */
export function readSystem(given: string): { url: string; headers: Readonly<Record<string, string>> } {
  const { url, credentials } = splitUrl(new URL(given));
  return { url, headers: credentials };
}

/** The settings of the status query. It gets the headers of the RPC server only when both are the same server. */
function readStatus(
  given: URL,
  headers: Readonly<Record<string, string>> | undefined,
  rpc: { readonly url: URL; readonly sent: Readonly<Record<string, string>> },
): { statusUrl: string; statusHeaders: Readonly<Record<string, string>> } {
  const { url, credentials } = splitUrl(given);
  const shared = given.origin === rpc.url.origin ? rpc.sent : {};
  return { statusUrl: url, statusHeaders: { ...shared, ...credentials, ...headers } };
}

/** Separates user and password from a URL: URLs are recorded and shown, so credentials travel as a header. */
function splitUrl(given: URL): { url: string; credentials: Record<string, string> } {
  const user = `${decodeURIComponent(given.username)}:${decodeURIComponent(given.password)}`;
  const bare = `${given.protocol}//${given.host}${given.pathname.replace(/\/+$/, '')}`;
  if (user === ':') return { url: bare, credentials: {} };
  return {
    url: bare,
    credentials: { authorization: `Basic ${Buffer.from(user, 'utf8').toString('base64')}` },
  };
}

/** `localhost-7331` for `http://localhost:7331`; a key in the path adds only its digest to the id. */
function deriveId(url: URL): string {
  return maskUrl(`${url.protocol}//${url.host}${url.pathname}`)
    .slice(url.protocol.length)
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}
