import { isServiceError } from '../domain/node-interface/answer-form.js';
import type { Clock } from '../platform/clock.js';
import type { HttpLimits, HttpResponse, HttpResult } from '../platform/http-messages.js';
import { isHtml, looksLikeJson, refused, type Refused, unreachable } from './answer.js';
import { BLOCK } from './limits.js';
import type { NodeServer } from './node-server.js';
import type { NodeWitness } from './node-witness.js';

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
/** Pause before a search that found nothing is repeated. */
const SEARCH_AGAIN_MS = 60_000;
/** Pause before a method that a version lacks is requested again. */
const ASK_AGAIN_MS = 3_600_000;
/** Request for the newest block, which tests a prefix. */
const NEWEST_BLOCK = '{"height":0}';

/**
 * Calls the node's services under their prefix (`evnode.v1`, …), which differs by version. The prefix is found by requesting
 * the newest block, and is remembered. The search is repeated when the node answers with a page that it has no such path. A
 * method that a version lacks is not requested again within the hour, unless the node was unreachable or its prefix changed.
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

  /** The prefix under which the node answered; null before that. */
  get prefix(): string | null {
    return this.found;
  }

  /** Allows missing methods to be requested again: another process may answer now. */
  forgetMissing(): void {
    this.nothingFoundAt = undefined;
    this.missingSince.clear();
  }

  /** Searches for the prefix, unless it is known or a search found nothing within the last minute. */
  async findPrefix(signal?: AbortSignal): Promise<string | null> {
    if (this.found === null && !this.searchedLately()) await this.search(signal);
    return this.found;
  }

  /**
   * The answer under a known prefix; else a refusal, which is `NOT_SUPPORTED` if the node does not offer the method or service.
   */
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
    // The page may have been temporary. GetBlock is never missing: the search has just succeeded with it.
    const again = await this.post(path, call);
    if (isNoSuchPath(again) && call.method !== 'GetBlock')
      this.missingSince.set(path, this.clock.monotonic());
    return offered(again, noMethod);
  }

  /** Runs one search at a time; returns the last answer of that search. */
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
        // A gateway's error page says nothing about the paths behind it.
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

/** The answer, unless it says that there is no such path: then a refusal with the text `otherwise`. */
function offered(result: HttpResult, otherwise: string): HttpResponse | Refused {
  if (result.kind === 'failure') return unreachable(result);
  return isNoSuchPath(result) ? refused(result, 'NOT_SUPPORTED', otherwise) : result;
}

/** No request was sent, so there is neither a status nor a latency. */
function notAsked(detail: string): Refused {
  return refused({ kind: 'failure', reason: 'OTHER', detail, latencyMs: 0 }, 'NOT_SUPPORTED', detail);
}

/** Normalises the ways people write a prefix (`node`, `evnode.v1`, `/node.v1.StoreService`). */
export function normalisePrefix(text: string): string {
  const name = text.replace(/^\/+|\/+$/g, '').replace(/\.(Store|Config|P2P)Service$/, '');
  return /\.v\d+$/.test(name) ? name : `${name}.v1`;
}

/** Whether only the service itself can have given this answer: a message, or an error with a code of the protocol. */
function isServiceAnswer(response: HttpResponse): boolean {
  if (isNoSuchPath(response)) return false;
  // When Hindsight serves as a node, it answers 503 if its record lacks a part of the block, and names that part.
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

/** Whether a page says that there is no such path, as opposed to a service that says that it has no such block. */
function isNoSuchPath(result: HttpResult): boolean {
  if (result.kind === 'failure') return false;
  const { status, body } = result;
  if (status === 405 || status === 501) return true;
  if (status !== 404) return status === 200 && isHtml(body);
  if (!looksLikeJson(body)) return true;
  const text = body.toString('latin1', 0, 1_024);
  return /"unimplemented"|\b(route|path|page|url|endpoint)\b[^"]*\bnot found|cannot (post|get)/i.test(text);
}
