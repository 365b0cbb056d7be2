import type { BlockDraft } from '../../../src/domain/blocks/block-draft.js';
import type { BlockRecord } from '../../../src/domain/blocks/block.js';
import { packBlocks } from '../../../src/domain/blocks/pack-blocks.js';
import { NOTHING_PROVEN, verifyBlocks, type VerifyContext } from '../../../src/domain/blocks/verify-block.js';
import type { BlockEvents, Polls } from '../../../src/domain/events.js';
import type { Millis } from '../../../src/domain/time.js';
import type { YearBlock } from './year-chain.js';
import { YEAR_CHAIN } from '../../../src/cli/demo-year.js';

type BlockEvent = {
  [T in 'BlocksObserved' | 'BlockInclusionObserved' | 'NodeProgressObserved']: {
    readonly type: T;
    readonly observedAt: Millis;
    readonly body: BlockEvents[T];
  };
}['BlocksObserved' | 'BlockInclusionObserved' | 'NodeProgressObserved'];

const PLACE = { chain: YEAR_CHAIN, lineage: 1 } as const;

/** Records the blocks of one node, as an observer would. */
export class BlockWatch {
  private context: VerifyContext = { previous: null, proven: NOTHING_PROVEN };
  private readonly open: YearBlock[] = [];
  private oldest: YearBlock | undefined;
  private head: YearBlock | undefined;

  /** @param drafts each block, as decoded from its own bytes */
  constructor(private readonly drafts: ReadonlyMap<YearBlock, BlockDraft>) {}

  /** Records new blocks that one poll found. */
  record(blocks: readonly YearBlock[], at: Millis, looks: Polls): BlockEvent[] {
    if (blocks.length === 0) return [];
    const drafts = blocks.flatMap((block) => this.drafts.get(block) ?? []);
    const verified = verifyBlocks(drafts, this.context);
    this.context = verified;
    this.oldest ??= blocks[0];
    this.head = blocks.at(-1);
    const records = verified.blocks.map((record, index) =>
      withPlaces(record, blocks[index] as YearBlock, at),
    );
    this.open.push(...blocks.filter(({ toldAt }) => toldAt > at));
    const body = { looks, ...PLACE, ...packBlocks(records, verified.late) };
    return [{ type: 'BlocksObserved', observedAt: at, body }];
  }

  /** Records what a poll shows about known blocks, and the node's own progress. */
  follow(at: Millis, looks: Polls, isLeader: boolean): BlockEvent[] {
    const due = this.open.filter(({ toldAt }) => toldAt <= at);
    const waiting = this.open.filter(({ toldAt }) => toldAt > at);
    this.open.splice(0, Infinity, ...waiting);
    const heights = due.map((each) => {
      const [header, data] = placesOf(each);
      return [String(each.block.header.height), String(header), String(data)] as const;
    });
    const progress = this.progressAt(at, isLeader);
    if (heights.length === 0)
      return [{ type: 'NodeProgressObserved', observedAt: at, body: { looks, ...progress } }];
    return [
      { type: 'BlockInclusionObserved', observedAt: at, body: { looks, ...PLACE, heights } },
      { type: 'NodeProgressObserved', observedAt: at, body: progress },
    ];
  }

  private progressAt(at: Millis, isLeader: boolean): BlockEvents['NodeProgressObserved'] {
    const { head, oldest, open } = this;
    const waiting = open[0];
    const unposted = open.find(({ postedAt }) => postedAt > at);
    const submitted = isLeader ? heightBefore(unposted, head) : null;
    return {
      head: heightOf(head),
      headTimeNs: head ? String(head.block.header.timeNs) : null,
      daIncluded: heightBefore(waiting, head),
      lastSubmittedHeader: submitted,
      lastSubmittedData: submitted,
      headerStoreHead: heightOf(head),
      oldest: heightOf(oldest),
      firstPending: heightOf(waiting),
      clockOffsetMs: Math.floor(at / 1000) * 1000 - at,
    };
  }
}

function heightOf(each: YearBlock | undefined): string | null {
  return each === undefined ? null : String(each.block.header.height);
}

/** The height before the first waiting block, or the head. */
function heightBefore(waiting: YearBlock | undefined, head: YearBlock | undefined): string | null {
  return waiting === undefined ? heightOf(head) : String(waiting.block.header.height - 1n);
}

/** DA heights of header and data; a block without transactions has only the header's height, which is used for both. */
function placesOf({ block, landed }: YearBlock): readonly [bigint | null, bigint | null] {
  const header = landed.header ?? null;
  return [header, block.transactions.length === 0 ? header : (landed.data ?? null)];
}

function withPlaces(record: BlockRecord, each: YearBlock, at: Millis): BlockRecord {
  if (each.toldAt > at) return record;
  const [headerDaHeight, dataDaHeight] = placesOf(each);
  return { ...record, headerDaHeight, dataDaHeight };
}
