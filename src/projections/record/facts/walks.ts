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
import { loadRun, WantedBlocks, type KnownBlock, type NodeBlocks } from './walk-blocks.js';

const NOT_INCLUDED = {
  headerDaHeight: null,
  dataDaHeight: null,
  headerIncludedPosition: null,
  dataIncludedPosition: null,
};

/** A blob that a block was seen to point to a DA height for. */
export interface IncludedAt {
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly blob: IncludedBlob;
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

  /** Loads what is recorded of the blocks that these facts speak of, and what the walks can go on over. */
  async prepare(facts: readonly RecordFact[], query: Query): Promise<void> {
    this.forgetBlocks();
    const wanted = new WantedBlocks();
    for (const fact of facts) {
      if (fact.type !== 'blocks' && fact.type !== 'gap') continue;
      const walk = this.find(fact.nodeKey, fact.lineageKey);
      // Of a walk that begins in this batch nothing is recorded yet.
      if (!walk) continue;
      if (fact.type === 'blocks') wanted.addBlocks(walk, fact);
      else wanted.addGap(walk, fact);
    }
    for (const block of await wanted.load(query)) {
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
    for (const block of fact.blocks) {
      const isNew = this.record(walk, block);
      this.include(walk, block, { position: fact.position, isNew }, included);
    }
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
    for (const { blocks, cuts } of this.dirty) {
      blocks.clear();
      cuts.clear();
    }
    this.dirty.clear();
  }

  private keep(walk: NodeBlocks): NodeBlocks {
    this.walks.set(`${walk.nodeKey}/${walk.lineageKey}`, walk);
    const siblings = this.lineages.get(walk.lineageKey);
    if (siblings) siblings.push(walk);
    else this.lineages.set(walk.lineageKey, [walk]);
    return walk;
  }

  /** True: the block was not recorded before. */
  private record(walk: NodeBlocks, { height, recorded }: BlockFact): boolean {
    if (!recorded || walk.blocks.has(height)) return false;
    const { isChainStart, ...block } = recorded;
    walk.blocks.set(height, { ...block, ...NOT_INCLUDED });
    if (height > walk.lastHeight) walk.lastHeight = height;
    if (height < walk.firstHeight) Object.assign(walk, startWalk(height, isChainStart));
    return true;
  }

  private include(
    walk: NodeBlocks,
    fact: BlockFact,
    { position, isNew }: { position: bigint; isNew: boolean },
    included: IncludedAt[],
  ): void {
    const block = walk.blocks.get(fact.height);
    if (!block) return;
    const { height } = fact;
    let isNews = false;
    const includedPosition = isNew ? null : position;
    if (fact.headerDaHeight !== null && block.headerDaHeight === null) {
      block.headerDaHeight = fact.headerDaHeight;
      block.headerIncludedPosition = includedPosition;
      isNews = true;
      const blob = { height, bytes: block.headerBlobBytes, timeNs: block.timeNs };
      included.push({ kind: 'HEADER', daHeight: fact.headerDaHeight, blob });
    }
    if (fact.dataDaHeight !== null && block.dataDaHeight === null) {
      block.dataDaHeight = fact.dataDaHeight;
      block.dataIncludedPosition = includedPosition;
      isNews = true;
      const blob = { height, bytes: block.dataBlobBytes, timeNs: block.timeNs };
      if (block.hasData) included.push({ kind: 'DATA', daHeight: fact.dataDaHeight, blob });
    }
    if (!isNews || includedPosition === null) return;
    const { nodeKey, lineageKey } = walk;
    this.late.set(block, { ...block, nodeKey, lineageKey, height });
  }
}

/** Walks on over the blocks at hand, and over as many recorded earlier as there are, a part of them in memory at a time. */
async function goOn(walk: NodeBlocks, query: Query): Promise<void> {
  advanceWalk(walk, (height) => walk.blocks.get(height));
  while (walk.cuts.has(walk.frontier)) {
    const run = await loadRun(walk, query);
    advanceWalk(walk, (height) => walk.blocks.get(height) ?? run.get(height));
  }
}

function newWalk(fact: RecordFact & BlocksFact, first: BlockFact): NodeBlocks {
  const { nodeKey, lineageKey } = fact;
  const walk = startWalk(first.height, first.recorded?.isChainStart ?? false);
  return { ...walk, nodeKey, lineageKey, lastHeight: first.height, blocks: new Map(), cuts: new Set() };
}

function toWalk(row: Readonly<InclusionWalkEntity>): NodeBlocks {
  return {
    ...row,
    gaps: readRanges(row.gaps).flatMap(({ from, to }) => (to === null ? [] : [{ from, to }])),
    headerHoles: readRanges(row.headerHoles),
    dataHoles: readRanges(row.dataHoles),
    blocks: new Map(),
    cuts: new Set(),
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
