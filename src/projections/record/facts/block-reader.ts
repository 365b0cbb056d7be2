import { lateChecksOf, type LateChecks } from '../../../domain/blocks/block-facts.js';
import type { BlockRecord } from '../../../domain/blocks/block.js';
import type { RecordedEvent } from '../../../domain/events.js';
import { toHeight } from '../../../domain/bounds.js';
import type { BlockEntity } from '../../../tables/record/block.entity.js';
import type { RecordMemory } from '../memory.js';
import { proposerOf, toBlock, toLateCheck, type LateCheck, type NewBlock } from './blocks.js';
import type { BlockFact } from './facts.js';

/** Whose blocks they are. */
type Owner = Pick<BlockEntity, 'nodeKey' | 'lineageKey'>;

/** Reads the blocks of a batch, in the order of the log. */
export class BlockReader {
  readonly blocks: NewBlock[] = [];
  private readonly lateChecks = new Map<string, LateCheck>();
  /** The height recorded last, by owner. */
  private readonly tips = new Map<string, bigint>();

  constructor(private readonly memory: Pick<RecordMemory, 'walks' | 'proposerKeys'>) {}

  /** What the events read so far decided about blocks recorded before; each block once. */
  checks(): LateCheck[] {
    return [...this.lateChecks.values()];
  }

  read(
    event: Extract<RecordedEvent, { type: 'BlocksObserved' }>,
    blocks: readonly BlockRecord[],
    owner: Owner,
  ): BlockFact[] {
    const name = `${owner.nodeKey}/${owner.lineageKey}`;
    let before = this.tips.get(name) ?? this.memory.walks.find(owner.nodeKey, owner.lineageKey)?.lastHeight;
    const facts: BlockFact[] = [];
    for (const block of blocks) {
      const { height } = block.header;
      const place = {
        ...owner,
        fromPosition: event.position,
        proposerKey: this.memory.proposerKeys.keyOf(proposerOf(block)),
      };
      const follows = block.checks.link === 'PASSED' && before === height - 1n;
      this.blocks.push(toBlock(block, place, follows));
      facts.push(toBlockFact(block));
      before = height;
    }
    if (before !== undefined) this.tips.set(name, before);
    const late = lateChecksOf(event.body);
    if (late && toHeight(late.height) !== null) this.noteLate(owner, late);
    return facts;
  }

  private noteLate({ nodeKey, lineageKey }: Owner, late: LateChecks): void {
    const key = `${nodeKey}/${lineageKey}/${late.height}`;
    const check = toLateCheck(nodeKey, lineageKey, late);
    const before = this.lateChecks.get(key);
    const set = ((before?.set ?? 0) & ~check.clear) | check.set;
    this.lateChecks.set(key, { ...check, clear: (before?.clear ?? 0) | check.clear, set });
  }
}

function toBlockFact(block: BlockRecord): BlockFact {
  const { height, timeNs, lastHeaderHash } = block.header;
  return {
    height,
    headerDaHeight: block.headerDaHeight,
    dataDaHeight: block.dataDaHeight,
    recorded: {
      timeNs,
      hasData: block.txCount > 0,
      headerBlobBytes: block.headerBlobBytes,
      dataBlobBytes: block.dataBlobBytes,
      // The first block of a chain has none to name, or writes zeros.
      isChainStart: height === 1n || /^0*$/.test(lastHeaderHash),
    },
  };
}
