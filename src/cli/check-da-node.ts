import { mayWrite, readDaToken } from '../domain/da-token.js';
import type { DaToken } from '../domain/events.js';
import { duration } from '../domain/health/health-rule.js';
import { nanosToMillis, type Millis } from '../domain/time.js';
import { DaNodeApi, type DaHead, type DaSampling } from '../node-api/da-node-api.js';
import type { RpcAnswer, RpcFailure } from '../node-api/json-rpc.js';
import type { Clock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import type { HttpClient } from '../platform/http.js';
import { readSystem } from '../settings/node.js';
import type { CheckReport } from './check-report.js';
import { readGivenSecret } from './given-secret.js';

/** The answers of one poll of a DA node. */
interface DaNodeInspection {
  /** Undefined: no token was given. Null: the token is not of celestia-node. */
  readonly token: DaToken | null | undefined;
  readonly head: RpcAnswer<DaHead>;
  readonly syncTo: RpcAnswer<bigint>;
  readonly sampling: RpcAnswer<DaSampling>;
  readonly account: RpcAnswer<string>;
  /** Undefined: the account is unknown. */
  readonly balance: RpcAnswer<bigint> | undefined;
}

/**
 * Polls a DA node once, with reads only. Takes up to 45 s if the consensus node behind it hangs.
 * @param tokenFile left out: it is polled without a token
 * @throws UserError if the file cannot be read, or is empty
 */
export async function checkDaNode(
  http: HttpClient,
  clock: Clock,
  { url, tokenFile }: { readonly url: string; readonly tokenFile: string | undefined },
  signal: AbortSignal,
): Promise<CheckReport> {
  const token = tokenFile === undefined ? null : await readToken(tokenFile);
  const api = new DaNodeApi(http, clock, { ...readSystem(url), token: () => Promise.resolve(token) });
  const [head, syncTo, sampling, account] = await Promise.all([
    api.head(signal),
    api.syncTo(signal),
    api.sampling(signal),
    api.address(signal),
  ]);
  const balance = account.ok ? await api.balance(account.value, signal) : undefined;
  const seen = { head, syncTo, sampling, account, balance };
  return describe({ ...seen, token: token === null ? undefined : readDaToken(token) }, clock.now());
}

async function readToken(file: string): Promise<string> {
  const token = await readGivenSecret(file);
  if (token === null) throw new UserError('The token file is empty.', 'Put the token into its last line.');
  return token;
}

function describe(seen: DaNodeInspection, now: Millis): CheckReport {
  const { head, syncTo, sampling, account, balance } = seen;
  const facts = Object.entries({
    'DA node': head.ok ? 'answers' : problemOf(head),
    Token: tokenText(seen, now),
    'DA chain': head.ok ? (head.value.chain ?? 'not reported') : 'unknown',
    Head: head.ok ? `${head.value.height}, ${ageText(head.value, now)}` : 'unknown',
    'Synchronised to': syncTo.ok ? String(syncTo.value) : problemOf(syncTo),
    Sampling: sampling.ok ? samplingText(sampling.value) : problemOf(sampling),
    Account: account.ok ? account.value : problemOf(account),
    Balance: balance === undefined ? 'unknown' : balance.ok ? `${balance.value} utia` : problemOf(balance),
  });
  const recordable = [
    head.ok && 'whether the DA node answers, and the age of its head',
    balance?.ok && 'the balance of its account: spending, top-ups, and how long it lasts',
  ];
  const lacking = [
    !head.ok && `the head of the DA node, because ${reasonOf(head, seen)}`,
    !account.ok && `the account of the DA node, because ${reasonOf(account, seen)}: name it in daAccounts`,
    balance && !balance.ok && `the balance of its account, because ${reasonOf(balance, seen)}`,
  ];
  const isSentence = (sentence: string | false | undefined): sentence is string =>
    typeof sentence === 'string';
  return { facts, recordable: recordable.filter(isSentence), lacking: lacking.filter(isSentence) };
}

const NEW_TOKEN = 'make one with `celestia light auth read` on its host';

function reasonOf(failure: RpcFailure, { token }: DaNodeInspection): string {
  if (failure.outcome === 'REFUSED' && token !== undefined)
    return `it refuses the token (${failure.detail}): ${NEW_TOKEN}`;
  if (failure.outcome === 'REFUSED' || failure.outcome === 'NOT_PERMITTED')
    return token === undefined
      ? `no token was given (--da-token-file FILE): ${NEW_TOKEN}`
      : `the token lacks the permission read: ${NEW_TOKEN}`;
  return failure.detail;
}

function problemOf({ outcome, detail }: RpcFailure): string {
  return `${outcome.toLowerCase().replace('_', ' ')}, ${detail}`;
}

function tokenText({ token }: DaNodeInspection, now: Millis): string {
  if (token === undefined) return 'none given';
  if (token === null) return 'not a token of celestia-node: its rights and its end are unknown';
  const { permissions, expiresAt } = token;
  const end = expiresAt === null ? 'never expires' : expiryText(expiresAt, now);
  const warning = mayWrite(token) ? `; WARNING: it may do more than read: ${NEW_TOKEN}` : '';
  return `${permissions.join(', ') || 'no permissions'}; ${end}${warning}`;
}

function expiryText(expiresAt: string, now: Millis): string {
  const left = Date.parse(expiresAt) - now;
  return left > 0 ? `expires in ${duration(left)}, at ${expiresAt}` : `expired at ${expiresAt}`;
}

function ageText({ timeNs }: DaHead, now: Millis): string {
  return `${duration(Math.max(0, now - nanosToMillis(timeNs)))} old`;
}

function samplingText({ isRunning, failed, head }: DaSampling): string {
  return `${isRunning ? 'runs' : 'does not run'}, up to ${head}${failed > 0 ? `, ${failed} failed` : ''}`;
}
