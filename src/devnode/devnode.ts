import { SystemClock, type Clock } from '../platform/clock.js';
import { makeBlock, type ChainBlock, type ChainIdentity } from './block-factory.js';
import { ChainStore } from './chain-store.js';
import { answerControl, type ControlRequest } from './control.js';
import { DaLayer } from './da-layer.js';
import { playScript } from './da-script.js';
import type { DevnodeOptions } from './devnode-options.js';
import { answerSync, answerSyncBlob, RemoteBlobs, syncOnce } from './follower.js';
import { NodeServer, type NodeAnswer, type NodeRequest } from './http-server.js';
import { includePosted } from './inclusion.js';
import { answerNode, answerStatus } from './node-routes.js';
import { toNanoseconds } from './node-time.js';
import { createView, DEFAULT_SEED, type NodeView } from './node-view.js';
import { RunMark } from './run-mark.js';
import { SubmissionRing } from './submission-ring.js';
import { Submitter } from './submitter.js';
import type { Millis } from '../domain/time.js';

const TICK_MS = 100;

/** Starts a reference rollup node; rejects when a port is busy or the directory holds another chain. */
export async function startDevnode(options: DevnodeOptions): Promise<Devnode> {
  const node = new Devnode(options);
  await node.start();
  return node;
}

/** A small rollup node with real hashes, links and signatures, its DA layer included. See `startDevnode`. */
export class Devnode {
  readonly chain: ChainStore;
  readonly ring: SubmissionRing;
  readonly da: DaLayer;
  private readonly clock: Clock;
  private readonly identity: ChainIdentity;
  private readonly view: NodeView;
  private readonly submitter: Submitter;
  private readonly rpcServer: NodeServer;
  private readonly statusServer: NodeServer;
  private life: { controller: AbortController; done: Promise<unknown> } | undefined;
  private readonly runMark: RunMark;
  private restarting: { controller: AbortController; done: Promise<void> } | undefined;
  private failure: unknown;
  private wasKilled = false;
  private isFrozen = false;
  private isHalted = false;

  constructor(private readonly options: DevnodeOptions) {
    const { chainId, host = '127.0.0.1', seed = DEFAULT_SEED, txsPerBlock = 4 } = options;
    this.clock = options.clock ?? new SystemClock();
    this.chain = new ChainStore(options.dataDirectory, options.retainBlocks);
    this.runMark = new RunMark(options.dataDirectory);
    this.ring = new SubmissionRing(options.ringSize);
    const { clock, chain, ring } = this;
    this.da = new DaLayer({
      clock,
      blockTimeMs: options.daBlockTimeMs ?? 2_000,
      timeoutMs: options.daTimeoutMs,
    });
    const blobs = options.follow === undefined ? this.da : new RemoteBlobs(options.follow);
    this.view = createView(options, { clock, chain, ring, blobs });
    const { proposer: signer, namespaces } = this.view;
    this.identity = { chainId, seed, signer, txsPerBlock };
    this.submitter = new Submitter({ clock, chain, ring, da: this.da, signer, namespaces });
    this.rpcServer = new NodeServer(host, options.port ?? 0, this.clock, (request) => this.answer(request));
    this.statusServer = new NodeServer(host, options.statusPort ?? 0, this.clock, (request) =>
      Promise.resolve(answerStatus(this.view, request)),
    );
  }

  /** Base URL of the RPC server; it stays the same over restarts. */
  get url(): string {
    return this.rpcServer.url;
  }

  /** Base URL of the status query. */
  get statusUrl(): string {
    return this.statusServer.url;
  }

  /** Starts a node that is stopped: with an empty ring and the chain that it had. */
  async start(): Promise<void> {
    const { chainId } = this.options;
    if (this.chain.head && this.chain.head.header.chainId !== chainId) {
      throw new Error(`The directory holds the chain ${this.chain.head.header.chainId}, not ${chainId}.`);
    }
    await this.rpcServer.open();
    try {
      await this.statusServer.open();
    } catch (error) {
      await this.rpcServer.close();
      throw error;
    }
    this.isFrozen = this.options.freezeAfterKill === true && (this.wasKilled || this.runMark.stands);
    this.runMark.set();
    this.ring.clear();
    this.da.continueAfter(this.chain.newestDaHeight);
    const controller = new AbortController();
    const done = Promise.all(this.loops(controller.signal)).catch((error: unknown) => {
      this.failure = error;
      controller.abort();
    });
    this.life = { controller, done };
  }

  /** Stops in good order: nothing is left running, no port open. Throws what had broken the node, if anything. */
  async stop(): Promise<void> {
    await this.endRestart();
    await this.end(false);
    if (this.failure !== undefined) throw this.failure;
  }

  /** Stops as after `kill -9`. */
  async kill(): Promise<void> {
    await this.endRestart();
    await this.end(true);
  }

  /** Ends the node's life and begins another after `downMs` milliseconds, unless it is stopped meanwhile. */
  async restart({ kill = false, downMs = 0 }: { kill?: boolean; downMs?: Millis } = {}): Promise<void> {
    await this.endRestart();
    const controller = new AbortController();
    const cycle = async (): Promise<void> => {
      await this.end(kill);
      await this.clock.sleep(downMs, controller.signal);
      if (!controller.signal.aborted) await this.start();
    };
    this.restarting = { controller, done: cycle() };
    await this.restarting.done;
  }

  /** Makes `count` blocks now, whatever the block time. An aggregator's method. */
  produce(count: number): ChainBlock[] {
    return Array.from({ length: count }, () => this.produceBlock());
  }

  /** Makes `count` blocks and posts each part of each in a submission of its own, all at once. */
  burst(count: number): void {
    this.submitter.submitEach(this.produce(count));
  }

  /** What `POST /devnode/control` does; a restart begins when the answer is on its way. */
  control(wish: ControlRequest): { head: string; submissions: number } {
    this.da.mode = wish.da ?? this.da.mode;
    this.isFrozen = wish.frozen ?? this.isFrozen;
    this.isHalted = wish.halted ?? this.isHalted;
    this.burst(wish.burst ?? 0);
    if (wish.restart || wish.kill) {
      setImmediate(() => void this.restart(wish).catch((error: unknown) => (this.failure = error)));
    }
    return { head: String(this.chain.head?.header.height ?? 0n), submissions: this.ring.list().length };
  }

  private async endRestart(): Promise<void> {
    this.restarting?.controller.abort();
    await this.restarting?.done.catch(() => undefined);
    this.restarting = undefined;
  }

  private async end(isKill: boolean): Promise<void> {
    this.life?.controller.abort();
    await Promise.all([this.rpcServer.close(), this.statusServer.close(), this.life?.done]);
    this.life = undefined;
    this.wasKilled = isKill;
    if (!isKill) this.runMark.clear();
  }

  private answer(request: NodeRequest): Promise<NodeAnswer | 'dropped'> {
    switch (request.path) {
      case '/devnode/control':
        return Promise.resolve(answerControl(request, (wish) => this.control(wish)));
      case '/devnode/sync':
        return Promise.resolve(answerSync(this.view, request));
      case '/devnode/blob':
        return answerSyncBlob(this.view, request);
      default:
        return answerNode(this.view, request);
    }
  }

  private loops(signal: AbortSignal): Promise<unknown>[] {
    const { follow, daScript = [] } = this.options;
    if (follow !== undefined) {
      return [this.every(signal, this.view.blockTimeMs / 4, () => syncOnce(follow, this.chain, signal))];
    }
    return [
      ...(this.view.blockTimeMs > 0 ? [this.produceLoop(signal)] : []),
      this.submitter.run(signal),
      playScript(daScript, this.da, this.clock, signal),
      this.every(signal, TICK_MS, () => {
        if (!this.isFrozen) includePosted(this.chain);
      }),
    ];
  }

  private async every(signal: AbortSignal, ms: Millis, task: () => void | Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await task();
      await this.clock.sleep(ms, signal);
    }
  }

  /** Blocks come at whole multiples of the block time, so that a slow machine makes none too few. */
  private async produceLoop(signal: AbortSignal): Promise<void> {
    const { blockTimeMs } = this.view;
    while (!signal.aborted) {
      if (!this.isHalted) this.produceBlock();
      await this.clock.sleep(blockTimeMs - (this.clock.now() % blockTimeMs), signal);
    }
  }

  private produceBlock(): ChainBlock {
    const { head } = this.chain;
    const now = toNanoseconds(this.clock.now(), this.identity.chainId, head?.header.height ?? 0n);
    const earliest = (head?.header.timeNs ?? 0n) + 1n;
    const block = makeBlock(this.identity, head, now > earliest ? now : earliest);
    this.chain.append(block);
    return block;
  }
}
