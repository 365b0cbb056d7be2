import type { IncludedBlob } from '../../../domain/evidence/blob-segments.js';
import {
  type InclusionWalk,
  addGap,
  advanceWalk,
  startWalk,
  type BlobKind,
  type Hole,
} from '../../../domain/evidence/inclusion-walk.js';
import { selectList } from '../../../platform/rows/row-columns.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { InclusionWalkEntity } from '../../../tables/record/inclusion-walk.entity.js';
import type { Query } from '../../projection.js';
import type { LateInclusion } from './blocks.js';
import type { BlockFact, BlocksFact, RecordFact } from './facts.js';
import { loadBlocks, loadRun, type KnownBlock, type NodeBlocks } from './walk-blocks.js';

/** A blob with the event that first showed where it was included. */
export interface ShownBlob extends IncludedBlob {
  readonly position: bigint;
}

/** A blob that a block was seen to point to a DA height for. */
export interface IncludedAt {
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly blob: ShownBlob;
}

/** A walk before and after a fact. */
export interface WalkChange {
  readonly before: InclusionWalk;
  readonly after: InclusionWalk;
}

/** The walks of all nodes through their blocks, and what late inclusions change. */
export class WalkBook {
  private readonly walks = new Map<string, NodeBlocks>();
  private readonly lineages = new Map<number, NodeBlocks[]>();
  private readonly dirty = new Set<NodeBlocks>();
  private readonly late = new Map<KnownBlock, LateInclusion>();

  static async load(query: Query): Promise<WalkBook> {
    const book = new WalkBook();
    const rows = await query<InclusionWalkEntity>(
      `SELECT ${selectList(InclusionWalkEntity, 'w')} FROM inclusion_walk w ORDER BY node_key, lineage_key`,
    );
    for (const row of rows) book.keep(toWalk(row));
    return book;
  }

  find(nodeKey: number, lineageKey: number): NodeBlocks | undefined {
    return this.walks.get(`${nodeKey}/${lineageKey}`);
  }

  ofLineage(lineageKey: number): readonly NodeBlocks[] {
    return this.lineages.get(lineageKey) ?? [];
  }

  /** Loads what is recorded of the blocks that these facts speak of, and of those at which walks stop behind them. */
  async prepare(facts: readonly RecordFact[], query: Query): Promise<void> {
    this.forgetBlocks();
    const wanted = new Map<NodeBlocks, Set<bigint>>();
    for (const fact of facts) {
      if (fact.type !== 'blocks' && fact.type !== 'gap') continue;
      const walk = this.find(fact.nodeKey, fact.lineageKey);
      // Of a walk that begins in this batch nothing is recorded yet.
      if (!walk) continue;
      const heights = wanted.get(walk) ?? new Set();
      wanted.set(walk, heights);
      if (fact.type === 'gap') heights.add(fact.to + 1n);
      else for (const { height } of fact.blocks) heights.add(height).add(height + 1n);
    }
    for (const block of await loadBlocks(wanted, query)) {
      const walk = this.find(block.nodeKey, block.lineageKey);
      if (!walk) continue;
      this.dirty.add(walk);
      walk.blocks.set(block.height, block);
    }
  }

  /** Applies a fact; what it newly shows, and the walk before and after it, if there is one. */
  async apply(
    fact: RecordFact & BlocksFact,
    query: Query,
  ): Promise<{ readonly included: readonly IncludedAt[]; readonly change?: WalkChange }> {
    const first = fact.blocks.find(({ recorded }) => recorded);
    const known = this.find(fact.nodeKey, fact.lineageKey);
    if (!known && !first) return { included: [] };
    const before = known && { ...known };
    const walk = known ?? this.keep(newWalk(fact, first as BlockFact));
    this.dirty.add(walk);
    const included: IncludedAt[] = [];
    for (const block of fact.blocks) this.take(walk, block, fact.position, included);
    await goOn(walk, query);
    return { included, change: { before: before ?? startWalk(walk.firstHeight, false), after: walk } };
  }

  /** Applies a gap; the walk before and after it, if there is one. */
  async applyGap(fact: RecordFact & { type: 'gap' }, query: Query): Promise<WalkChange | undefined> {
    const walk = this.find(fact.nodeKey, fact.lineageKey);
    if (!walk) return undefined;
    const before = { ...walk };
    this.dirty.add(walk);
    addGap(walk, fact);
    await goOn(walk, query);
    return { before, after: walk };
  }

  /** Late inclusions of this batch, as the blocks stand after it. */
  takeLate(): LateInclusion[] {
    const late = [...this.late.values()];
    this.late.clear();
    return late;
  }

  async write(query: Query): Promise<void> {
    await upsertRows(query, InclusionWalkEntity, [...this.dirty].map(toRow));
    this.forgetBlocks();
  }

  private forgetBlocks(): void {
    for (const { blocks } of this.dirty) blocks.clear();
    this.dirty.clear();
  }

  private keep(walk: NodeBlocks): NodeBlocks {
    this.walks.set(`${walk.nodeKey}/${walk.lineageKey}`, walk);
    const siblings = this.lineages.get(walk.lineageKey);
    if (siblings) siblings.push(walk);
    else this.lineages.set(walk.lineageKey, [walk]);
    return walk;
  }

  /** Notes a block, and what it newly shows. */
  private take(walk: NodeBlocks, fact: BlockFact, position: bigint, included: IncludedAt[]): void {
    const known = walk.blocks.get(fact.height);
    const block = known ?? record(walk, fact);
    if (!block) return;
    const { height } = fact;
    const { timeNs } = block;
    let isNews = false;
    const includedPosition = known ? position : null;
    if (fact.headerDaHeight !== null && block.headerDaHeight === null) {
      block.headerDaHeight = fact.headerDaHeight;
      block.headerIncludedPosition = includedPosition;
      isNews = true;
      const blob = { height, bytes: block.headerBlobBytes, timeNs, position };
      included.push({ kind: 'HEADER', daHeight: fact.headerDaHeight, blob });
    }
    if (fact.dataDaHeight !== null && block.dataDaHeight === null) {
      block.dataDaHeight = fact.dataDaHeight;
      block.dataIncludedPosition = includedPosition;
      isNews = true;
      const blob = { height, bytes: block.dataBlobBytes, timeNs, position };
      if (block.hasData) included.push({ kind: 'DATA', daHeight: fact.dataDaHeight, blob });
    }
    if (!isNews || includedPosition === null) return;
    const { nodeKey, lineageKey } = walk;
    this.late.set(block, { ...block, nodeKey, lineageKey, height });
  }
}

/** A block that is not known yet; undefined: nor is it recorded by this fact. Written out, as it is done for each block. */
function record(walk: NodeBlocks, { height, recorded }: BlockFact): KnownBlock | undefined {
  if (!recorded) return undefined;
  const block: KnownBlock = {
    timeNs: recorded.timeNs,
    hasData: recorded.hasData,
    headerBlobBytes: recorded.headerBlobBytes,
    dataBlobBytes: recorded.dataBlobBytes,
    headerDaHeight: null,
    dataDaHeight: null,
    headerIncludedPosition: null,
    dataIncludedPosition: null,
  };
  walk.blocks.set(height, block);
  if (height > walk.lastHeight) walk.lastHeight = height;
  if (height < walk.firstHeight) Object.assign(walk, startWalk(height, recorded.isChainStart));
  return block;
}

/** Walks on over the blocks at hand, and over as many recorded earlier as there are, a part of them in memory at a time. */
async function goOn(walk: NodeBlocks, query: Query): Promise<void> {
  let run: ReadonlyMap<bigint, KnownBlock> = new Map();
  while (advanceWalk(walk, (height) => walk.blocks.get(height) ?? run.get(height))) {
    const next = walk.frontier + 1n;
    if (next > walk.lastHeight || walk.blocks.has(next)) return;
    run = await loadRun(walk, query);
  }
}

function newWalk(fact: RecordFact & BlocksFact, first: BlockFact): NodeBlocks {
  const { nodeKey, lineageKey } = fact;
  const walk = startWalk(first.height, first.recorded?.isChainStart ?? false);
  return { ...walk, nodeKey, lineageKey, lastHeight: first.height, blocks: new Map() };
}

function toWalk(row: Readonly<InclusionWalkEntity>): NodeBlocks {
  return {
    ...row,
    gaps: readRanges(row.gaps).flatMap(({ from, to }) => (to === null ? [] : [{ from, to }])),
    headerHoles: readRanges(row.headerHoles),
    dataHoles: readRanges(row.dataHoles),
    blocks: new Map(),
  };
}

function toRow(walk: NodeBlocks): InclusionWalkEntity {
  return {
    ...walk,
    gaps: writeRanges(walk.gaps),
    headerHoles: writeRanges(walk.headerHoles),
    dataHoles: writeRanges(walk.dataHoles),
  };
}

function writeRanges(ranges: readonly Hole[]): string {
  return `{${ranges.map(({ from, to }) => `[${from},${to === null ? '' : to + 1n})`).join(',')}}`;
}

function readRanges(text: string): Hole[] {
  return [...text.matchAll(/\[(\d+),(\d*)\)/g)].map(([, from = '0', end = '']) => ({
    from: BigInt(from),
    to: end === '' ? null : BigInt(end) - 1n,
  }));
}
