import { createHash } from 'node:crypto';
import { feeOf } from '../../domain/cost/pay-for-blobs.js';
import type { Decimal } from '../../domain/cost/decimal.js';
import type { Nanos } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';
import { toNanoseconds } from '../node-time.js';
import { seededBytes } from '../seeded-random.js';
import type { NoteTruth } from '../truth-log.js';
import { encodeAddress } from './bech32.js';
import {
  sign,
  TRANSFER_GAS,
  type DaBlob,
  type DaRequest,
  type DaTransaction,
  type IncludedTransaction,
} from './da-transaction.js';
import { Ledger, type LedgerEntry } from './ledger.js';

/** A block of the DA network. Hashes are upper-case hex. */
export interface DaBlock {
  readonly height: bigint;
  readonly timeNs: Nanos;
  readonly hash: string;
  /** Empty in the first block. */
  readonly lastHash: string;
  readonly transactions: readonly IncludedTransaction[];
}

interface Pending {
  readonly transaction: DaTransaction;
  readonly include: (transaction: IncludedTransaction) => void;
}

interface DaChainParts {
  readonly clock: Clock;
  readonly chainId: string;
  readonly seed: string;
  readonly firstHeight: bigint;
  /** In utia per gas. */
  readonly gasPrice: Decimal;
  readonly note: NoteTruth;
}

/** Blocks kept; headers, balances, blobs and transactions of older ones are pruned. */
const BLOCKS_KEPT = 20_000;
const BLOB_BYTES_KEPT = 256 * 1024 * 1024;
/** The fee collector of every network of the Cosmos SDK, with Celestia's prefix. */
const FEE_COLLECTOR = 'celestia17xpfvakm2amg962yls6f84z3kell8c5lpnjs3s';
const FAUCET_UTIA = 1_000_000_000_000_000n;

/** Refused when it was sent; the text is the network's. */
export class BroadcastError extends Error {}

/** The DA network behind a DA node: its blocks, its mempool and its accounts. Only `produce` changes them. */
export class DaChain {
  readonly ledger = new Ledger();
  /** Rich from genesis on; pays for what is funded. */
  readonly faucet: string;
  private readonly blocks = new Map<bigint, DaBlock>();
  private readonly sequences = new Map<string, bigint>();
  private pending: Pending[] = [];
  private blobBytes = 0;
  private newest: DaBlock;

  constructor(private readonly parts: DaChainParts) {
    this.faucet = this.addressOf('faucet');
    this.newest = this.makeBlock(parts.firstHeight, '', []);
    this.blocks.set(this.newest.height, this.newest);
    this.endow(this.faucet, FAUCET_UTIA);
  }

  /** The address of a key that follows from the seed and this name. */
  addressOf(name: string): string {
    return encodeAddress(seededBytes(20, this.parts.seed, 'account', name));
  }

  get head(): DaBlock {
    return this.newest;
  }

  /** Undefined for a block that is pruned or not made yet. */
  find(height: bigint): DaBlock | undefined {
    return this.blocks.get(height);
  }

  /** Gives an account money at genesis. */
  endow(account: string, utia: bigint): void {
    this.post({ height: 0n, account, utia, kind: 'genesis', txHash: '' });
  }

  /** The number of an account's transactions that are in blocks. */
  sequenceOf(account: string): bigint {
    return this.sequences.get(account) ?? 0n;
  }

  /** Number of transactions that no block has yet. */
  get waiting(): number {
    return this.pending.length;
  }

  /** Fee of a transfer, in utia. */
  get transferFee(): bigint {
    return feeOf(TRANSFER_GAS, this.parts.gasPrice);
  }

  /** Balance in utia of what can be spent now: without what pending transactions take. */
  spendableOf(account: string): bigint {
    const taken = this.pending.reduce((sum, { transaction }) => sum + outflowOf(transaction, account), 0n);
    return this.ledger.balanceOf(account, this.head.height) - taken;
  }

  /**
   * Sends a transaction. The result is settled when a block includes it.
   * @throws BroadcastError if the network refuses it
   */
  broadcast(request: DaRequest): Promise<IncludedTransaction> {
    const { signer } = request;
    if (!this.ledger.isKnown(signer, this.head.height))
      throw new BroadcastError(`account for signer ${signer} not found`);
    const waiting = this.pending.filter(({ transaction }) => transaction.signer === signer).length;
    const transaction = sign(request, this.sequenceOf(signer) + BigInt(waiting), this.parts.gasPrice);
    for (const account of new Set([transaction.payer, signer]))
      requireFunds(transaction, this.spendableOf(account), outflowOf(transaction, account));
    return new Promise((include) => this.pending.push({ transaction, include }));
  }

  /** Makes the next block, of everything that is pending. */
  produce(): DaBlock {
    const height = this.head.height + 1n;
    const included = this.pending.map(({ transaction }) => ({ ...transaction, height }));
    const waiting = this.pending;
    this.pending = [];
    this.newest = this.makeBlock(height, this.head.hash, included);
    this.blocks.set(height, this.newest);
    this.parts.note('da-block', { daHeight: height, transactions: included.length });
    included.forEach((transaction) => this.apply(transaction));
    waiting.forEach(({ include }, index) => include(included[index] as IncludedTransaction));
    this.prune();
    return this.newest;
  }

  private makeBlock(height: bigint, lastHash: string, transactions: readonly IncludedTransaction[]): DaBlock {
    const { clock, chainId, seed } = this.parts;
    const timeNs = toNanoseconds(clock.now(), chainId, height);
    const hash = createHash('sha256')
      .update(
        `${seed} ${chainId} ${height} ${timeNs} ${lastHash} ${transactions.map((each) => each.hash).join()}`,
      )
      .digest('hex')
      .toUpperCase();
    return { height, timeNs, hash, lastHash, transactions };
  }

  private apply(transaction: IncludedTransaction): void {
    const { hash: txHash, height, signer, payer, feeUtia, message, fails } = transaction;
    this.sequences.set(signer, transaction.sequence + 1n);
    this.blobBytes += blobBytesOf(transaction);
    this.parts.note('transaction', {
      txHash,
      daHeight: height,
      signer,
      payer,
      feeUtia,
      gasLimit: transaction.gasLimit,
      kind: message.kind,
      ...(message.kind === 'blobs'
        ? {
            blobs: message.blobs.length,
            namespaces: [...new Set(message.blobs.map((blob) => blob.namespace))],
          }
        : { to: message.to, utia: message.utia }),
      failed: fails === true,
    });
    const entry = { height, txHash };
    this.post({ ...entry, account: payer, utia: -feeUtia, kind: 'fee' });
    this.post({ ...entry, account: FEE_COLLECTOR, utia: feeUtia, kind: 'received' });
    if (message.kind === 'transfer' && fails !== true) {
      this.post({ ...entry, account: signer, utia: -message.utia, kind: 'sent' });
      this.post({ ...entry, account: message.to, utia: message.utia, kind: 'received' });
    }
  }

  private post(entry: LedgerEntry): void {
    this.ledger.add(entry);
    const { height: daHeight, ...rest } = entry;
    const balanceUtia = this.ledger.balanceOf(entry.account, entry.height);
    this.parts.note('ledger', { daHeight, ...rest, balanceUtia });
  }

  private prune(): void {
    for (const [height, block] of this.blocks) {
      if (this.blocks.size <= BLOCKS_KEPT && this.blobBytes <= BLOB_BYTES_KEPT) return;
      this.blocks.delete(height);
      this.ledger.prune(height);
      block.transactions.forEach((each) => (this.blobBytes -= blobBytesOf(each)));
    }
  }
}

/** The blobs of a block in a namespace. `index` is the place of the blob in the block, from 1 on. */
export function blobsIn(block: DaBlock, namespaces: ReadonlySet<string>): { blob: DaBlob; index: number }[] {
  return block.transactions
    .flatMap(({ message }) => (message.kind === 'blobs' ? message.blobs : []))
    .map((blob, at) => ({ blob, index: at + 1 }))
    .filter(({ blob }) => namespaces.has(blob.namespace));
}

/** Utia that a transaction takes from an account. */
function outflowOf({ payer, feeUtia, signer, message }: DaTransaction, account: string): bigint {
  const fee = payer === account ? feeUtia : 0n;
  return fee + (message.kind === 'transfer' && signer === account ? message.utia : 0n);
}

function requireFunds({ hash }: DaTransaction, spendable: bigint, needed: bigint): void {
  if (spendable >= needed) return;
  throw new BroadcastError(
    `broadcast tx error: hash ${hash} error: spendable balance ${spendable}utia is smaller than ${needed}utia: insufficient funds: insufficient funds code: 5`,
  );
}

function blobBytesOf({ message }: DaTransaction): number {
  return message.kind === 'blobs' ? message.blobs.reduce((sum, { data }) => sum + data.length, 0) : 0;
}
