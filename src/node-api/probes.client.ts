import type { ProbeOutcome } from '../domain/events.js';
import { probeForm } from '../domain/node-interface/answer-form.js';
import type { Millis } from '../domain/time.js';
import type { HttpFailure, HttpResponse, HttpResult } from '../platform/http-messages.js';
import { clockOf, describeStatus, describeStranger, firstLine, isHtml, readJson } from './answer.js';
import { SMALL } from './limits.js';
import type { NodeServer } from './node-server.js';
import { AnswerVerifier, type NodeWitness } from './node-witness.js';
import { isObject, member, readChainId, readHeight, readObject, type WireObject } from './wire-values.js';

export interface ProbeResult {
  readonly outcome: ProbeOutcome;
  readonly statusCode: number | null;
  /** One line; empty when all is well and there is nothing to say. */
  readonly detail: string;
  readonly latencyMs: Millis;
  readonly nodeClock?: Millis;
  /** We cancelled the request; says nothing about the node. */
  readonly aborted: boolean;
}

/** The values of the status query; null where its answer has none. */
export interface StatusProbe extends ProbeResult {
  readonly catchingUp: boolean | null;
  readonly chainId: string | null;
  readonly latestHeight: bigint | null;
}

/** Liveness, readiness, and the status query on its own port. */
export class ProbesClient {
  private readonly doubts: { readonly live: AnswerVerifier; readonly ready: AnswerVerifier };

  constructor(
    private readonly server: NodeServer,
    private readonly statusServer: NodeServer | undefined,
    witness: NodeWitness,
  ) {
    this.doubts = { live: new AnswerVerifier(witness), ready: new AnswerVerifier(witness) };
  }

  live(signal?: AbortSignal): Promise<ProbeResult> {
    return this.probe('live', signal);
  }

  ready(signal?: AbortSignal): Promise<ProbeResult> {
    return this.probe('ready', signal);
  }

  /** Undefined where the settings name no status address. */
  async status(signal?: AbortSignal): Promise<StatusProbe | undefined> {
    if (!this.statusServer) return undefined;
    const result = await this.statusServer.get('/status', SMALL, signal);
    // It may be another server, so answers of the RPC server prove nothing here.
    const probe = toProbe(result, result.kind === 'response' && !isHtml(result.body));
    const unknown = { catchingUp: null, chainId: null, latestHeight: null };
    if (probe.outcome !== 'OK') return { ...probe, ...unknown };
    const body = readJson(result as HttpResponse);
    if (!body.ok || !isObject(body.json)) {
      const detail = body.ok ? 'answered JSON that is not an object' : body.detail;
      return { ...probe, ...unknown, outcome: 'INVALID', detail };
    }
    if (!isStatus(body.json)) {
      return { ...probe, ...unknown, outcome: 'INVALID', detail: 'answered JSON that is not a status' };
    }
    return { ...probe, ...readStatus(body.json) };
  }

  private async probe(name: 'live' | 'ready', signal?: AbortSignal): Promise<ProbeResult> {
    const result = await this.server.get(`/health/${name}`, SMALL, signal);
    if (result.kind === 'failure') return toProbe(result, false);
    const form = probeForm({ status: result.status, text: firstLine(result.body) });
    return toProbe(result, await this.doubts[name].isNodes(form, signal));
  }
}

function toProbe(result: HttpResult, isNodes: boolean): ProbeResult {
  const contact = {
    latencyMs: result.latencyMs,
    ...clockOf(result),
  };
  if (result.kind === 'failure') {
    const statusCode = result.partial?.status ?? null;
    const aborted = result.reason === 'ABORTED';
    return { ...contact, outcome: outcomeOfFailure(result), statusCode, detail: result.detail, aborted };
  }
  const { status } = result;
  const judged = isNodes
    ? judge(result)
    : ({ outcome: 'INVALID', detail: describeStranger(result) } as const);
  return { ...contact, ...judged, statusCode: status, aborted: false };
}

function judge(response: HttpResponse): Pick<ProbeResult, 'outcome' | 'detail'> {
  const { status, body } = response;
  if (status === 404 || status === 405) return { outcome: 'NOT_OFFERED', detail: `answered ${status}` };
  if (status >= 300 && status < 400) return { outcome: 'INVALID', detail: describeStatus(response) };
  if (status >= 200 && status < 300) return { outcome: 'OK', detail: '' };
  return { outcome: 'FAILED', detail: firstLine(body) || `answered ${status}` };
}

function outcomeOfFailure(failure: HttpFailure): ProbeOutcome {
  if (failure.reason === 'TIMEOUT' || failure.reason === 'REFUSED') return failure.reason;
  return 'FAILED';
}

/** Whether the JSON is a status record, or a JSON-RPC answer in place of one. */
function isStatus(json: WireObject): boolean {
  const record = isObject(json['result']) ? json['result'] : json;
  return ['syncInfo', 'nodeInfo'].some((name) => member(record, name) !== undefined) || 'jsonrpc' in json;
}

/** The status record is at the top level (the specification) or in the `result` of a JSON-RPC answer. */
function readStatus(json: WireObject): Pick<StatusProbe, 'catchingUp' | 'chainId' | 'latestHeight'> {
  const status = isObject(json['result']) ? json['result'] : json;
  const sync = attempt(() => readObject(status, 'syncInfo')) ?? {};
  const catchingUp = member(sync, 'catchingUp');
  const node = attempt(() => readObject(status, 'nodeInfo')) ?? {};
  return {
    catchingUp: typeof catchingUp === 'boolean' ? catchingUp : null,
    chainId: attempt(() => readChainId(node, 'network')) || null,
    latestHeight: attempt(() => readHeight(sync, 'latestBlockHeight')) || null,
  };
}

/** A member that cannot be read is null; the other members remain usable. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
