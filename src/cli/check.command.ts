import type { Command } from 'commander';
import { tlsRemedy } from '../domain/tls-fault.js';
import { NodeApi } from '../node-api/node-api.js';
import { inspectNode, isUnusable, type NodeInspection } from '../observe/node/inspect-node.js';
import { type Clock, SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { HttpClient } from '../platform/http.js';
import { redactUrl } from '../platform/redact.js';
import { checkConsensus } from './check-consensus.js';
import { checkDaNode } from './check-da-node.js';
import { checkEngine } from './check-engine.js';
import { addTarget, findTarget, type TargetOptions } from './check-target.js';
import {
  describeInspection,
  printReport,
  reportsToJson,
  type CheckedSystem,
  type CheckReport,
} from './check-report.js';
import { addJsonOption, type JsonOptions } from './json.js';
import { painter } from '../platform/paint.js';
import { requireUrl } from './require-url.js';
import { catchStopSignals } from './stop-signals.js';
import { warnOfOldNode } from './warn-of-old-node.js';

interface CheckOptions extends TargetOptions, JsonOptions {
  readonly daNode?: string;
  readonly daTokenFile?: string;
  readonly daConsensus?: string;
  readonly engine?: string;
  readonly jwtSecretFile?: string;
}

export function define(command: Command): void {
  addTarget(
    command.description(
      'poll one node and report what Hindsight could record of it and what not; writes nothing',
    ),
  )
    .option('--da-node <url>', 'the DA node that it posts through, like http://localhost:26658')
    .option('--da-token-file <file>', 'a file with a token for the DA node; the permission read is enough')
    .option(
      '--da-consensus <url>',
      'the REST of a consensus node of its DA chain, like http://localhost:1317',
    )
    .option('--engine <url>', 'the Engine API of its execution layer, like http://localhost:8551')
    .option('--jwt-secret-file <file>', 'the file with the secret of the Engine API: tried once, never kept')
    .option('--service <prefix>', 'the prefix of its block service, like evnode.v1; default: detected')
    .action(check);
  addJsonOption(command);
}

async function check(target: string, options: CheckOptions): Promise<void> {
  const access = findTarget(target, options);
  const { url, statusUrl } = access;
  if (options.daNode !== undefined) requireUrl(options.daNode);
  else if (options.daTokenFile !== undefined)
    throw new UserError('--da-token-file needs the address of a DA node.', 'Give it as --da-node URL.', 2);
  if (options.daConsensus !== undefined) requireUrl(options.daConsensus);
  if (options.engine !== undefined) requireUrl(options.engine);
  if ((options.engine === undefined) !== (options.jwtSecretFile === undefined))
    throw new UserError('--engine and --jwt-secret-file need each other.', 'Give both, or none.', 2);
  warnOfOldNode();
  const stop = catchStopSignals();
  const http = new HttpClient();
  const clock = new SystemClock();
  try {
    const api = new NodeApi(http, clock, access);
    const seen = await inspectNode(api, clock, statusUrl, stop.signal);
    const checked: CheckedSystem[] = [];
    const show = (system: CheckedSystem): void => {
      stop.signal.throwIfAborted();
      checked.push(system);
      if (options.json) return;
      process.stdout.write(`${checked.length > 1 ? '\n' : ''}${printReport(system, painter())}`);
    };
    show({ url: redactUrl(url), report: describeInspection(seen, clock.now()) });
    for (const [address, look] of systemsOf(options)) {
      show({ url: redactUrl(address), report: await look(http, clock, stop.signal) });
    }
    if (options.json) process.stdout.write(reportsToJson(checked));
    requireSomething(url, seen);
  } finally {
    await http.close();
    stop.release();
  }
}

type Look = (http: HttpClient, clock: Clock, signal: AbortSignal) => Promise<CheckReport>;

/** The systems behind the node that the flags name, each with its address. */
function systemsOf(options: CheckOptions): (readonly [url: string, look: Look])[] {
  const { daNode, daTokenFile: tokenFile, daConsensus, engine, jwtSecretFile: secretFile } = options;
  const systems: (readonly [string, Look])[] = [];
  if (daNode !== undefined)
    systems.push([
      daNode,
      (http, clock, signal) => checkDaNode(http, clock, { url: daNode, tokenFile }, signal),
    ]);
  if (daConsensus !== undefined)
    systems.push([daConsensus, (http, clock, signal) => checkConsensus(http, clock, daConsensus, signal)]);
  if (engine !== undefined && secretFile !== undefined)
    systems.push([
      engine,
      (http, clock, signal) => checkEngine(http, clock, { url: engine, secretFile }, signal),
    ]);
  return systems;
}

/** @throws UserError if nothing specific to a rollup node could be recorded; an HTTP answer alone is not enough */
function requireSomething(url: string, seen: NodeInspection): void {
  const { newestBlock, submissions, claim, live, status } = seen;
  const offersData = [newestBlock, submissions, claim].some((part) => !isUnusable(part));
  // A follower reports that it is not an aggregator, and so does a node with DA monitoring switched off.
  const isNode = isUnusable(submissions) && submissions.state === 'NOT_AGGREGATOR';
  if (offersData || isNode || live.outcome === 'OK' || status?.outcome === 'OK') return;
  const reason =
    live.statusCode === null
      ? `it cannot be reached (${live.detail})`
      : 'it does not answer as a rollup node';
  throw new UserError(`Nothing from ${redactUrl(url)} could be recorded: ${reason}.`, remedyFor(url, seen));
}

function remedyFor(url: string, { live }: NodeInspection): string {
  if (new URL(url).port === '26657') {
    return "Port 26657 is usually the status endpoint: give the node's RPC server (port 7331) and the status endpoint by --status.";
  }
  if (live.outcome === 'REFUSED') {
    return 'Check that the node runs and that its rpc.address (port 7331 by default) is the address that you gave.';
  }
  const ofTls = live.statusCode === null ? tlsRemedy(live.detail) : undefined;
  if (ofTls !== undefined) return ofTls;
  if (live.statusCode === null) {
    return 'Check the address, the firewall between this computer and the node, and http versus https.';
  }
  return "Check that this is the node's RPC server (port 7331 by default), not a page or proxy in front of it.";
}
