import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  createSourceEventStream,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type GraphQLError,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { millisToNanos } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError, badUserInput } from '../errors.js';
import type { ApiContext } from '../graphql/api-context.js';
import { EXPENSIVE_FROM, requireAffordable, TOKEN_LIMIT } from '../graphql/query-cost.js';
import { jsonPieces } from '../graphql/raw-json.js';
import { requireRecordableTexts } from '../graphql/request-checks.js';
import { RequestLoadersFactory } from '../graphql/request-loaders.js';
import { ErrorMapper } from '../http/error-mapper.js';

/** A result that was printed as JSON, once for all clients that get the same. */
export interface PrintedResult extends ExecutionResult {
  readonly text: string;
}

/** Checks and runs subscriptions. */
@Injectable()
export class LiveOperations {
  /** The results for an event, by the query and its variables. */
  private readonly results = new WeakMap<object, Map<string, Promise<PrintedResult>>>();

  constructor(
    private readonly modules: ModuleRef,
    private readonly errors: ErrorMapper,
    private readonly loaders: RequestLoadersFactory,
    private readonly reads: ReadDatabase,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  /**
   * Checks a subscription by the rules for queries.
   * @param letGo ends the connection of a client that is too slow
   * @returns how to run it, or why it is refused
   */
  prepare(payload: SubscribePayload, letGo: () => void): ExecutionArgs | GraphQLError[] {
    try {
      return this.check(payload, { ...this.contextOf(), letGo });
    } catch (error) {
      return this.toErrors([error as Error]);
    }
  }

  /** The errors for the client. */
  toErrors(errors: readonly Error[]): GraphQLError[] {
    return this.errors.format({ errors }).response.errors;
  }

  /** Runs a subscription: the results of its events, or why there are none. */
  async run(args: ExecutionArgs): Promise<AsyncIterableIterator<PrintedResult> | ExecutionResult> {
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return print(this.errors.format(source).response);
    const events = source[Symbol.asyncIterator]() as AsyncIterator<object>;
    const { document, operationName, variableValues } = args;
    const query = JSON.stringify([document.loc?.source.body, operationName, variableValues]);
    const results: AsyncIterableIterator<PrintedResult> = {
      next: async () => {
        const event = await events.next();
        return event.done ? event : { done: false, value: await this.resultOf(event.value, query, args) };
      },
      // Not a generator: its end would wait for the next event.
      return: async () => {
        await events.return?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => results,
    };
    return results;
  }

  private check({ query, variables, operationName }: SubscribePayload, context: ApiContext): ExecutionArgs {
    const { schema } = this.modules.get(GraphQLSchemaHost, { strict: false });
    const document = parse(query, { maxTokens: TOKEN_LIMIT });
    const operation = getOperationAST(document, operationName);
    if (!operation) throw badUserInput('Name one of the operations by `operationName`.');
    if (operation.operation !== OperationTypeNode.SUBSCRIPTION)
      throw badUserInput('A WebSocket serves subscriptions only; send queries and mutations by POST.');
    const [invalid] = validate(schema, document);
    if (invalid) throw invalid;
    requireRecordableTexts(document, variables);
    const variableValues = variables ?? {};
    const now = millisToNanos(this.options.clock.now());
    const cost = requireAffordable({
      schema,
      document,
      variables: variableValues,
      operationName: operationName ?? undefined,
      now,
    });
    if (cost >= EXPENSIVE_FROM) {
      const text = `An event of this subscription costs ${cost}; the limit is ${EXPENSIVE_FROM}. Select fewer fields.`;
      throw new ApiError('TOO_EXPENSIVE', text, { cost, limit: EXPENSIVE_FROM });
    }
    return { schema, document, operationName, variableValues, contextValue: context };
  }

  private resultOf(event: object, query: string, args: ExecutionArgs): Promise<PrintedResult> {
    const known = this.results.get(event) ?? new Map<string, Promise<PrintedResult>>();
    this.results.set(event, known);
    const result = known.get(query) ?? this.execute(event, args);
    known.set(query, result);
    return result;
  }

  private async execute(rootValue: object, args: ExecutionArgs): Promise<PrintedResult> {
    const reading = this.reads.newRequest();
    try {
      // With its own loaders: what they read for an earlier event may have changed.
      const result = await reading.run(() => execute({ ...args, rootValue, contextValue: this.contextOf() }));
      return print(result.errors ? this.errors.format(result).response : result);
    } finally {
      reading.end();
    }
  }

  private contextOf(): ApiContext {
    return { loaders: this.loaders.create(), caller: undefined, unread: Promise.resolve(undefined) };
  }
}

function print(result: ExecutionResult): PrintedResult {
  return { text: [...jsonPieces(result)].join('') };
}
