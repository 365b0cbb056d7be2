import type { BlockPart } from '../../../src/devnode/chain-store.js';
import { seededBytes } from '../../../src/devnode/seeded-random.js';
import type { RingRow } from '../../../src/devnode/submission-ring.js';
import { Decimal } from '../../../src/domain/cost/decimal.js';
import { CELESTIA_GAS, feeOf, gasOf, sharesOfBlob } from '../../../src/domain/cost/pay-for-blobs.js';
import { formatNanoseconds } from '../../../src/domain/node-interface/go-time.js';
import { toNamespace } from '../../../src/domain/node-interface/namespace.js';
import type { Millis } from '../../../src/domain/time.js';
import type { Dice } from './dice.js';
import { YEAR_CHAIN } from '../../../src/cli/demo-year.js';
import { isIn, STORY } from './year-story.js';

/** A row of the leader's list. */
export interface YearRow {
  /** JSON, as the node sends it. */
  readonly text: string;
  /** When it entered the list. */
  readonly at: Millis;
  /** The fee of the DA layer; null for a failure. */
  readonly paid: { readonly daHeight: bigint; readonly namespace: string; readonly utia: bigint } | null;
}

export const YEAR_NAMESPACES: Readonly<Record<BlockPart, string>> = {
  header: toNamespace(`${YEAR_CHAIN}-header`),
  data: toNamespace(`${YEAR_CHAIN}-data`),
};

const FIRST_DA_HEIGHT = 5_000_000n;
const DA_BLOCK_MS = 6_000;

type Failure = readonly [status: string, message: string];
const REFUSED: readonly Failure[] = [
  ['Error', 'failed to submit blobs: handler: websocket connection closed'],
  ['Context Deadline', 'failed to submit blobs: context deadline exceeded'],
  ['Error', 'failed to submit blobs: dial tcp 10.4.0.9:26658: connect: connection refused'],
];
const NOW_AND_THEN: readonly Failure[] = [
  ['Not Included In Block', 'failed to submit blobs: not included in block within 10 blocks'],
  ['Already In Mempool', 'failed to submit blobs: tx already in mempool'],
  [
    'Incorrect Account Sequence',
    'failed to submit blobs: account sequence mismatch, expected 7, got 6: incorrect account sequence',
  ],
  ['Error', 'failed to submit blobs: insufficient fee: got 210utia, required 240utia'],
];

/** DA height at a moment of the story. */
function daHeightAt(at: Millis): bigint {
  return FIRST_DA_HEIGHT + BigInt(Math.floor((at - STORY.from) / DA_BLOCK_MS));
}

/** Gas price at a moment, in utia. */
export function gasPriceAt(at: Millis): string {
  if (at >= STORY.priceChangeAt) return '0.012';
  return isIn(at, STORY.expensive) ? '0.04' : '0.008';
}

/** Writes rows as the real node does. */
export class RowWriter {
  private written = 0;

  constructor(private readonly dice: Dice) {}

  /** @param sizes bytes of each blob of the batch */
  success(
    kind: BlockPart,
    sizes: readonly number[],
    at: Millis,
  ): { readonly row: YearRow; readonly daHeight: bigint } {
    const daHeight = daHeightAt(at);
    const height = Buffer.alloc(8);
    height.writeBigUInt64LE(daHeight);
    const ids = sizes.map((_, index) =>
      Buffer.concat([height, seededBytes(32, kind, at, this.written, index)]).toString('hex'),
    );
    return { row: this.write(kind, sizes, at, { daHeight, status: 'Success', ids }), daHeight };
  }

  /** @param isRefused whether the DA layer refuses everything */
  failure(kind: BlockPart, sizes: readonly number[], at: Millis, isRefused: boolean): YearRow {
    const failures = isRefused ? REFUSED : NOW_AND_THEN;
    const [status, message] = failures[this.dice.below(failures.length)] as Failure;
    return this.write(kind, sizes, at, { daHeight: 0n, status, message });
  }

  private write(
    kind: BlockPart,
    sizes: readonly number[],
    at: Millis,
    said: { daHeight: bigint; status: string; message?: string; ids?: string[] },
  ): YearRow {
    this.written += 1;
    const { daHeight, status, message, ids } = said;
    // Only the newer node reports what it paid.
    const isTold = at >= STORY.leaderChangeAt && message === undefined;
    const row: RingRow = {
      id: `submission_${daHeight}_${Math.floor(at / 1000)}`,
      height: Number(daHeight),
      blob_size: sizes.reduce((sum, size) => sum + size, 0),
      timestamp: formatNanoseconds(BigInt(at) * 1_000_000n + BigInt(this.dice.below(1_000_000))),
      gas_price: isTold ? Number(gasPriceAt(at)) : 0,
      status_code: status,
      ...(message !== undefined && { message }),
      num_blobs: sizes.length,
      ...(ids && { blob_ids: ids }),
      namespace: YEAR_NAMESPACES[kind],
    };
    const paid = ids ? { daHeight, namespace: row.namespace, utia: this.priceOf(sizes, at) } : null;
    return { text: JSON.stringify(row), at, paid };
  }

  private priceOf(sizes: readonly number[], at: Millis): bigint {
    const shares = sizes.reduce((sum, size) => sum + sharesOfBlob(BigInt(size), CELESTIA_GAS.signer), 0n);
    const price = Decimal.read(gasPriceAt(at));
    return feeOf(gasOf(shares, BigInt(sizes.length), CELESTIA_GAS), price);
  }
}
