import type { Clock } from '../platform/clock.js';
import type { Millis } from '../domain/time.js';
import { blobIdOf, commitmentOf } from './da/da-transaction.js';

/** The behaviour of the DA layer: `up`, or one of the ways in which it fails. */
export const DA_MODES = [
  'up',
  'refused',
  'down',
  'mempool',
  'sequence',
  'funds',
  'too-big',
  'slow',
  'hang',
] as const;
export type DaMode = (typeof DA_MODES)[number];

/** The result of an attempt. `status` and `message` are the real node's texts. */
export type DaReceipt =
  { status: 'Success'; height: bigint; blobIds: string[] } | { status: string; message: string };

/** Where `/da/blob` finds the content of a blob: the node's DA layer, or that of the node it follows. */
export interface BlobSource {
  findBlob(blobId: string, namespace: string): Promise<Uint8Array | undefined>;
}

/** Where a rollup node posts. */
export interface DaTarget extends BlobSource {
  /** Waits until the blobs are included, or refused; never rejects. When `signal` is aborted, the receipt means nothing. */
  submit(namespace: string, blobs: readonly Uint8Array[], signal: AbortSignal): Promise<DaReceipt>;
  /** Posts at once, for bursts. Without it, the blocks of a burst are posted as all others. */
  submitNow?(namespace: string, blobs: readonly Uint8Array[]): DaReceipt;
}

interface DaLayerSettings {
  clock: Clock;
  /** The present mode. Default `up`. */
  mode?: () => DaMode;
  blockTimeMs: Millis;
  /** A caller waits this long for a layer that hangs. */
  timeoutMs?: Millis;
}

/** Failures of a recorded node, by mode; `refused` is Go's error when nobody listens. */
const REFUSALS: Partial<Record<DaMode, { status: string; message: string }>> = {
  refused: { status: 'Error', message: 'dial tcp 127.0.0.1:26658: connect: connection refused' },
  down: { status: 'Error', message: 'handler: websocket connection closed' },
  mempool: { status: 'Already In Mempool', message: 'tx already in mempool' },
  sequence: {
    status: 'Incorrect Account Sequence',
    message: 'account sequence mismatch, expected 7, got 6: incorrect account sequence',
  },
  funds: { status: 'Error', message: 'codespace sdk, Code 5: insufficient funds' },
  'too-big': { status: 'Too Big', message: 'blob: over size limit' },
};

const SLOW_MS = 3_000;
/** A batch of more bytes is refused. */
const MAX_BATCH_BYTES = 7 * 1024 * 1024;
export const DEFAULT_TIMEOUT_MS = 28_000;
/** Blobs kept: as many as one attempt can have. Older ones are dropped, as a DA node prunes them. */
const BLOBS_KEPT = 5_000;

/**
 * A DA layer in memory: it makes one block every `blockTimeMs` of the clock, and answers a submission when the block that
 * includes it is made. Its height does not grow while nothing runs, and continues where `continueAfter` says.
 */
export class DaLayer implements DaTarget {
  private base = 1n;
  /** The height of the newest block that `submitNow` made. */
  private ownBlock = 0n;
  private readonly startedAt: number;
  private readonly blobs = new Map<string, Uint8Array>();

  constructor(private readonly settings: DaLayerSettings) {
    this.startedAt = settings.clock.monotonic();
  }

  get mode(): DaMode {
    return this.settings.mode?.() ?? 'up';
  }

  get height(): bigint {
    return this.base + BigInt(Math.floor(this.elapsedMs / this.settings.blockTimeMs));
  }

  /** Makes every later height greater than this one. */
  continueAfter(height: bigint): void {
    const behind = height + 1n - this.height;
    if (behind > 0n) this.base += behind;
  }

  /** Waits for the next DA block; never throws. When `signal` is aborted meanwhile, nothing was posted. */
  async submit(namespace: string, blobs: readonly Uint8Array[], signal: AbortSignal): Promise<DaReceipt> {
    const { clock, blockTimeMs, timeoutMs = DEFAULT_TIMEOUT_MS } = this.settings;
    const refusal = await refuseUnder(this.modeFor(blobs), clock, timeoutMs, signal);
    if (refusal) return refusal;
    const before = this.height;
    await clock.sleep(blockTimeMs - (this.elapsedMs % blockTimeMs), signal);
    if (signal.aborted) {
      return { status: 'Context Canceled', message: 'failed to submit blobs: context canceled' };
    }
    // A timer may fire a moment early, before there is a new block; and a block of a burst contains nothing else.
    this.continueAfter(before > this.ownBlock ? before : this.ownBlock);
    return this.include(namespace, blobs, this.height);
  }

  /** Posts in a DA block of its own, at once: for bursts. A mode that would make it wait counts as `up`. */
  submitNow(namespace: string, blobs: readonly Uint8Array[]): DaReceipt {
    const refusal = refusalIn(this.modeFor(blobs));
    if (refusal) return refusal;
    this.base += 1n;
    this.ownBlock = this.height;
    return this.include(namespace, blobs, this.height);
  }

  /** The content of a blob, by its id in hex; undefined when the namespace does not hold it (any more). */
  findBlob(blobId: string, namespace: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.blobs.get(`${namespace} ${blobId}`));
  }

  private get elapsedMs(): number {
    return this.settings.clock.monotonic() - this.startedAt;
  }

  private modeFor(blobs: readonly Uint8Array[]): DaMode {
    const bytes = blobs.reduce((sum, blob) => sum + blob.length, 0);
    return bytes > MAX_BATCH_BYTES ? 'too-big' : this.mode;
  }

  private include(namespace: string, blobs: readonly Uint8Array[], height: bigint): DaReceipt {
    const blobIds = blobs.map((blob) => blobIdOf(height, commitmentOf(namespace, blob)));
    blobIds.forEach((id, index) => this.blobs.set(`${namespace} ${id}`, blobs[index] ?? Buffer.alloc(0)));
    for (const key of this.blobs.keys()) {
      if (this.blobs.size <= BLOBS_KEPT) break;
      this.blobs.delete(key);
    }
    return { status: 'Success', height, blobIds };
  }
}

function refusalIn(mode: DaMode): DaReceipt | undefined {
  const refusal = REFUSALS[mode];
  return refusal && { status: refusal.status, message: `failed to submit blobs: ${refusal.message}` };
}

/** The refusal of a batch: at once, or after the timeout if the DA layer hangs. Undefined if the DA layer takes the batch. */
export async function refuseUnder(
  mode: DaMode,
  clock: Clock,
  timeoutMs: Millis,
  signal: AbortSignal,
): Promise<DaReceipt | undefined> {
  if (mode === 'hang') {
    await clock.sleep(timeoutMs, signal);
    return { status: 'Context Deadline', message: 'failed to submit blobs: context deadline exceeded' };
  }
  if (mode === 'slow') await clock.sleep(SLOW_MS, signal);
  return refusalIn(mode);
}
