import type { Command } from 'commander';
import { UserError } from '../platform/errors.js';
import { HttpClient } from '../platform/http.js';
import type { HttpResult } from '../platform/http-messages.js';
import { redactUrl } from '../platform/redact.js';
import { addJsonOption, toJsonText, type JsonOptions } from './json.js';
import { requireUrl } from './require-url.js';
import { addSettingOptions, readSettings, type SettingOptions } from './setting-options.js';
import type { ServiceStatus } from '../api/own-health/running.query.js';
import { type NodeSummary, printStatus } from './status-table.js';
import { printSystems, type SystemsSummary } from './status-systems.js';

interface StatusOptions extends SettingOptions, JsonOptions {
  readonly url?: string;
}

/** The service answers within 2 s, whatever its state is. */
const LIMITS = { bodyBytes: 1_000_000, headersMs: 8_000, totalMs: 10_000 };

const READY = '/health/ready';
const GRAPHQL = '/graphql';
const WATCHED = JSON.stringify({
  query:
    '{ now nodes { id chain head pending retired aggregator da { state rule reason } node { state reason } } daNodes { nodeId state reason head headAgeMs } executionLayers { nodeId state reason head lagBlocks } accounts { address nodes balance detail runway { from to } } }',
});
const TOO_MANY_REQUESTS = 429;

export function define(command: Command): void {
  command
    .description(
      'show the status of a running service: nodes, the systems behind them, disk, loops, scheduled work, job queue and read models',
    )
    .option('--url <URL>', 'address of the service; default: http://127.0.0.1 with the port of the settings');
  addSettingOptions(addJsonOption(command), ['port', 'logLevel']).action(show);
}

async function show(options: StatusOptions): Promise<void> {
  const settings = readSettings(options);
  const url = options.url ?? `http://127.0.0.1:${settings.port}`;
  const [apiKey] = settings.apiKeys;
  const status = readStatus(url, await ask(url, READY, apiKey));
  // Clients that may see what runs may also request the nodes.
  const watched = status.loops && readWatched(await ask(url, GRAPHQL, apiKey, WATCHED));
  process.stdout.write(options.json ? toJsonText(jsonOf(status, watched)) : textOf(status, watched));
  if (status.loops === undefined) {
    // The position is reported only to clients with a key.
    if (status.logPosition !== undefined) {
      throw new UserError('The service runs an older release, which reports no more.', 'Upgrade it.');
    }
    throw new UserError(
      'The service reports no more without a valid API key.',
      'Set HINDSIGHT_API_KEY to a key of its settings, or to a key from `hindsight keys add`.',
    );
  }
  if (!status.ready) throw new UserError('The service is not ready.', 'The reason is above.');
}

function textOf(status: ServiceStatus, watched: WatchedSummary | string | undefined): string {
  return typeof watched === 'object'
    ? printStatus(status, watched.nodes, printSystems(watched))
    : printStatus(status, watched);
}

/** The service's own status and, with a key, that of its nodes and their systems. `nodesUnknown` says why nodes are missing. */
function jsonOf(status: ServiceStatus, watched: WatchedSummary | string | undefined): object {
  return typeof watched === 'string' ? { ...status, nodesUnknown: watched } : { ...status, ...watched };
}

async function ask(
  url: string,
  path: string,
  apiKey: string | undefined,
  json?: string,
): Promise<HttpResult> {
  requireUrl(url);
  const http = new HttpClient();
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  try {
    return await http.request({
      url: urlOf(url, path),
      headers,
      limits: LIMITS,
      ...(json !== undefined && { json }),
    });
  } finally {
    await http.close();
  }
}

/** Keeps the path under which a proxy serves it. */
function urlOf(address: string, asked: string): string {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  const base = path.endsWith(READY) ? path.slice(0, -READY.length) : path;
  url.pathname = `${base}${asked}`;
  url.search = '';
  return url.href;
}

/**
 * Reads the service's readiness.
 * @throws UserError if the answer is not from Hindsight
 */
function readStatus(url: string, result: HttpResult): ServiceStatus {
  const where = redactUrl(url).replace(/\/$/, '');
  if (result.kind === 'failure') {
    throw new UserError(
      `No service answers at ${where}: ${result.detail}`,
      'Start one (hindsight start), or give its address: --port, HINDSIGHT_PORT or --url.',
    );
  }
  if (result.status === TOO_MANY_REQUESTS) {
    throw new UserError(`The service at ${where} got too many requests.`, 'Try again in a minute.');
  }
  try {
    const status: unknown = JSON.parse(result.body.toString('utf8'));
    if (isStatus(status)) {
      // Fails for an unknown form while it can still be reported.
      printStatus(status);
      return status;
    }
  } catch {
    // Not JSON, or a part of it has an unknown form.
  }
  throw new UserError(
    `The answer at ${where} (${result.status}) is not from Hindsight.`,
    'Give the address of the service: --port, HINDSIGHT_PORT or --url.',
  );
}

/** Reads the nodes and their systems, or the reason why they are missing: many nodes may be too expensive, or too large. */
function readWatched(result: HttpResult): WatchedSummary | string {
  if (result.kind === 'failure') return result.detail;
  try {
    const { data, errors } = JSON.parse(result.body.toString('utf8')) as WatchedAnswer;
    return data?.nodes ? data : (errors?.[0]?.message ?? 'the service does not report them');
  } catch {
    return 'the answer is not JSON';
  }
}

interface WatchedSummary extends SystemsSummary {
  readonly nodes: readonly NodeSummary[];
}

interface WatchedAnswer {
  readonly data?: WatchedSummary | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** The first fields, which everybody gets, identify it. */
function isStatus(answer: unknown): answer is ServiceStatus {
  const { ready, database } = (answer ?? {}) as Partial<Record<string, unknown>>;
  return typeof ready === 'boolean' && typeof database === 'string';
}
