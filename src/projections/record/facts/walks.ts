import { entryOf } from '../../../domain/collections.js';
import type { IncludedBlob } from '../../../domain/evidence/blob-segments.js';
import {
  type InclusionWalk,
  addGap,
  advanceWalk,
  fillGap,
  lowerWalk,
  startWalk,
  type BlobKind,
  type DaGap,
} from '../../../domain/evidence/inclusion-walk.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { InclusionWalkEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import type { BlockFact, NewBlock } from './blocks.js';
import type { DecodedEvent } from './decode.js';
import type { EventFacts } from './facts.js';
import { toChainId, type LineageBook } from './chains.js';
import type { NodeBook } from './nodes.js';
import { loadBlocks, loadRun, type WalkBlock, type NodeBlocks } from './walk-blocks.js';

/** A blob, with the event that first showed its DA height. */
export interface ShownBlob extends IncludedBlob {
  readonly position: bigint;
}

/** A blob whose DA height a block reported. */
export interface IncludedAt {
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly blob: ShownBlob;
}

const SIDES = [
  {
    kind: 'HEADER',
    daHeight: 'headerDaHeight',
    bytes: 'headerBlobBytes',
    includedPosition: 'headerIncludedPosition',
  },
  {
    kind: 'DATA',
    daHeight: 'dataDaHeight',
    bytes: 'dataBlobBytes',
    includedPosition: 'dataIncludedPosition',
  },
] as const;

export interface WalkChange {
  readonly before: InclusionWalk;
  readonly after: InclusionWalk;
}

/** The DA heights that an event newly shows, and the walk before and after it, if there is one. */
export interface Walked {
  readonly included: readonly IncludedAt[];
  readonly change?: WalkChange;
  /** Whether the node shows the lineage for the first time. */
  readonly isFirst?: boolean;
}

const NOTHING_SHOWN: Walked = { included: [] };

/** The walks of all nodes through their blocks, and the changes by late inclusions. */
export class WalkBook {
  private readonly walks = new Map<string, NodeBlocks>();
  private readonly lineages = new Map<number, NodeBlocks[]>();
  private readonly nodes = new Map<number, NodeBlocks[]>();
  private readonly dirty = new Set<NodeBlocks>();
  private readonly holding = new Set<NodeBlocks>();
  private readonly late = new Set<WalkBlock>();

  static async load(query: Query): Promise<WalkBook> {
    const book = new WalkBook();
    const rows = await readRows(query, InclusionWalkEntity, 'ORDER BY node_key, lineage_key');
    for (const row of rows) book.keep(toWalk(row));
    return book;
  }

  find(nodeKey: number, lineageKey: number): NodeBlocks | undefined {
    return this.walks.get(`${nodeKey}/${lineageKey}`);
  }

  ofLineage(lineageKey: number): readonly NodeBlocks[] {
    return this.lineages.get(lineageKey) ?? [];
  }

  ofNode(nodeKey: number): readonly NodeBlocks[] {
    return this.nodes.get(nodeKey) ?? [];
  }

  /** Loads the recorded blocks that these events mention, and the blocks right after them, at which walks may have stopped. */
  async prepare(
    events: readonly DecodedEvent[],
    { nodes, lineages }: { readonly nodes: NodeBook; readonly lineages: LineageBook },
    query: Query,
  ): Promise<void> {
    for (const { blocks } of this.holding) blocks.clear();
    this.holding.clear();
    const wanted = new Map<NodeBlocks, Set<bigint>>();
    for (const { event, blocks, inclusions, unavailable } of events) {
      if (!('lineage' in event.body)) continue;
      const node = nodes.find(event.stream);
      const lineageKey = lineages.find(toChainId(event.body.chain), event.body.lineage);
      // For a walk that begins in this batch nothing is recorded yet.
      const walk = node && lineageKey !== undefined && this.find(node.nodeKey, lineageKey);
      if (!walk) continue;
      const heights = entryOf(wanted, walk, () => new Set());
      if (unavailable) heights.add(unavailable.to + 1n);
      for (const { header } of blocks) heights.add(header.height).add(header.height + 1n);
      for (const { height } of inclusions) heights.add(height).add(height + 1n);
    }
    for (const block of await loadBlocks(wanted, query)) {
      const walk = this.find(block.nodeKey, block.lineageKey);
      if (!walk) continue;
      this.holding.add(walk);
      walk.blocks.set(block.height, block);
    }
  }

  async apply({ nodeKey, position, fact }: EventFacts, query: Query): Promise<Walked> {
    if (fact?.type !== 'blocks' && fact?.type !== 'unavailable') return NOTHING_SHOWN;
    const fresh = fact.type === 'blocks' ? fact.blocks.filter(isNew).sort(byHeight) : [];
    const [first] = fresh;
    const known = this.find(nodeKey, fact.lineageKey);
    if (!known && !first) return NOTHING_SHOWN;
    const before = known && { ...known };
    const walk = known ?? this.keep(newWalk(first as NewBlock));
    this.touch(walk);
    const included: IncludedAt[] = [];
    const lower = fresh.map(({ height }) => height).filter((height) => height < walk.firstHeight);
    if (first && lower.length > 0) lowerWalk(walk, lower, isChainStart(first));
    if (fact.type === 'unavailable') addGap(walk, fact);
    else this.takeAll(walk, fact.blocks, position, included);
    await goOn(walk, query);
    const change = { before: before ?? startWalk(walk.firstHeight, false), after: walk };
    return { included, change, isFirst: !known };
  }

  /** Stored blocks whose DA heights this batch showed, in their state after it. */
  takeLate(): WalkBlock[] {
    const late = [...this.late];
    this.late.clear();
    return late;
  }

  /** Writes the walks; call it after new blocks are inserted. */
  async write(query: Query): Promise<void> {
    await upsertRows(query, InclusionWalkEntity, [...this.dirty].map(toRow));
    const stored: Pick<WalkBlock, 'isStored'> = { isStored: true };
    for (const { blocks } of this.dirty) for (const block of blocks.values()) Object.assign(block, stored);
    this.dirty.clear();
  }

  private touch(walk: NodeBlocks): void {
    this.dirty.add(walk);
    this.holding.add(walk);
  }

  private keep(walk: NodeBlocks): NodeBlocks {
    this.walks.set(`${walk.nodeKey}/${walk.lineageKey}`, walk);
    entryOf(this.lineages, walk.lineageKey, () => []).push(walk);
    entryOf(this.nodes, walk.nodeKey, () => []).push(walk);
    return walk;
  }

  private takeAll(
    walk: NodeBlocks,
    blocks: readonly BlockFact[],
    position: bigint,
    included: IncludedAt[],
  ): void {
    for (const block of blocks) this.take(walk, block, position, included);
    for (const { height } of blocks) {
      const block = walk.blocks.get(height);
      if (block) fillGap(walk, height, block);
    }
  }

  /** Notes a block and the DA heights it newly shows. */
  private take(walk: NodeBlocks, fact: BlockFact, position: bigint, included: IncludedAt[]): void {
    const known = walk.blocks.get(fact.height);
    if (!known && isNew(fact)) record(walk, fact);
    const block = known ?? (isNew(fact) ? fact : undefined);
    if (!block) return;
    for (const side of SIDES) {
      const daHeight = fact[side.daHeight];
      if (daHeight === null || (known && known[side.daHeight] !== null)) continue;
      if (known) {
        known[side.daHeight] = daHeight;
        known[side.includedPosition] = position;
        if (known.isStored) this.late.add(known);
      }
      if (side.kind === 'DATA' && block.txCount === 0) continue;
      const blob = { height: block.height, bytes: block[side.bytes], timeNs: block.timeNs, position };
      included.push({ kind: side.kind, daHeight, blob });
    }
  }
}

function isNew(fact: BlockFact): fact is NewBlock {
  return 'timeNs' in fact;
}

function record(walk: NodeBlocks, block: NewBlock): void {
  walk.blocks.set(block.height, block);
  walk.recorded = (walk.recorded ?? 0n) + 1n;
  if (block.height > walk.lastHeight) walk.lastHeight = block.height;
}

function byHeight(a: NewBlock, b: NewBlock): number {
  return a.height < b.height ? -1 : Number(a.height > b.height);
}

/** The first block of a chain names no previous block, or zeros. */
function isChainStart({ height, lastHeaderHash }: NewBlock): boolean {
  return height === 1n || /^0*$/.test(lastHeaderHash ?? '');
}

/** Continues the walk over the blocks in memory, and over those recorded earlier, which it loads in parts. */
async function goOn(walk: NodeBlocks, query: Query): Promise<void> {
  let run: ReadonlyMap<bigint, WalkBlock> = new Map();
  while (advanceWalk(walk, (height) => walk.blocks.get(height) ?? run.get(height))) {
    const next = walk.frontier + 1n;
    if (next > walk.lastHeight || walk.blocks.has(next)) return;
    run = await loadRun(walk, query);
  }
}

function newWalk(first: NewBlock): NodeBlocks {
  const { nodeKey, lineageKey, height } = first;
  return {
    ...startWalk(height, isChainStart(first)),
    nodeKey,
    lineageKey,
    lastHeight: height,
    recorded: 0n,
    blocks: new Map(),
  };
}

function toWalk({
  headerFrom,
  headerTo,
  dataFrom,
  dataTo,
  ...row
}: Readonly<InclusionWalkEntity>): NodeBlocks {
  const gaps = readRanges(row.gaps).flatMap(({ from, to }) => (to === null ? [] : [{ from, to }]));
  const lines = {
    HEADER: { from: headerFrom, to: headerTo, holes: readHoles(row.headerHoles, row.headerHoleHeights) },
    DATA: { from: dataFrom, to: dataTo, holes: readHoles(row.dataHoles, row.dataHoleHeights) },
  };
  return { ...row, gaps, lines, blocks: new Map() };
}

function toRow({ lines: { HEADER, DATA }, ...walk }: NodeBlocks): InclusionWalkEntity {
  return {
    ...walk,
    headerFrom: HEADER.from,
    headerTo: HEADER.to,
    dataFrom: DATA.from,
    dataTo: DATA.to,
    gaps: writeRanges(walk.gaps),
    headerHoles: writeRanges(HEADER.holes),
    dataHoles: writeRanges(DATA.holes),
    headerHoleHeights: writeRanges(HEADER.holes.map(({ first, last }) => ({ from: first, to: last }))),
    dataHoleHeights: writeRanges(DATA.holes.map(({ first, last }) => ({ from: first, to: last }))),
  };
}

/** A gap's block heights have the same index as its DA heights. */
function readHoles(daHeights: string, heights: string | null): DaGap[] {
  const places = readRanges(heights ?? '');
  return readRanges(daHeights).map((hole, index) => {
    const { from: first, to: last } = places[index] ?? { from: 0n, to: null };
    return { ...hole, first, last };
  });
}

type OpenRange = Pick<DaGap, 'from' | 'to'>;

function writeRanges(ranges: readonly OpenRange[]): string {
  return `{${ranges.map(({ from, to }) => `[${from},${to === null ? '' : to + 1n})`).join(',')}}`;
}

function readRanges(text: string): OpenRange[] {
  return [...text.matchAll(/\[(\d+),(\d*)\)/g)].map(([, from = '0', end = '']) => ({
    from: BigInt(from),
    to: end === '' ? null : BigInt(end) - 1n,
  }));
}
