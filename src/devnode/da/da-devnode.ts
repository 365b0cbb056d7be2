import { Decimal } from '../../domain/cost/decimal.js';
import { toNamespace } from '../../domain/node-interface/namespace.js';
import type { DevControl } from '../dev-routes.js';
import type { DevnodeAnswer, DevnodeServer, NodeRequest } from '../http-server.js';
import { RigProcess } from '../rig-process.js';
import { seededBytes } from '../seeded-random.js';
import { answerConsensus } from './consensus-routes.js';
import { BroadcastError, DaChain, type DaBlock } from './da-chain.js';
import { DA_COMMAND, DA_USAGE, type DaCommand, type DaFault } from './da-faults.js';
import { answerDaRpc, DA_INVALID_REQUEST } from './da-json-rpc.js';
import { callsOf } from './da-methods.js';
import type { DaDevnodeOptions } from './da-options.js';
import { DA_LEVELS, DaTokens, type DaLevel } from './da-tokens.js';
import { commitmentOf, type DaRequest, type IncludedTransaction } from './da-transaction.js';
import type { DaView } from './da-view.js';
import { awaitConsensus, permissionsUnder } from './fault-effects.js';

/** Base64 of the largest submission that can be set, and what is around it. */
const MAX_BODY_BYTES = 96 * 1024 * 1024;
const DEFAULT_MAX_BLOB_BYTES = 7 * 1024 * 1024;
const DEFAULT_BALANCE_UTIA = 100_000_000n;
const DEFAULT_SECOND_SENDER_BYTES = 300;
const SECOND_SENDER = toNamespace('second sender');
const UNAUTHORIZED: DevnodeAnswer = { status: 401, body: '' };

type DaTransfer = Exclude<
  DaCommand,
  DaFault | { end: unknown } | { maxBlobBytes: number } | { produce: number }
>;

/** Starts a DA node with the DA network behind it; rejects when a port is busy. */
export async function startDaDevnode(options: DaDevnodeOptions = {}): Promise<DaDevnode> {
  const node = new DaDevnode(options);
  await node.start();
  return node;
}

/** A DA node that answers as celestia-node does, a DA network, and its consensus node. See `startDaDevnode`. */
export class DaDevnode extends RigProcess<DaFault, DaCommand> {
  readonly chain: DaChain;
  /** The node's own account, which pays for submissions. */
  readonly address: string;
  /** A token of each level that never expires. Complete after the start. */
  readonly tokens: Record<DaLevel, string> = { public: '', read: '', write: '', admin: '' };
  private readonly keys: DaTokens;
  private readonly rpc: DevnodeServer;
  private readonly consensus: DevnodeServer;
  private readonly view: DaView;
  private maxBlobBytes: number;
  /** The node's head while it is cut off. */
  private frozenHead: DaBlock | undefined;

  constructor(private readonly options: DaDevnodeOptions) {
    super(options);
    const { chainId = 'devnode-da-1', firstHeight = 1n, maxBlobBytes = DEFAULT_MAX_BLOB_BYTES } = options;
    const { clock, seed } = this;
    this.keys = new DaTokens(seed);
    this.maxBlobBytes = maxBlobBytes;
    const gasPrice = Decimal.read(options.gasPrice ?? '0.004');
    this.chain = new DaChain({ clock, chainId, firstHeight, seed, gasPrice, note: this.truth.note });
    this.address = this.addressOf('node');
    const { balanceUtia = DEFAULT_BALANCE_UTIA } = options;
    if (balanceUtia > 0n) this.chain.endow(this.address, balanceUtia);
    this.view = this.createView(chainId);
    const rpcFaults = { closedBy: 'stopped', hangsBy: 'hang' } as const;
    this.rpc = this.addPort(options.port, rpcFaults, (request) => this.answerRpc(request), MAX_BODY_BYTES);
    const restFaults = { closedBy: 'consensus-down', hangsBy: 'consensus-hang' } as const;
    this.consensus = this.addPort(options.consensusPort, restFaults, async (request) =>
      answerConsensus(this.view, request),
    );
  }

  /** Base URL of the JSON-RPC; the same over stops. */
  get url(): string {
    return this.rpc.url;
  }

  /** Base URL of the consensus node's REST. */
  get consensusUrl(): string {
    return this.consensus.url;
  }

  /** The address of the key with this name; `node` is the node's own. */
  addressOf(name: string): string {
    return this.chain.addressOf(name);
  }

  /** Makes a token. @param expiresAt RFC 3339; without it the token never expires */
  token(level: DaLevel, expiresAt?: string): Promise<string> {
    return this.keys.make(level, expiresAt);
  }

  override async start(): Promise<void> {
    for (const level of DA_LEVELS) this.tokens[level] ||= await this.keys.make(level);
    await super.start();
  }

  /** Makes DA blocks now, whatever the block time; none while the chain is halted. */
  produce(count = 1): void {
    for (let made = 0; made < count && !this.faults.has('halt'); made += 1) {
      this.frozenHead = this.faults.has('cut-off') ? (this.frozenHead ?? this.chain.head) : undefined;
      this.sendFromSecond();
      this.chain.produce();
    }
  }

  /** Sends the transaction of a command. Settled when a block includes it; rejects with a `BroadcastError`. */
  async send(command: DaTransfer): Promise<IncludedTransaction> {
    return this.chain.broadcast(this.requestOf(command));
  }

  protected override get commands(): DevControl<DaCommand> {
    return {
      truth: this.truth,
      schema: DA_COMMAND,
      usage: DA_USAGE,
      apply: (command) => this.applyCommand(command),
    };
  }

  protected override loops(signal: AbortSignal): Promise<unknown>[] {
    const { blockTimeMs = 2_000 } = this.options;
    return blockTimeMs > 0 ? [this.produceLoop(blockTimeMs, signal)] : [];
  }

  private createView(chainId: string): DaView {
    const { chain, address, clock, faults, count } = this;
    return {
      chain,
      chainId,
      address,
      count,
      head: () => (faults.has('cut-off') ? (this.frozenHead ?? chain.head) : chain.head),
      maxBlobBytes: () => this.maxBlobBytes,
      awaitConsensus: (signal, isPatient) => awaitConsensus(faults, clock, signal, isPatient),
    };
  }

  private async answerRpc(request: NodeRequest): Promise<DevnodeAnswer> {
    const permissions = await this.permissionsOf(request);
    if (!permissions) return UNAUTHORIZED;
    if (request.method !== 'POST') return DA_INVALID_REQUEST;
    return answerDaRpc(request.body, callsOf(this.view, permissions, request.signal));
  }

  /** Permissions of a request: none without a token, undefined with a wrong one. As in the real node, the query may have the token. */
  private async permissionsOf({ headers, query }: NodeRequest): Promise<readonly string[] | undefined> {
    const { authorization } = headers;
    const given = authorization ?? `Bearer ${query.get('token') ?? ''}`;
    if (authorization === undefined && !query.has('token')) return [];
    const token = given.startsWith('Bearer ') ? given.slice('Bearer '.length).trim() : '';
    const permissions = await this.keys.read(token, this.clock.now());
    return permissions && permissionsUnder(this.faults, permissions);
  }

  private applyCommand(command: DaCommand): object | string {
    try {
      if ('fault' in command) this.faults.give(command);
      else if ('end' in command) this.faults.end(command.end);
      else if ('maxBlobBytes' in command) this.maxBlobBytes = command.maxBlobBytes;
      else if ('produce' in command) this.produce(command.produce);
      else void this.chain.broadcast(this.requestOf(command));
    } catch (error) {
      if (error instanceof BroadcastError) return error.message;
      throw error;
    }
    const { head } = this.chain;
    return {
      faults: this.faults.names,
      head: String(head.height),
      balanceUtia: String(this.chain.ledger.balanceOf(this.address, head.height)),
    };
  }

  /** The transaction of a command; the next block includes it. */
  private requestOf(command: DaTransfer): DaRequest {
    const { address, chain } = this;
    const elsewhere = this.addressOf('elsewhere');
    if ('transfer' in command) {
      const { account = address, to, amount } = command.transfer;
      return transferOf(account, to, amount);
    }
    if ('drain' in command) {
      const { account = address, to = elsewhere, leave = 0n } = command.drain;
      const amount = chain.spendableOf(account) - chain.transferFee - leave;
      return transferOf(account, to, amount > 0n ? amount : 0n);
    }
    if ('fail' in command)
      return { ...transferOf(command.fail.account ?? address, elsewhere, 1n), fails: true };
    return transferOf(chain.faucet, command.fund.account ?? address, command.fund.amount);
  }

  /** The second sender stops when the account is empty. */
  private sendFromSecond(): void {
    const fault = this.faults.find('second-sender');
    if (!fault) return;
    const { bytes = DEFAULT_SECOND_SENDER_BYTES, account: signer = this.address } = fault;
    const data = seededBytes(bytes, this.seed, 'second sender', this.chain.head.height);
    const blob = { namespace: SECOND_SENDER, data, commitment: commitmentOf(SECOND_SENDER, data) };
    try {
      void this.chain.broadcast({ signer, message: { kind: 'blobs', blobs: [blob] } });
    } catch (error) {
      if (!(error instanceof BroadcastError)) throw error;
    }
  }

  /** Blocks come at whole multiples of the block time, so that a slow machine does not make too few. */
  private async produceLoop(blockTimeMs: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.clock.sleep(blockTimeMs - (this.clock.now() % blockTimeMs), signal);
      if (signal.aborted) return;
      this.produce();
    }
  }
}

function transferOf(signer: string, to: string, utia: bigint): DaRequest {
  return { signer, message: { kind: 'transfer', to, utia } };
}
