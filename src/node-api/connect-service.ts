import { isServiceError } from '../domain/node-interface/answer-form.js';
import type { Clock } from '../platform/clock.js';
import type { HttpLimits, HttpResponse, HttpResult } from '../platform/http-messages.js';
import { isHtml, looksLikeJson, refused, type Refused, unreachable } from './answer.js';
import { BLOCK } from './limits.js';
import type { NodeServer } from './node-server.js';
import type { NodeWitness } from './node-witness.js';

/** One call of the node's block service. */
export interface ServiceCall {
  readonly service: 'StoreService' | 'ConfigService' | 'P2PService';
  readonly method: string;
  /** The request message as JSON text. */
  readonly json: string;
  readonly limits: HttpLimits;
  readonly signal?: AbortSignal | undefined;
}

/** Service prefixes in use, the newest versions of the real node first. */
const KNOWN_PREFIXES = ['evnode.v1', 'rollkit.v1', 'node.v1'];
/** How long a search that found nothing is believed. */
const SEARCH_AGAIN_MS = 60_000;
/** How long a method that a version does not have is not asked for again. */
const ASK_AGAIN_MS = 3_600_000;
/** What a node without the service, or a page in front of it, says about the newest block. */
const NEWEST_BLOCK = '{"height":0}';

/**
 * Calls the node's services under their prefix (`evnode.v1`, …), which differs by version. It is found by asking for
 * the newest block, and remembered. It is looked for again when the node answers with a page that it has no such
 * path. What a version does not offer is not asked for again within the hour, unless the node was away or its prefix
 * changed.
 */
export class ConnectService {
  private found: string | null = null;
  private nothingFoundAt: number | undefined;
  private searching: Promise<HttpResult> | undefined;
  private readonly missingSince = new Map<string, number>();

  /** `configured`: the only prefix to use, when the settings name one. */
  constructor(
    private readonly server: NodeServer,
    private readonly clock: Clock,
    private readonly configured?: string,
    private readonly witness?: NodeWitness,
  ) {}

  /** The prefix that the node answered under, null until it has. */
  get prefix(): string | null {
    return this.found;
  }

  /** Asks again for what was not offered: another process may answer now. */
  forgetMissing(): void {
    this.nothingFoundAt = undefined;
    this.missingSince.clear();
  }

  /** Looks for the prefix unless it is known, or was looked for in vain within the last minute. */
  async findPrefix(signal?: AbortSignal): Promise<string | null> {
    if (this.found === null && !this.searchedLately()) await this.search(signal);
    return this.found;
  }

  /** The answer under a known prefix; else a refusal, which is `NOT_SUPPORTED` where the method or the service is not offered. */
  async call(call: ServiceCall): Promise<HttpResponse | Refused> {
    if (this.found === null) {
      if (this.searchedLately()) return notAsked(this.noService());
      const last = await this.search(call.signal);
      if (this.found === null) return offered(last, this.noService());
    }
    const path = `${this.found}.${call.service}/${call.method}`;
    const noMethod = `this version of the node has no ${call.method}`;
    if (this.isKnownMissing(path)) return notAsked(noMethod);
    const result = await this.post(path, call);
    if (result.kind === 'failure') this.missingSince.clear();
    if (!isNoSuchPath(result)) return offered(result, noMethod);
    return this.afterNoSuchPath(call, result);
  }

  /** The path is gone or was never there: the version changed, or it lacks just this method. */
  private async afterNoSuchPath(call: ServiceCall, result: HttpResult): Promise<HttpResponse | Refused> {
    const noMethod = `this version of the node has no ${call.method}`;
    const before = this.found;
    this.found = null;
    const prefix = await this.findPrefix(call.signal);
    if (prefix === null) return offered(result, this.noService());
    if (prefix !== before) this.missingSince.clear();
    const path = `${prefix}.${call.service}/${call.method}`;
    // A page may have stood there for a moment. GetBlock is never missing: the search has just been answered by it.
    const again = await this.post(path, call);
    if (isNoSuchPath(again) && call.method !== 'GetBlock')
      this.missingSince.set(path, this.clock.monotonic());
    return offered(again, noMethod);
  }

  /** One search at a time; it gives back the last answer it got. */
  private search(signal?: AbortSignal): Promise<HttpResult> {
    this.searching ??= this.tryPrefixes(signal).finally(() => {
      this.searching = undefined;
    });
    return this.searching;
  }

  private async tryPrefixes(signal?: AbortSignal): Promise<HttpResult> {
    const candidates = this.configured === undefined ? KNOWN_PREFIXES : [this.configured];
    let last: HttpResult | undefined;
    for (const prefix of candidates) {
      last = await this.post(`${prefix}.StoreService/GetBlock`, {
        json: NEWEST_BLOCK,
        limits: BLOCK,
        signal,
      });
      if (last.kind === 'failure') return last;
      if (isServiceAnswer(last)) {
        this.found = prefix;
        this.nothingFoundAt = undefined;
        return last;
      }
      if (!isNoSuchPath(last)) {
        // A gateway's error page says nothing of the paths behind it.
        return last;
      }
    }
    this.nothingFoundAt = this.clock.monotonic();
    return last as HttpResult;
  }

  private async post(
    path: string,
    call: Pick<ServiceCall, 'json' | 'limits' | 'signal'>,
  ): Promise<HttpResult> {
    const result = await this.server.post(`/${path}`, call.json, call.limits, call.signal);
    if (isOwnError(result)) this.witness?.note();
    return result;
  }

  private searchedLately(): boolean {
    const at = this.nothingFoundAt;
    return at !== undefined && this.clock.monotonic() - at < SEARCH_AGAIN_MS;
  }

  private isKnownMissing(path: string): boolean {
    const since = this.missingSince.get(path);
    return since !== undefined && this.clock.monotonic() - since < ASK_AGAIN_MS;
  }

  private noService(): string {
    const prefixes = this.configured === undefined ? KNOWN_PREFIXES : [this.configured];
    return `no block service under ${prefixes.join(', ')}`;
  }
}

/** What came back, unless it says that there is no such path: then, in words, what is not offered. */
function offered(result: HttpResult, otherwise: string): HttpResponse | Refused {
  if (result.kind === 'failure') return unreachable(result);
  return isNoSuchPath(result) ? refused(result, 'NOT_SUPPORTED', otherwise) : result;
}

/** Nothing was asked, so there is neither a status nor a latency. */
function notAsked(detail: string): Refused {
  return refused({ kind: 'failure', reason: 'OTHER', detail, latencyMs: 0 }, 'NOT_SUPPORTED', detail);
}

/** Brings what people write for a prefix (`node`, `evnode.v1`, `/node.v1.StoreService`) into one form. */
export function normalisePrefix(text: string): string {
  const name = text.replace(/^\/+|\/+$/g, '').replace(/\.(Store|Config|P2P)Service$/, '');
  return /\.v\d+$/.test(name) ? name : `${name}.v1`;
}

/** An answer that only the service itself can have given: a message, or an error with the code of the protocol. */
function isServiceAnswer(response: HttpResponse): boolean {
  if (isNoSuchPath(response)) return false;
  // Hindsight in a node's place answers 503 where its record lacks a part of the block, and names it.
  const isOurs = response.leftOut !== undefined;
  return looksLikeJson(response.body) && response.status !== 405 && (response.status < 502 || isOurs);
}

function isOwnError(result: HttpResult): boolean {
  return (
    result.kind === 'response' &&
    result.status >= 400 &&
    isServiceError(result.body.toString('latin1', 0, 1_024))
  );
}

/** A page that there is no such path, as opposed to a service that says that it has no such block. */
function isNoSuchPath(result: HttpResult): boolean {
  if (result.kind === 'failure') return false;
  const { status, body } = result;
  if (status === 405 || status === 501) return true;
  if (status !== 404) return status === 200 && isHtml(body);
  if (!looksLikeJson(body)) return true;
  const text = body.toString('latin1', 0, 1_024);
  return /"unimplemented"|\b(route|path|page|url|endpoint)\b[^"]*\bnot found|cannot (post|get)/i.test(text);
}
