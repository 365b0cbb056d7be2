import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { BlockRecord, DecodedBlock } from '../../domain/blocks/block.js';
import { hashTransactions } from '../../domain/blocks/block-encoding.js';
import type { Millis } from '../../domain/time.js';
import type { NodeAnswer, Refused } from '../../node-api/answer.js';
import type { BlockSelector } from '../../node-api/blocks.client.js';
import type { DaBlob, DaDocument } from '../../node-api/da-documents.client.js';
import { BLOCK, SMALL } from '../../node-api/limits.js';
import { NodeApi } from '../../node-api/node-api.js';
import type { StoreQuestion } from '../../node-api/store.client.js';
import { HttpClient } from '../../platform/http.js';
import { ReadTexts, withSlot } from '../../platform/reads/read-request.js';
import { WeightedSemaphore } from '../../platform/reads/weighted-semaphore.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { tooMany, toApiError, type ApiError } from '../errors.js';

/** The most requests to nodes at the same time on behalf of readers, so that readers do not overload the nodes. */
const AT_ONCE = 8;
const MOST_WAITING = 64;
const WAIT_MS = 5_000;
/** The most requests per minute to one node on behalf of readers; after a pause, as many at once. */
const MOST_A_MINUTE = 60;
const MINUTE_MS: Millis = 60_000;
/** How long a node's refusal is cached. */
const KEPT_MS: Millis = 30_000;
/** The most refusals in the cache; each has at most a few kB. */
const MOST_KEPT = 2_000;

/** The timeout for another node of the chain that is asked for a block's transactions. */
const OTHERS_MS: Millis = 4_000;

type LiveAnswer = NodeAnswer<DecodedBlock | DaBlob | DaDocument>;

/** Whether the caller needs the answer, or can return a part without it when too many requests go to nodes. */
export type Need = 'NEEDED' | 'IF_FREE';

/** A node of the settings, with its remaining requests of the current minute. */
class LiveNode {
  private left = MOST_A_MINUTE;
  private countedAt: Millis;

  constructor(
    readonly api: NodeApi,
    now: Millis,
  ) {
    this.countedAt = now;
  }

  /** Counts a request; false when the limit is reached. */
  count(now: Millis): boolean {
    this.left = Math.min(MOST_A_MINUTE, this.left + ((now - this.countedAt) / MINUTE_MS) * MOST_A_MINUTE);
    this.countedAt = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}

/** Asks the nodes of the settings for what is not on record. Repeats a request that a node refused only after a while. */
@Injectable()
export class LiveNodes implements OnModuleDestroy {
  private readonly http = new HttpClient();
  private readonly nodes: ReadonlyMap<string, LiveNode>;
  private readonly slots = new WeightedSemaphore(AT_ONCE, {
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
    full: busy,
  });
  /** Recent refusals, mostly "not found": each such request is an error in the node's log. */
  private readonly refusals: LRUCache<string, Refused>;
  private readonly underWay = new Map<string, Promise<LiveAnswer>>();

  constructor(@Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock' | 'nodes'>) {
    const { clock, nodes = [] } = options;
    this.nodes = new Map(
      nodes.map((node) => [node.id, new LiveNode(new NodeApi(this.http, clock, node), clock.monotonic())]),
    );
    const perf = { now: () => clock.monotonic() };
    this.refusals = new LRUCache({ max: MOST_KEPT, ttl: KEPT_MS, ttlResolution: 0, perf });
  }

  /**
   * A block as a node returns it now. Undefined where the settings do not name the node, or where the limits are reached and the
   * answer is not needed.
   * @throws ApiError RATE_LIMITED when too many requests go to nodes
   */
  findBlock(
    node: string,
    selector: BlockSelector,
    need: Need = 'NEEDED',
  ): Promise<NodeAnswer<DecodedBlock> | undefined> {
    const name = typeof selector === 'string' ? selector : Object.values(selector).join();
    return this.find(node, `block ${name}`, need, (api) => api.block(selector));
  }

  /** A blob as a node fetches it; undefined and errors as in {@link findBlock}. */
  findBlob(
    node: string,
    id: string,
    namespace: string | undefined,
    need: Need = 'NEEDED',
  ): Promise<NodeAnswer<DaBlob> | undefined> {
    return this.find(node, `blob ${id} ${namespace}`, need, (api) => api.blob(id, namespace));
  }

  /** Sends a small call to the node, within the limits of {@link findBlock}. */
  findDocument(
    node: string,
    question: StoreQuestion,
    need: Need = 'NEEDED',
  ): Promise<NodeAnswer<DaDocument> | undefined> {
    const { service, method, json } = question;
    return this.find(node, `call ${service}/${method} ${json}`, need, (api) => api.document(question));
  }

  /**
   * The transactions of a recorded block from the given node. The size limit follows from the recorded size, and transactions
   * that do not match the header's `dataHash` are rejected.
   */
  async findTransactions(
    node: string,
    { header: { height, dataHash }, txBytes, txCount }: BlockRecord,
  ): Promise<readonly Uint8Array[] | undefined> {
    const bodyBytes = Math.min(BLOCK.bodyBytes, SMALL.bodyBytes + 2 * txBytes + BYTES_AROUND * txCount);
    const limits = { bodyBytes, headersMs: OTHERS_MS, totalMs: OTHERS_MS };
    const answer = await this.find(node, `block ${height} of data ${dataHash}`, 'IF_FREE', async (api) => {
      const shown = await api.block({ height }, undefined, limits);
      const isRight = shown.ok && hashTransactions(shown.value.transactions) === dataHash;
      return isRight || !shown.ok ? shown : OTHER_DATA;
    });
    return answer?.ok ? answer.value.transactions : undefined;
  }

  async onModuleDestroy(): Promise<void> {
    await this.http.close();
  }

  private async find<Answer extends LiveAnswer>(
    id: string,
    question: string,
    need: Need,
    ask: (api: NodeApi) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const node = this.nodes.get(id);
    if (!node) return undefined;
    const name = `${id} ${question}`;
    try {
      // The answers under one name are all answers to the same request.
      return (await this.findOut(name, () => this.askOnce(node, name, ask))) as Answer;
    } catch (error) {
      if (need === 'IF_FREE' && isTooMuch(error)) return undefined;
      throw error;
    }
  }

  private async findOut(name: string, ask: () => Promise<LiveAnswer>): Promise<LiveAnswer> {
    const refused = this.refusals.get(name);
    if (refused) return refused;
    return withSlot(this.slots, async () => {
      const answer = await ask();
      // A block or a blob can have 24 MB; the request keeps its slot until there is memory for it.
      await new ReadTexts().hold(sizeOf(answer));
      return answer;
    });
  }

  /** Asks a node, unless the same request is under way or was just refused. */
  private askOnce(
    node: LiveNode,
    name: string,
    ask: (api: NodeApi) => Promise<LiveAnswer>,
  ): Promise<LiveAnswer> {
    const known = this.underWay.get(name) ?? this.refusals.get(name);
    if (known) return Promise.resolve(known);
    if (!node.count(this.options.clock.monotonic())) throw busy();
    const asking = ask(node.api)
      .then((answer) => {
        // A node that did not answer may answer the next request.
        if (!answer.ok && answer.state !== 'UNREACHABLE' && answer.state !== 'ABORTED')
          this.refusals.set(name, answer);
        return answer;
      })
      .finally(() => this.underWay.delete(name));
    this.underWay.set(name, asking);
    return asking;
  }
}

/** The most bytes of JSON around a transaction, which itself takes two hex digits per byte. */
const BYTES_AROUND = 64;

/** Cached as a refusal, so that the node is not asked again and again for a block that differs from the recorded one. */
const OTHER_DATA: Refused = {
  ok: false,
  state: 'INVALID',
  detail: 'the block has other data than the recorded one',
  missing: false,
  status: 200,
  latencyMs: 0,
};

/** Total size of all texts (characters) and byte strings (bytes) in a value. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + sizeOf(member), 0);
}

function isTooMuch(error: unknown): boolean {
  return toApiError(error)?.code === 'RATE_LIMITED';
}

function busy(): ApiError {
  return tooMany('Too many requests are being sent to nodes; try again later.');
}
