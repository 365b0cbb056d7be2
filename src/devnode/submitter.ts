import type { Clock } from '../platform/clock.js';
import { makeDataBlob, makeHeaderBlob, type ChainBlock } from './block-factory.js';
import type { BlockPart, ChainStore, MetadataKey } from './chain-store.js';
import type { DaReceipt, DaTarget } from './da-layer.js';
import { formatNanoseconds } from '../domain/node-interface/go-time.js';
import { toNanoseconds } from './node-time.js';
import type { Signer } from './signer.js';
import type { SubmissionRing, RingRow } from './submission-ring.js';
import type { NoteTruth } from './truth-log.js';

interface SubmitterParts {
  chain: ChainStore;
  da: DaTarget;
  ring: SubmissionRing;
  note?: NoteTruth;
  signer: Signer;
  clock: Clock;
  /** The namespace of each kind, 29 bytes in hex. */
  namespaces: Record<BlockPart, string>;
  /** Whether the node lists what is posted; while another node leads, only that node's list shows it. */
  isListed?(): boolean;
}

/** Parts of blocks that are posted together. */
interface Batch {
  readonly attempt: number;
  readonly kind: BlockPart;
  readonly blocks: readonly ChainBlock[];
  readonly blobs: readonly Uint8Array[];
}

const KINDS: readonly BlockPart[] = ['header', 'data'];
const LAST_SUBMITTED: Record<BlockPart, MetadataKey> = {
  header: 'last-submitted-header-height',
  data: 'last-submitted-data-height',
};
/** The chain is checked for something to submit at this pace. */
const TICK_MS = 100;
/** Waits after failures double from the first to the last of these, as the recorded node's did. */
const FIRST_BACKOFF_MS = 100;
const LAST_BACKOFF_MS = 1_000;
const MAX_BLOBS = 5_000;

/** Posts headers and data to the DA layer, each in a loop of its own, and records a row for every attempt. */
export class Submitter {
  private attempts = 0;

  constructor(private readonly parts: SubmitterParts) {}

  /** Runs both loops until `signal` is aborted. An attempt under way then leaves no row, as in a node that dies. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(KINDS.map((kind) => this.runLoop(kind, signal)));
  }

  /** Posts every pending part of these blocks in an attempt of its own, at once, where the DA layer can. */
  submitEach(blocks: readonly ChainBlock[]): void {
    const { da } = this.parts;
    if (!da.submitNow) return;
    for (const block of blocks) {
      for (const kind of KINDS.filter((each) => this.isPending(each, block.header.height))) {
        const batch = this.begin(kind, [block]);
        this.settle(batch, da.submitNow(this.parts.namespaces[kind], batch.blobs));
      }
    }
    KINDS.forEach((kind) => this.advance(kind));
  }

  private async runLoop(kind: BlockPart, signal: AbortSignal): Promise<void> {
    let backoffMs = 0;
    let limit = MAX_BLOBS;
    while (!signal.aborted) {
      this.advance(kind);
      const blocks = this.findPending(kind, limit);
      if (blocks.length > 0) {
        const batch = this.begin(kind, blocks);
        const receipt = await this.parts.da.submit(this.parts.namespaces[kind], batch.blobs, signal);
        if (signal.aborted) {
          this.parts.note?.('attempt-ended', { ...describeBatch(batch), status: null, isListed: false });
          return;
        }
        this.settle(batch, receipt);
        const failed = receipt.status !== 'Success';
        limit = receipt.status === 'Too Big' ? Math.max(1, Math.floor(blocks.length / 2)) : MAX_BLOBS;
        backoffMs = failed ? Math.min(LAST_BACKOFF_MS, Math.max(FIRST_BACKOFF_MS, backoffMs * 2)) : 0;
      }
      await this.parts.clock.sleep(backoffMs || TICK_MS, signal);
    }
  }

  private begin(kind: BlockPart, blocks: readonly ChainBlock[]): Batch {
    this.attempts += 1;
    const blobs = blocks.map((block) => this.makeBlob(kind, block));
    const batch = { attempt: this.attempts, kind, blocks, blobs };
    this.parts.note?.('attempt', describeBatch(batch));
    return batch;
  }

  private settle(batch: Batch, receipt: DaReceipt): void {
    const { chain, ring, note } = this.parts;
    const isListed = this.parts.isListed?.() ?? true;
    const isSuccess = 'blobIds' in receipt;
    const height = isSuccess ? receipt.height : 0n;
    if (isListed) ring.record(this.toRow(batch, receipt));
    note?.('attempt-ended', {
      ...describeBatch(batch),
      status: receipt.status,
      ...(isSuccess ? { daHeight: height } : { message: receipt.message }),
      isListed,
    });
    if (isSuccess) {
      batch.blocks.forEach((block) => chain.setPosted(batch.kind, block.header.height, height));
      this.advance(batch.kind);
      if (chain.getMetadata('gdh') === undefined) chain.setMetadata('gdh', height);
    }
  }

  private toRow({ attempt, kind, blobs }: Batch, receipt: DaReceipt): RingRow {
    const nowMs = this.parts.clock.now();
    const isSuccess = 'blobIds' in receipt;
    const height = isSuccess ? receipt.height : 0n;
    return {
      id: `submission_${height}_${Math.floor(nowMs / 1000)}`,
      height: Number(height),
      blob_size: bytesOf(blobs),
      timestamp: formatNanoseconds(toNanoseconds(nowMs, kind, attempt)),
      gas_price: 0,
      status_code: receipt.status,
      ...(!isSuccess && { message: receipt.message }),
      num_blobs: blobs.length,
      ...(isSuccess && { blob_ids: receipt.blobIds }),
      namespace: this.parts.namespaces[kind],
    };
  }

  private makeBlob(kind: BlockPart, block: ChainBlock): Uint8Array {
    const { signer } = this.parts;
    return kind === 'header' ? makeHeaderBlob(signer, block) : makeDataBlob(signer, block);
  }

  private findPending(kind: BlockPart, limit: number): ChainBlock[] {
    const { chain } = this.parts;
    const pending: ChainBlock[] = [];
    for (
      let height = this.lastSubmitted(kind) + 1n;
      height <= chain.headHeight && pending.length < limit;
      height += 1n
    ) {
      const block = this.isPending(kind, height) ? chain.findStored(height) : undefined;
      if (block) pending.push(block);
    }
    return pending;
  }

  private isPending(kind: BlockPart, height: bigint): boolean {
    const { chain } = this.parts;
    const isEmpty = kind === 'data' && !chain.hasData(height);
    return !isEmpty && chain.findPosted(kind, height) === undefined;
  }

  /** Moves the last submitted height up to the block before the first pending one, skipping empty data. */
  private advance(kind: BlockPart): void {
    const { chain } = this.parts;
    const from = this.lastSubmitted(kind);
    let last = from;
    while (last < chain.headHeight && !this.isPending(kind, last + 1n)) last += 1n;
    if (last > from) chain.setMetadata(LAST_SUBMITTED[kind], last);
  }

  private lastSubmitted(kind: BlockPart): bigint {
    return this.parts.chain.getMetadata(LAST_SUBMITTED[kind]) ?? 0n;
  }
}

function bytesOf(blobs: readonly Uint8Array[]): number {
  return blobs.reduce((sum, blob) => sum + blob.length, 0);
}

function describeBatch({ attempt, kind, blocks, blobs }: Batch): object {
  return {
    attempt,
    kind,
    fromHeight: blocks[0]?.header.height,
    toHeight: blocks.at(-1)?.header.height,
    blobs: blobs.length,
    bytes: bytesOf(blobs),
  };
}
