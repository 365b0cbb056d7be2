import { SystemClock, type Clock } from '../platform/clock.js';
import { makeBlock, type ChainBlock, type ChainIdentity } from './block-factory.js';
import { ChainStore } from './chain-store.js';
import { DaLayer, DEFAULT_TIMEOUT_MS, type DaTarget } from './da-layer.js';
import { RemoteDa } from './da/remote-da.js';
import type { DevnodeOptions } from './devnode-options.js';
import { answerDev, isDevPath } from './dev-routes.js';
import { ExecutionLost, RollupExecution } from './execution/rollup-execution.js';
import { controlOf } from './fault-routes.js';
import { Faults } from './faults.js';
import { answerSync, answerSyncBlob, RemoteBlobs, syncOnce } from './follower.js';
import { spoil } from './garbage.js';
import { DevnodeServer, type DevnodeAnswer, type NodeRequest } from './http-server.js';
import { includePosted } from './inclusion.js';
import { LOOPBACK } from './loopback.js';
import { answerNode, answerStatus } from './node-routes.js';
import { toNanoseconds } from './node-time.js';
import { createView, DEFAULT_SEED, type NodeView } from './node-view.js';
import { RunMark } from './run-mark.js';
import { every, run, type RunningTask } from './running.js';
import { planFaults } from './scenario.js';
import { SubmissionRing } from './submission-ring.js';
import { Submitter } from './submitter.js';
import { TruthLog } from './truth-log.js';

const TICK_MS = 100;
/** The recorded node stopped itself so long after its execution layer had changed. */
const DEFAULT_PATIENCE_MS = 22_000;

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
  private readonly rpcServer: DevnodeServer;
  private readonly statusServer: DevnodeServer;
  private life: RunningTask | undefined;
  private readonly runMark: RunMark;
  private readonly execution: RollupExecution | undefined;
  /** Plays faults, even while one of them keeps the node down. */
  private faultLoop: RunningTask | undefined;
  private failure: unknown;
  private lost: ExecutionLost | undefined;
  private reportStop = (): void => undefined;
  /** Settled when the node stops itself, as it does when its execution layer has other blocks. */
  readonly stopsItself = new Promise<void>((resolve) => (this.reportStop = resolve));
  private wasKilled = false;
  private isFrozenByKill = false;
  private answered = 0;

  constructor(private readonly options: DevnodeOptions) {
    const { chainId, host = LOOPBACK, seed = DEFAULT_SEED, txsPerBlock = 4 } = options;
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
    const target = this.createTarget();
    const blobs = options.follow === undefined ? target : new RemoteBlobs(options.follow);
    this.view = createView(options, { clock, chain, ring, blobs });
    const { proposer: signer, namespaces } = this.view;
    this.identity = { chainId, seed, signer, txsPerBlock };
    const isListed = (): boolean => this.view.isAggregator;
    this.submitter = new Submitter({ clock, chain, ring, note, da: target, signer, namespaces, isListed });
    if (options.execution !== undefined) {
      const { execution: url, executionPatienceMs: patienceMs = DEFAULT_PATIENCE_MS } = options;
      this.execution = new RollupExecution({ clock, url, chain, note, patienceMs });
    }
    this.rpcServer = new DevnodeServer(host, options.port ?? 0, this.clock, (request) =>
      this.answer(request),
    );
    this.statusServer = new DevnodeServer(host, options.statusPort ?? 0, this.clock, (request) =>
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

  /** Why the node stopped itself; undefined as long as it has not. */
  get stoppedItself(): string | undefined {
    return this.lost?.message;
  }

  /** Starts a stopped node, with an empty ring and its previous chain. */
  async start(): Promise<void> {
    this.lost = undefined;
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

  /**
   * Makes `count` blocks now, whatever the block time. Only for aggregators that execute by themselves.
   * @throws Error if the node has an execution layer
   */
  produce(count: number): ChainBlock[] {
    if (this.execution)
      throw new Error('A node with an execution layer makes blocks one by one, when it has executed them.');
    return Array.from({ length: count }, () => this.append(this.makeNext()));
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
    this.isFrozenByKill = this.options.freezeAfterKill === true && (this.wasKilled || this.runMark.exists);
    this.runMark.set();
    this.ring.clear();
    this.execution?.reset();
    this.da.continueAfter(this.chain.newestDaHeight);
    this.truth.note('node-started');
    this.life = this.run((signal) => this.loops(signal));
  }

  private run(begin: (signal: AbortSignal) => readonly Promise<unknown>[]): RunningTask {
    return run(begin, (error) => {
      if (!(error instanceof ExecutionLost)) {
        this.failure = error;
        return;
      }
      void this.stopItself(error);
    });
  }

  private async stopItself(lost: ExecutionLost): Promise<void> {
    this.lost = lost;
    this.truth.note('stopped-itself', { reason: lost.message });
    await this.end(false);
    this.reportStop();
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
    if (!this.isUp && !isDown && !this.lost) await this.begin();
  }

  private async answer(request: NodeRequest): Promise<DevnodeAnswer | 'dropped'> {
    if (isDevPath(request.path)) return this.answerDev(request);
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

  private answerDev(request: NodeRequest): DevnodeAnswer {
    const { faults, truth } = this;
    const describe = () => ({
      head: String(this.chain.headHeight),
      submissions: this.ring.list().length,
    });
    const isFollower = this.options.follow !== undefined;
    const burst = this.execution ? undefined : (count: number): void => this.burst(count);
    const control = controlOf({ faults, truth, isFollower, describe, burst });
    return answerDev(control, this.options.host ?? LOOPBACK, request);
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
      if (!this.faults.has('halted')) await this.produceNext(signal);
      await this.clock.sleep(blockTimeMs - (this.clock.now() % blockTimeMs), signal);
    }
  }

  /** Executes the next block before it becomes one, as the real node does. */
  private async produceNext(signal: AbortSignal): Promise<void> {
    const block = this.makeNext();
    const isExecuted = this.execution === undefined || (await this.execution.execute(block, signal));
    if (isExecuted && !signal.aborted) this.append(block);
  }

  private makeNext(): ChainBlock {
    const { head } = this.chain;
    const now = toNanoseconds(this.clock.now(), this.identity.chainId, head?.header.height ?? 0n);
    const earliest = (head?.header.timeNs ?? 0n) + 1n;
    return makeBlock(this.identity, head, now > earliest ? now : earliest);
  }

  private append(block: ChainBlock): ChainBlock {
    this.chain.append(block);
    this.truth.note('block', { height: block.header.height, transactions: block.transactions.length });
    return block;
  }

  private createTarget(): DaTarget {
    const { daUrl: url, daToken: token, daFeeGranter: feeGranter, daTimeoutMs } = this.options;
    if (url === undefined) return this.da;
    const mode = () => this.faults.daMode;
    return new RemoteDa({
      clock: this.clock,
      url,
      token,
      feeGranter,
      mode,
      timeoutMs: daTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
  }
}
