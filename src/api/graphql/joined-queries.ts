import { Inject, Injectable } from '@nestjs/common';
import type { Millis } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { whenOver } from '../http/answer-pace.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { acceptsGraphql } from './request-checks.js';

/** A query may be answered by reads that began this long before it: an event reaches all open pages within that time. */
const JOINED_WITHIN_MS: Millis = 50;

interface Running {
  readonly since: Millis;
  /** Undefined if the answer is refused or long, or its client has left: then each query that joined runs for itself. */
  readonly text: Promise<string | undefined>;
}

/**
 * Equal queries that arrive at the same time run once. All pages that are open hear of an event at the same moment, and then
 * send the same queries.
 */
@Injectable()
export class JoinedQueries {
  private readonly running = new Map<string, Running>();
  private readonly tellers = new WeakMap<HttpRequest, (text: string | undefined) => void>();

  constructor(@Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>) {}

  /** The text that answers an equal query; undefined if the query has to run. */
  async join(request: HttpRequest, reply: HttpReply): Promise<string | undefined> {
    const name = nameOf(request);
    // A client that has changed something gets no answer from before the change.
    if (name === undefined) {
      whenOver(reply.raw, () => this.clear());
      return undefined;
    }
    const found = this.running.get(name);
    if (found !== undefined && this.options.clock.monotonic() - found.since <= JOINED_WITHIN_MS)
      return found.text;
    this.lead(name, request, reply);
    return undefined;
  }

  /** Lets no later query join those that run: something has changed. */
  clear(): void {
    this.running.clear();
  }

  /** Notes the response to a request, before it is sent. */
  note(request: HttpRequest, text: unknown, isGood: boolean): void {
    this.tellers.get(request)?.(isGood && typeof text === 'string' && text !== '' ? text : undefined);
  }

  private lead(name: string, request: HttpRequest, reply: HttpReply): void {
    const text = new Promise<string | undefined>((resolve) => this.tellers.set(request, resolve));
    const running = { since: this.options.clock.monotonic(), text };
    this.running.set(name, running);
    const forget = (): void => {
      if (this.running.get(name) === running) this.running.delete(name);
    };
    void text.then(forget);
    whenOver(reply.raw, () => this.note(request, undefined, false));
  }
}

/** Equal for requests that get equal answers; undefined for a request that may change something. */
function nameOf({ method, body, caller, headers }: HttpRequest): string | undefined {
  if (method !== 'POST' || /\bmutation\b/.test((body as { query: string }).query)) return undefined;
  try {
    return JSON.stringify([caller?.name, acceptsGraphql(headers), body]);
  } catch {
    // Variables may be nested too deeply to be printed.
    return undefined;
  }
}
