import { seededBytes } from '../../../src/devnode/seeded-random.js';
import { makeBlock, type ChainBlock, type ChainIdentity } from '../../../src/devnode/block-factory.js';
import { createSigner } from '../../../src/devnode/signer.js';
import type { BlockPart } from '../../../src/devnode/chain-store.js';
import {
  dataBlobBytes,
  encodedHeaderBytes,
  headerBlobBytes,
} from '../../../src/domain/blocks/block-encoding.js';
import { FIRST_NODE, SECOND_NODE, YEAR_CHAIN } from '../../../src/cli/demo-year.js';
import type { Millis } from '../../../src/domain/time.js';
import { Dice } from './dice.js';
import { RowWriter, type YearRow } from './year-rows.js';
import { DAY, HOUR, isIn, MINUTE, STORY } from './year-story.js';

/** A block, and where it landed on the DA layer. */
export interface YearBlock {
  readonly block: ChainBlock;
  /** When its node had it. */
  readonly at: Millis;
  /** DA heights of its header and of its data. */
  readonly landed: Partial<Record<BlockPart, bigint>>;
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

const KINDS: readonly BlockPart[] = ['header', 'data'];
/** Transactions are slices of it. */
const POOL_BYTES = 1 << 18;
const LONGEST_BATCH = 60;

/** The life of the chain, in the order of time. Its blocks are signed and linked, and each batch carries their blobs. */
export function liveYear(seed: string): YearTurn[] {
  return new Life(seed).live();
}

class Life {
  private readonly identity: ChainIdentity;
  private readonly dice: Dice;
  private readonly pool: Buffer;
  private readonly writer: RowWriter;
  private readonly pending: Record<BlockPart, YearBlock[]> = { header: [], data: [] };
  private last: ChainBlock | undefined;

  constructor(seed: string) {
    this.identity = { chainId: YEAR_CHAIN, seed, signer: createSigner(seed), txsPerBlock: 0 };
    this.dice = new Dice(seed);
    this.pool = seededBytes(POOL_BYTES, seed, 'transactions');
    this.writer = new RowWriter(this.dice);
  }

  live(): YearTurn[] {
    const turns: YearTurn[] = [];
    for (let at = STORY.from + MINUTE, next = 0; at < STORY.to - 15 * MINUTE; at = next) {
      next = this.nextAfter(at);
      const turn = this.turn(at, next);
      turns.push(turn);
      // Adds a poll when the DA layer works again, not only at the next block.
      const thawedAt = Math.max(STORY.frozen.to, turn.doneAt) + 10_000;
      if (isIn(STORY.frozen.to, { from: at, to: next })) turns.push(this.quietTurn(thawedAt));
    }
    return turns;
  }

  private nextAfter(at: Millis): Millis {
    const { refusal, frozen } = STORY;
    const next = at + (this.usualMinutes(at) * MINUTE * this.dice.between(60, 140)) / 100;
    // Posts something soon after the DA layer has recovered.
    const turning = [refusal.to, frozen.to].find((end) => at < end && end < next);
    return turning === undefined ? next : turning + 6 * MINUTE;
  }

  private usualMinutes(at: Millis): number {
    const { lively, expensive, refusal, toldAt } = STORY;
    if (isIn(at, lively)) return 20;
    if (isIn(at, expensive)) return 90;
    if (isIn(at, refusal)) return 35;
    if (at >= toldAt) return 110;
    return at % DAY < 5 * HOUR ? 260 : 190;
  }

  private turn(at: Millis, next: Millis): YearTurn {
    const blocks = this.produce(at);
    const rows: YearRow[] = [];
    let doneAt: Millis;
    if (isIn(at, STORY.refusal)) doneAt = this.fail(rows, at, Math.min(next, STORY.refusal.to) - 3 * MINUTE);
    else doneAt = this.post(rows, at);
    return { at, leader: this.leaderAt(at), blocks, rows, doneAt };
  }

  private quietTurn(at: Millis): YearTurn {
    return { at, leader: this.leaderAt(at), blocks: [], rows: [], doneAt: at };
  }

  private leaderAt(at: Millis): string {
    return at < STORY.leaderChangeAt ? FIRST_NODE : SECOND_NODE;
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
    const isBusy = isIn(at, STORY.expensive);
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
    const { frozen } = STORY;
    const toldAt = (isIn(from, frozen) ? frozen.to : at) + this.dice.between(4_000, 9_000);
    for (const block of carried) Object.assign(block, { postedAt: at, toldAt });
    return isIn(from, frozen) ? at : toldAt;
  }

  private batch(kind: BlockPart): YearBlock[] {
    return this.pending[kind].slice(0, LONGEST_BATCH);
  }
}

/** Bytes of each blob of a batch. */
function sizesOf(kind: BlockPart, blocks: readonly YearBlock[]): number[] {
  return blocks.map(({ block }) =>
    kind === 'header'
      ? headerBlobBytes(encodedHeaderBytes(block.header), block.signature, block)
      : (dataBlobBytes(block, block) ?? 0),
  );
}
