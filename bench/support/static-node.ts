import { makeBlock, type ChainIdentity } from '../../src/devnode/block-factory.js';
import { ChainStore } from '../../src/devnode/chain-store.js';
import { DaLayer } from '../../src/devnode/da-layer.js';
import { includePosted } from '../../src/devnode/inclusion.js';
import { answerNode } from '../../src/devnode/node-routes.js';
import { createView, DEFAULT_SEED, type NodeView } from '../../src/devnode/node-view.js';
import { SubmissionRing, type RingRow } from '../../src/devnode/submission-ring.js';
import { Submitter } from '../../src/devnode/submitter.js';
import type { Clock } from '../../src/platform/clock.js';
import { toAnswer, type RawRequest } from './raw-server.js';

const MILLISECOND_NS = 1_000_000n;

/** An aggregator without loops and servers of its own: it advances only on request. */
export class StaticNode {
  readonly chain = new ChainStore();
  private readonly ring = new SubmissionRing();
  private readonly view: NodeView;
  private readonly identity: ChainIdentity;
  private readonly submitter: Submitter;
  private readonly da: DaLayer;

  constructor(
    private readonly clock: Clock,
    chainId: string,
    private readonly blockTimeMs: number,
    txsPerBlock = 4,
  ) {
    const { chain, ring } = this;
    this.da = new DaLayer({ clock, blockTimeMs: 6_000 });
    this.view = createView({ chainId, blockTimeMs }, { clock, chain, ring, blobs: this.da });
    const { proposer: signer, namespaces } = this.view;
    this.identity = { chainId, seed: DEFAULT_SEED, signer, txsPerBlock };
    this.submitter = new Submitter({ clock, chain, ring, da: this.da, signer, namespaces });
  }

  /** Makes blocks up to now, one block time apart, and posts each part of each in a submission of its own. */
  produce(count: number): void {
    const now = BigInt(this.clock.now()) * MILLISECOND_NS;
    const step = BigInt(this.blockTimeMs) * MILLISECOND_NS;
    for (let behind = BigInt(count - 1); behind >= 0n; behind--) {
      const earliest = this.chain.head?.header.timeNs ?? 0n;
      const time = now - behind * step;
      this.chain.append(makeBlock(this.identity, this.chain.head, time > earliest ? time : earliest + 1n));
    }
    this.post(count);
  }

  /** Puts rows into the list as if they had been submitted before. */
  fillRing(rows: readonly string[]): void {
    for (const row of rows) this.ring.record(JSON.parse(row) as RingRow);
  }

  /** Answers as the real node does. */
  async answer({ method, path, body }: RawRequest): Promise<Buffer> {
    const url = new URL(path, 'http://node');
    const headers = method === 'POST' ? { 'content-type': 'application/json' } : {};
    const bytes = Buffer.from(body);
    const { signal } = new AbortController();
    const request = { method, path: url.pathname, query: url.searchParams, headers, bytes, body, signal };
    const answer = await answerNode(this.view, request);
    if (answer === 'dropped') return toAnswer(500, undefined, '');
    const type = answer.type ?? answer.headers?.['content-type'];
    return toAnswer(answer.status, type, answer.body.toString(), new Date(this.clock.now()).toUTCString());
  }

  private post(count: number): void {
    const newest = this.chain.head?.header.height ?? 0n;
    for (let height = newest - BigInt(count) + 1n; height <= newest; height++) {
      const block = this.chain.findStored(height);
      if (block) this.submitter.submitEach([block]);
    }
    includePosted(this.chain);
  }
}
