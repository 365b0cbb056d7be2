import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { NodeApi } from '../../node-api/node-api.js';
import { HttpClient } from '../../platform/http.js';
import { ReadRequest } from '../../platform/reads/read-request.js';
import { Slots } from '../../platform/reads/slots.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';

/** Requests that readers have nodes answer at a time: they must not become a load on them. */
const AT_ONCE = 8;
const MOST_WAITING = 64;
const WAIT_MS = 5_000;

/** Asks the nodes of the settings for what is not on record. */
@Injectable()
export class LiveNodes implements OnModuleDestroy {
  private readonly http = new HttpClient();
  private readonly nodes: ReadonlyMap<string, NodeApi>;
  private readonly slots = new Slots(AT_ONCE, { mostWaiting: MOST_WAITING, waitMs: WAIT_MS, full: tooMany });

  constructor(@Inject(API_OPTIONS) { clock, nodes = [] }: ApiOptions) {
    this.nodes = new Map(nodes.map((node) => [node.id, new NodeApi(this.http, clock, node)]));
  }

  /**
   * What a node answers; undefined where the settings do not name it.
   * @throws ApiError RATE_LIMITED when too much is asked of nodes
   */
  async ask<T>(id: string, question: (node: NodeApi) => Promise<T>): Promise<T | undefined> {
    const node = this.nodes.get(id);
    if (!node) return undefined;
    const giveBack = await this.slots.take(ReadRequest.current);
    try {
      return await question(node);
    } finally {
      giveBack();
    }
  }

  /** The same, undefined too where too much is asked of nodes: for what can be answered without them, if not wholly. */
  async askIfFree<T>(id: string, question: (node: NodeApi) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.ask(id, question);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'RATE_LIMITED') return undefined;
      throw error;
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.http.close();
  }
}

function tooMany(): ApiError {
  return new ApiError('RATE_LIMITED', 'Too much is asked of nodes at the moment; ask again later.');
}
