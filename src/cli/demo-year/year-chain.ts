import { seededBytes } from '../../devnode/seeded-random.js';
import { makeBlock, type ChainBlock, type ChainIdentity } from '../../devnode/block-factory.js';
import { createSigner } from '../../devnode/signer.js';
import type { BlobKind } from '../../devnode/chain-store.js';
import { dataBlobBytes, encodedHeaderBytes, headerBlobBytes } from '../../domain/blocks/block-encoding.js';
import type { Millis } from '../../domain/time.js';
import { Dice } from './dice.js';
import { RowWriter, type YearRow } from './year-rows.js';
import {
  DAY,
  FIRST_NODE,
  HOUR,
  isIn,
  MINUTE,
  SECOND_NODE,
  YEAR_CHAIN,
  type YearStory,
} from './year-story.js';

/** A block, and where it landed on the DA layer. */
export interface YearBlock {
  readonly block: ChainBlock;
  /** When its node had it. */
  readonly at: Millis;
  /** DA heights of its header and of its data. */
  readonly landed: Partial<Record<BlobKind, bigint>>;
  /** When header and data were both posted, and when the node began to show where. */
  postedAt: Millis;
  toldAt: Millis;
}

/** One iteration, of some minutes: blocks, the attempts to post them, their inclusion. */
export interface YearTurn {
  readonly at: Millis;
  /** The node that posts. */
  readonly leader: string;
  readonly blocks: readonly YearBlock[];
  readonly rows: readonly YearRow[];
  /** When all of it has been visible. */
  readonly doneAt: Millis;
}

const KINDS: readonly BlobKind[] = ['header', 'data'];
/** Transactions are slices of it. */
const POOL_BYTES = 1 << 18;
const LONGEST_BATCH = 60;

/** The life of the chain, in the order of time. Its blocks are signed and linked, and each batch carries their blobs. */
export function liveYear(story: YearStory, seed: string): YearTurn[] {
  return new Life(story, seed).live();
}

class Life {
  private readonly identity: ChainIdentity;
  private readonly dice: Dice;
  private readonly pool: Buffer;
  private readonly writer: RowWriter;
  private readonly pending: Record<BlobKind, YearBlock[]> = { header: [], data: [] };
  private last: ChainBlock | undefined;

  constructor(
    private readonly story: YearStory,
    seed: string,
  ) {
    this.identity = { chainId: YEAR_CHAIN, seed, signer: createSigner(seed), txsPerBlock: 0 };
    this.dice = new Dice(seed);
    this.pool = seededBytes(POOL_BYTES, seed, 'transactions');
    this.writer = new RowWriter(story, this.dice);
  }

  live(): YearTurn[] {
    const { story } = this;
    const turns: YearTurn[] = [];
    for (let at = story.from + MINUTE, next = 0; at < story.to - 15 * MINUTE; at = next) {
      next = this.nextAfter(at);
      const turn = this.turn(at, next);
      turns.push(turn);
      // Adds a poll when the DA layer works again, not only at the next block.
      const thawedAt = Math.max(story.frozen.to, turn.doneAt) + 10_000;
      if (isIn(story.frozen.to, { from: at, to: next })) turns.push(this.quietTurn(thawedAt));
    }
    return turns;
  }

  private nextAfter(at: Millis): Millis {
    const { expensive, lively, refusal, frozen } = this.story;
    const isNight = at % DAY < 5 * HOUR;
    const usual = lively.some((span) => isIn(at, span))
      ? 20
      : isIn(at, expensive)
        ? 90
        : isIn(at, refusal)
          ? 35
          : isNight
            ? 260
            : 190;
    const next = at + (usual * MINUTE * this.dice.between(60, 140)) / 100;
    // Posts something soon after the DA layer has recovered.
    const turning = [refusal.to, frozen.to].find((end) => at < end && end < next);
    return turning === undefined ? next : turning + 6 * MINUTE;
  }

  private turn(at: Millis, next: Millis): YearTurn {
    const blocks = this.produce(at);
    const rows: YearRow[] = [];
    const { refusal } = this.story;
    let doneAt: Millis;
    if (isIn(at, refusal)) doneAt = this.fail(rows, at, Math.min(next, refusal.to) - 3 * MINUTE);
    else doneAt = this.post(rows, at);
    return { at, leader: this.leaderAt(at), blocks, rows, doneAt };
  }

  private quietTurn(at: Millis): YearTurn {
    return { at, leader: this.leaderAt(at), blocks: [], rows: [], doneAt: at };
  }

  private leaderAt(at: Millis): string {
    return at < this.story.leaderChangeAt ? FIRST_NODE : SECOND_NODE;
  }

  private produce(at: Millis): YearBlock[] {
    const count = 1 + this.dice.below(2);
    return Array.from({ length: count }, (_, index) => {
      const blockAt = at + index * 1_000 + this.dice.below(200);
      const timeNs = BigInt(blockAt) * 1_000_000n - BigInt(this.dice.between(1_000_000, 90_000_000));
      this.last = makeBlock(this.identity, this.last, timeNs, this.makeTransactions(at));
      const made: YearBlock = {
        block: this.last,
        at: blockAt,
        landed: {},
        postedAt: Infinity,
        toldAt: Infinity,
      };
      this.pending.header.push(made);
      if (this.last.transactions.length > 0) this.pending.data.push(made);
      return made;
    });
  }

  private makeTransactions(at: Millis): Uint8Array[] {
    if (this.dice.chance(0.15)) return [];
    const isBusy = isIn(at, this.story.expensive);
    const largest = isBusy ? 30_000 : 6_000;
    return Array.from({ length: this.dice.between(1, isBusy ? 12 : 7) }, () => {
      const size = this.dice.between(90, largest);
      const from = this.dice.below(POOL_BYTES - size);
      return this.pool.subarray(from, from + size);
    });
  }

  /** Adds failing attempts until `end`. @returns the time of the last attempt */
  private fail(rows: YearRow[], from: Millis, end: Millis): Millis {
    let at = from + 8_000;
    for (; at < end; at += this.dice.between(3 * MINUTE, 7 * MINUTE)) {
      for (const kind of KINDS) {
        const blocks = this.batch(kind);
        if (blocks.length > 0) rows.push(this.writer.failure(kind, sizesOf(kind, blocks), at, true));
      }
    }
    return Math.min(at, end) + MINUTE;
  }

  private post(rows: YearRow[], from: Millis): Millis {
    const carried: YearBlock[] = [];
    let at = from + this.dice.between(2_500, 3_500);
    for (const kind of KINDS) {
      const blocks = this.batch(kind);
      if (blocks.length === 0) continue;
      const sizes = sizesOf(kind, blocks);
      if (this.dice.chance(0.012)) {
        rows.push(this.writer.failure(kind, sizes, at, false));
        at += this.dice.between(20_000, 90_000);
      }
      // The answer was lost, so the node posts again: the first attempt was paid for in vain.
      if (this.dice.chance(0.002)) {
        rows.push(this.writer.success(kind, sizes, at).row);
        at += this.dice.between(30_000, 60_000);
      }
      const { row, daHeight } = this.writer.success(kind, sizes, at);
      rows.push(row);
      this.pending[kind].splice(0, blocks.length);
      for (const block of blocks) block.landed[kind] = daHeight;
      carried.push(...blocks);
      at += this.dice.between(100, 1_500);
    }
    const { frozen } = this.story;
    const toldAt = (isIn(from, frozen) ? frozen.to : at) + this.dice.between(4_000, 9_000);
    for (const block of carried) Object.assign(block, { postedAt: at, toldAt });
    return isIn(from, frozen) ? at : toldAt;
  }

  private batch(kind: BlobKind): YearBlock[] {
    return this.pending[kind].slice(0, LONGEST_BATCH);
  }
}

/** Bytes of each blob of a batch. */
function sizesOf(kind: BlobKind, blocks: readonly YearBlock[]): number[] {
  return blocks.map(({ block }) =>
    kind === 'header'
      ? headerBlobBytes(encodedHeaderBytes(block.header), block.signature, block)
      : (dataBlobBytes(block, block) ?? 0),
  );
}
