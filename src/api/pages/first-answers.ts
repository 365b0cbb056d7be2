import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { GraphqlOptions } from '../graphql/graphql-options.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { readFor } from '../http/answer-pace.js';
import { ApiKeys } from '../keys/api-keys.js';
import { loadQuestions, type FirstMoment } from './static-files.js';

const LEFT_TO_THE_PAGE = '';

type Server = ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>;

/**
 * Runs the first GraphQL queries of a page on the server, and sends the responses with the page: they are on their way before its
 * scripts are. The limits of other queries apply, including those of time; a page counts as one request. A query that is rejected
 * before it runs is left to the page.
 */
@Injectable()
export class FirstAnswers {
  constructor(
    private readonly keys: ApiKeys,
    private readonly graphql: GraphqlOptions,
    private readonly reads: ReadDatabase,
    private readonly host: HttpAdapterHost,
  ) {}

  /**
   * Runs the queries until the reply has ended; does nothing for clients that may not read.
   * @param address of the page, with its query
   * @param tell sends an element to the page, as soon as it is available
   * @returns when all elements were sent
   */
  async send(
    reply: HttpReply,
    address: string,
    { nowMs, zone }: FirstMoment,
    tell: (html: string) => void,
  ): Promise<void> {
    if (!this.mayAsk(reply)) return;
    const { firstQuestions, bodyOf } = await loadQuestions();
    const { pathname, searchParams } = new URL(address, 'http://localhost');
    const get = (name: string): string => searchParams.get(name) || (name === 'zone' ? zone : '');
    const view = { path: pathname, get };
    const asking = firstQuestions(view).map(async ([text, , variablesAt]) => {
      const variables = variablesAt(nowMs);
      const answer = await this.ask(text, variables, reply);
      tell(toElement(bodyOf(text, variables), answer));
    });
    await Promise.all(asking);
  }

  private mayAsk({ request }: HttpReply): boolean {
    try {
      this.keys.require(request);
      return request.method === 'GET';
    } catch {
      return false;
    }
  }

  private ask(text: string, variables: object, reply: HttpReply): Promise<string> {
    const server = this.host.httpAdapter.getInstance<Server>();
    const reading = readFor(reply.raw, this.reads);
    const answer = reading.run(async () => {
      const context = this.graphql.contextOf(reply.request);
      const execution = await server.graphql(text, context, { ...variables }).catch(() => undefined);
      const printed = context.operation.answer(execution);
      if (execution === undefined) return LEFT_TO_THE_PAGE;
      const pieces: string[] = [];
      for await (const piece of typeof printed === 'string' ? [printed] : printed) pieces.push(String(piece));
      return pieces.join('');
    });
    // Its slot is free for the next query of the page, which ends only after all of them.
    return answer.finally(() => reading.end());
  }
}

const OWN_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone that the browser named in an earlier visit. At the first visit, our own: people often run the service near them. */
export function zoneOfBrowser({ headers }: HttpReply['request']): string {
  const named = /(?:^|;\s*)hindsight-zone=([\w+/-]{1,64})(?:;|$)/.exec(String(headers['cookie']))?.[1];
  return named ?? OWN_ZONE;
}

/**
 * Sent as an attribute, not a script: the CSP forbids inline scripts, and an attribute is complete as soon as the element exists.
 */
function toElement(question: string, answer: string): string {
  return `<data hidden data-question='${escape(question)}' value='${escape(answer)}'></data>\n`;
}

/** Escapes for an attribute in single quotes, which are rare in JSON. */
function escape(json: string): string {
  return json
    .replaceAll('&', '&amp;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
