import type { Command } from 'commander';
import { UserError } from '../platform/errors.js';
import { HttpClient } from '../platform/http.js';
import type { HttpResult } from '../platform/http-messages.js';
import { redactUrl } from '../platform/redact.js';
import { addSettingOptions, readSettings, type SettingOptions } from './setting-options.js';
import type { ServiceStatus } from '../api/own-health/running.query.js';
import { printStatus } from './status-table.js';

interface StatusOptions extends SettingOptions {
  readonly url?: string;
}

/** The service answers within 2 s, however it fares. */
const LIMITS = { bodyBytes: 1_000_000, headersMs: 8_000, totalMs: 10_000 };

/** `hindsight status`: what a running service does. */
export function define(command: Command): void {
  command
    .description(
      'show what a running service does: its loops, the work of its calendar, its job queue and its read models',
    )
    .option('--url <URL>', 'where it answers; left out, it is http://127.0.0.1 and the port of the settings');
  addSettingOptions(command, ['port', 'logLevel']).action(show);
}

async function show(options: StatusOptions): Promise<void> {
  const settings = readSettings(options);
  const url = options.url ?? `http://127.0.0.1:${settings.port}`;
  const [apiKey] = settings.apiKeys;
  const status = readAnswer(url, await ask(url, apiKey));
  process.stdout.write(printStatus(status));
  if (status.loops === undefined) {
    throw new UserError(
      'The service tells no more without an API key that is good.',
      'Set HINDSIGHT_API_KEY to a key of its settings, or to one that `hindsight keys add` has made.',
    );
  }
  if (!status.ready) throw new UserError('The service is not ready.', 'The reason stands above.');
}

async function ask(url: string, apiKey: string | undefined): Promise<HttpResult> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UserError(`${redactUrl(url)} is not an address.`, 'Give it as --url http://HOST:PORT.', 2);
  }
  const http = new HttpClient();
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  try {
    return await http.request({ url: new URL('/health/ready', url).href, headers, limits: LIMITS });
  } finally {
    await http.close();
  }
}

/** @throws UserError when that is no answer of Hindsight */
function readAnswer(url: string, result: HttpResult): ServiceStatus {
  const where = redactUrl(url).replace(/\/$/, '');
  if (result.kind === 'failure') {
    throw new UserError(
      `No service answers at ${where}: ${result.detail}`,
      'Start one (hindsight start), or say where it is: --port, HINDSIGHT_PORT or --url.',
    );
  }
  const answer = parse(result.body.toString('utf8'));
  if (isStatus(answer)) return answer;
  throw new UserError(
    `What answers at ${where} (${result.status}) does not look like Hindsight.`,
    'Say where the service is: --port, HINDSIGHT_PORT or --url.',
  );
}

/** The first fields, which everybody is told, show what it is. */
function isStatus(answer: unknown): answer is ServiceStatus {
  const { ready, database } = (answer ?? {}) as Partial<Record<string, unknown>>;
  return typeof ready === 'boolean' && typeof database === 'string';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
