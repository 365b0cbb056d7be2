import { Inject, Injectable } from '@nestjs/common';
import type { Millis } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { whenOver } from '../http/answer-pace.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { acceptsGraphql } from './request-checks.js';

/** A query may be answered by reads that began this long before it: an event reaches all open pages within that time. */
const JOINED_WITHIN_MS: Millis = 50;

/** Called with the text that answers a query; with undefined if the answer is refused or long, or its client has left. */
type OnAnswer = (text: string | undefined) => void;

interface Running {
  readonly name: string;
  readonly since: Millis;
  /** One for each query that joined. */
  readonly callbacks: OnAnswer[];
}

/**
 * Equal queries that arrive at the same time run once. All pages that are open hear of an event at the same moment, and then
 * send the same queries.
 */
@Injectable()
export class JoinedQueries {
  private readonly running = new Map<string, Running>();
  /** The query of a request that runs it, not of one that joined. */
  private readonly runBy = new WeakMap<HttpRequest, Running>();

  constructor(@Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>) {}

  /**
   * Joins an equal query that runs; false if there is none, and the query has to run.
   * @param onAnswer called with the answer of the other query; if there is none, the query has to run, too
   */
  join(request: HttpRequest, reply: HttpReply, onAnswer: OnAnswer): boolean {
    const name = nameOf(request);
    // A client that has changed something gets no answer from before the change.
    if (name === undefined) {
      whenOver(reply.raw, () => this.clear());
      return false;
    }
    const now = this.options.clock.monotonic();
    const found = this.running.get(name);
    if (found !== undefined && now - found.since <= JOINED_WITHIN_MS) {
      found.callbacks.push(onAnswer);
      return true;
    }
    const running = { name, since: now, callbacks: [] };
    this.running.set(name, running);
    this.runBy.set(request, running);
    whenOver(reply.raw, () => this.note(request, undefined, false));
    return false;
  }

  /** Lets no later query join those that run: something has changed. */
  clear(): void {
    this.running.clear();
  }

  /** Notes the response to a request, before it is sent. */
  note(request: HttpRequest, text: unknown, isGood: boolean): void {
    const running = this.runBy.get(request);
    if (running === undefined) return;
    this.runBy.delete(request);
    if (this.running.get(running.name) === running) this.running.delete(running.name);
    const answer = isGood && typeof text === 'string' && text !== '' ? text : undefined;
    // Later, so that the failure of one answer is not that of another.
    for (const onAnswer of running.callbacks) setImmediate(onAnswer, answer);
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
