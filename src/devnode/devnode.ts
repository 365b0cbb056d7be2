import { SystemClock, type Clock } from '../platform/clock.js';
import { makeBlock, type ChainBlock, type ChainIdentity } from './block-factory.js';
import { ChainStore } from './chain-store.js';
import { DaLayer } from './da-layer.js';
import type { DevnodeOptions } from './devnode-options.js';
import { answerFaults } from './fault-routes.js';
import { Faults } from './faults.js';
import { answerSync, answerSyncBlob, RemoteBlobs, syncOnce } from './follower.js';
import { spoil } from './garbage.js';
import { NodeServer, PAGE_NOT_FOUND, type NodeAnswer, type NodeRequest } from './http-server.js';
import { includePosted } from './inclusion.js';
import { answerNode, answerStatus } from './node-routes.js';
import { toNanoseconds } from './node-time.js';
import { createView, DEFAULT_SEED, type NodeView } from './node-view.js';
import { RunMark } from './run-mark.js';
import { every, run, type Running } from './running.js';
import { planFaults } from './scenario.js';
import { SubmissionRing } from './submission-ring.js';
import { Submitter } from './submitter.js';
import { TruthLog } from './truth-log.js';

const TICK_MS = 100;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

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
  readonly faults: Faults;
  private readonly truth: TruthLog;
  private readonly clock: Clock;
  private readonly identity: ChainIdentity;
  private readonly view: NodeView;
  private readonly submitter: Submitter;
  private readonly rpcServer: NodeServer;
  private readonly statusServer: NodeServer;
  private life: Running | undefined;
  private readonly runMark: RunMark;
  /** Plays faults, even while one of them keeps the node down. */
  private faultLoop: Running | undefined;
  private failure: unknown;
  private wasKilled = false;
  private isFrozenByKill = false;
  private answered = 0;

  constructor(private readonly options: DevnodeOptions) {
    const { chainId, host = '127.0.0.1', seed = DEFAULT_SEED, txsPerBlock = 4 } = options;
    this.clock = options.clock ?? new SystemClock();
    this.chain = new ChainStore(options.dataDirectory, options.retainBlocks);
    this.runMark = new RunMark(options.dataDirectory);
    this.ring = new SubmissionRing(options.ringSize);
    this.truth = new TruthLog(this.clock, options.truthFile);
    this.faults = new Faults(this.clock, this.truth, planFaults(options.scenario, seed));
    const { clock, chain, ring } = this;
    const { note } = this.truth;
    this.da = new DaLayer({
      clock,
      mode: () => this.faults.daMode,
      blockTimeMs: options.daBlockTimeMs ?? 2_000,
      timeoutMs: options.daTimeoutMs,
    });
    const blobs = options.follow === undefined ? this.da : new RemoteBlobs(options.follow);
    this.view = createView(options, { clock, chain, ring, blobs });
    const { proposer: signer, namespaces } = this.view;
    this.identity = { chainId, seed, signer, txsPerBlock };
    const isListed = (): boolean => this.view.isAggregator;
    this.submitter = new Submitter({ clock, chain, ring, note, da: this.da, signer, namespaces, isListed });
    this.rpcServer = new NodeServer(host, options.port ?? 0, this.clock, (request) => this.answer(request));
    this.statusServer = new NodeServer(host, options.statusPort ?? 0, this.clock, (request) =>
      Promise.resolve(answerStatus(this.view, request)),
    );
  }

  /** Base URL of the RPC server; it stays the same over restarts. */
  get url(): string {
    return this.rpcServer.url;
  }

  get statusUrl(): string {
    return this.statusServer.url;
  }

  /** Whether it answers, makes blocks and posts them. */
  get isUp(): boolean {
    return this.life !== undefined;
  }

  /** Starts a stopped node, with an empty ring and its previous chain. */
  async start(): Promise<void> {
    await this.begin();
    if (this.faultLoop === undefined)
      this.faultLoop = this.run((signal) => [every(this.clock, TICK_MS, () => this.playFaults(), signal)]);
  }

  /** Stops in good order: nothing keeps running and no port stays open. Throws the error that broke the node, if any. */
  async stop(): Promise<void> {
    await this.endAll(false);
    if (this.failure !== undefined) throw this.failure;
  }

  /** Stops as after `kill -9`. */
  kill(): Promise<void> {
    return this.endAll(true);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Makes `count` blocks now, whatever the block time. Only for aggregators. */
  produce(count: number): ChainBlock[] {
    return Array.from({ length: count }, () => this.produceBlock());
  }

  /** Makes `count` blocks and posts each part of each in a submission of its own, all at once. */
  burst(count: number): void {
    this.submitter.submitEach(this.produce(count));
  }

  private async begin(): Promise<void> {
    const { chainId } = this.options;
    if (this.chain.head && this.chain.head.header.chainId !== chainId) {
      throw new Error(`The directory contains the chain ${this.chain.head.header.chainId}, not ${chainId}.`);
    }
    await this.rpcServer.open();
    try {
      await this.statusServer.open();
    } catch (error) {
      await this.rpcServer.close();
      throw error;
    }
    this.isFrozenByKill = this.options.freezeAfterKill === true && (this.wasKilled || this.runMark.stands);
    this.runMark.set();
    this.ring.clear();
    this.da.continueAfter(this.chain.newestDaHeight);
    this.truth.note('node-started');
    this.life = this.run((signal) => this.loops(signal));
  }

  private run(begin: (signal: AbortSignal) => readonly Promise<unknown>[]): Running {
    return run(begin, (error) => (this.failure = error));
  }

  private async endAll(isKill: boolean): Promise<void> {
    this.faultLoop?.controller.abort();
    await this.faultLoop?.done;
    this.faultLoop = undefined;
    await this.end(isKill);
  }

  private async end(isKill: boolean): Promise<void> {
    this.life?.controller.abort();
    await Promise.all([this.rpcServer.close(), this.statusServer.close(), this.life?.done]);
    if (this.life) this.truth.note(isKill ? 'node-killed' : 'node-stopped');
    this.life = undefined;
    this.wasKilled = isKill;
    if (!isKill) this.runMark.clear();
  }

  /**
   * Puts the node into the state that its faults demand. A node that becomes or ceases to be the leader restarts, as the real
   * node does.
   */
  private async playFaults(): Promise<void> {
    const { faults, view } = this;
    faults.tick();
    const isDown = faults.has('restart') || faults.has('kill');
    const leads = this.options.follow === undefined && !faults.has('follower');
    if (this.isUp && (isDown || leads !== view.isAggregator)) await this.end(faults.has('kill'));
    if (leads !== view.isAggregator) this.truth.note(leads ? 'leads' : 'follows');
    view.isAggregator = leads;
    if (!this.isUp && !isDown) await this.begin();
  }

  private async answer(request: NodeRequest): Promise<NodeAnswer | 'dropped'> {
    if (request.path.startsWith('/dev/')) return this.answerDev(request);
    switch (request.path) {
      case '/devnode/sync':
        return answerSync(this.view, request);
      case '/devnode/blob':
        return answerSyncBlob(this.view, request);
      default: {
        const answer = await answerNode(this.view, request);
        if (answer === 'dropped' || !this.faults.has('garbage')) return answer;
        this.answered += 1;
        return spoil(answer, this.identity.seed, this.answered);
      }
    }
  }

  /** A node that other hosts can reach accepts no faults. */
  private answerDev(request: NodeRequest): NodeAnswer {
    if (!LOOPBACK.has(this.options.host ?? '127.0.0.1')) return PAGE_NOT_FOUND;
    const { faults, truth } = this;
    const describe = () => ({
      head: String(this.chain.headHeight),
      submissions: this.ring.list().length,
    });
    const isFollower = this.options.follow !== undefined;
    const burst = (count: number): void => this.burst(count);
    return answerFaults({ faults, truth, isFollower, describe, burst }, request);
  }

  private loops(signal: AbortSignal): Promise<unknown>[] {
    const { follow } = this.options;
    if (follow !== undefined) {
      return [
        every(
          this.clock,
          this.view.blockTimeMs / 4,
          () => syncOnce(follow, this.chain, this.faults.has('frozen'), signal),
          signal,
        ),
      ];
    }
    return [
      ...(this.view.blockTimeMs > 0 ? [this.produceLoop(signal)] : []),
      this.submitter.run(signal),
      every(this.clock, TICK_MS, () => this.include(), signal),
    ];
  }

  private include(): void {
    if (!this.isFrozenByKill && !this.faults.has('frozen')) includePosted(this.chain, this.truth.note);
  }

  /** Blocks come at whole multiples of the block time, so that a slow machine does not make too few. */
  private async produceLoop(signal: AbortSignal): Promise<void> {
    const { blockTimeMs } = this.view;
    while (!signal.aborted) {
      if (!this.faults.has('halted')) this.produceBlock();
      await this.clock.sleep(blockTimeMs - (this.clock.now() % blockTimeMs), signal);
    }
  }

  private produceBlock(): ChainBlock {
    const { head } = this.chain;
    const now = toNanoseconds(this.clock.now(), this.identity.chainId, head?.header.height ?? 0n);
    const earliest = (head?.header.timeNs ?? 0n) + 1n;
    const block = makeBlock(this.identity, head, now > earliest ? now : earliest);
    this.chain.append(block);
    this.truth.note('block', { height: block.header.height, transactions: block.transactions.length });
    return block;
  }
}
