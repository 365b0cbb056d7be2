import type { IncludedBlob } from '../../domain/evidence/blob-segments.js';
import {
  addGap,
  advanceWalk,
  startWalk,
  type BlobKind,
  type Hole,
} from '../../domain/evidence/inclusion-walk.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import type { LateInclusion } from './record-blocks.js';
import type { BlockFact, BlocksFact, RecordFact } from './record-facts.js';
import { toKnownBlock, WantedBlocks, type KnownBlock, type NodeBlocks } from './record-walk-blocks.js';

/** A blob that a block was seen to point to a DA height for. */
export interface IncludedAt {
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly blob: IncludedBlob;
}

const WALK_COLUMNS = [
  column('node_key', 'int4', (walk: NodeBlocks) => walk.nodeKey),
  column('lineage_key', 'int4', (walk: NodeBlocks) => walk.lineageKey),
  column('first_height', 'int8', (walk: NodeBlocks) => walk.firstHeight),
  column('last_height', 'int8', (walk: NodeBlocks) => walk.lastHeight),
  column('from_start', 'bool', (walk: NodeBlocks) => walk.fromStart),
  column('frontier', 'int8', (walk: NodeBlocks) => walk.frontier),
  column('header_from', 'int8', (walk: NodeBlocks) => walk.headerFrom),
  column('header_to', 'int8', (walk: NodeBlocks) => walk.headerTo),
  column('data_from', 'int8', (walk: NodeBlocks) => walk.dataFrom),
  column('data_to', 'int8', (walk: NodeBlocks) => walk.dataTo),
  column('gaps', 'int8multirange', (walk: NodeBlocks) => writeRanges(walk.gaps)),
  column('header_holes', 'int8multirange', (walk: NodeBlocks) => writeRanges(walk.headerHoles)),
  column('data_holes', 'int8multirange', (walk: NodeBlocks) => writeRanges(walk.dataHoles)),
];
const WALK_CHANGES = WALK_COLUMNS.slice(2)
  .map(({ name }) => `${name} = excluded.${name}`)
  .join(', ');
/** The walks of all nodes through their blocks, and what late inclusions change. */
export class WalkBook {
  private readonly walks = new Map<string, NodeBlocks>();
  private readonly lineages = new Map<number, NodeBlocks[]>();
  private readonly dirty = new Set<NodeBlocks>();
  private readonly late = new Map<KnownBlock, LateInclusion>();

  static async load(query: Query): Promise<WalkBook> {
    const book = new WalkBook();
    const rows = await query<Record<string, string | number | boolean | null>>(
      'SELECT * FROM inclusion_walk ORDER BY node_key, lineage_key',
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
    for (const walk of this.dirty) walk.blocks.clear();
    this.dirty.clear();
    const wanted = new WantedBlocks();
    for (const fact of facts) {
      if (fact.type !== 'blocks' && fact.type !== 'gap') continue;
      const walk = this.find(fact.nodeKey, fact.lineageKey);
      // Of a walk that begins in this batch nothing is recorded yet.
      if (!walk) continue;
      if (fact.type === 'blocks') wanted.addBlocks(walk, fact);
      else wanted.addGap(walk, fact);
    }
    for (const rows of await wanted.load(query)) {
      const walk = this.find(rows.node_key, rows.lineage_key);
      if (!walk) continue;
      this.dirty.add(walk);
      walk.blocks.set(BigInt(rows.height), toKnownBlock(rows));
    }
  }

  /** Applies a fact; what it newly shows, and whether the node's walk moved. */
  apply(fact: RecordFact & BlocksFact): { included: IncludedAt[]; hasMoved: boolean } {
    const first = fact.blocks.find(({ recorded }) => recorded);
    const known = this.find(fact.nodeKey, fact.lineageKey);
    if (!known && !first) return { included: [], hasMoved: false };
    const walk = known ?? this.keep(newWalk(fact, first as BlockFact));
    this.dirty.add(walk);
    const included: IncludedAt[] = [];
    for (const block of fact.blocks) {
      const isNew = this.record(walk, block);
      this.include(walk, block, { position: fact.position, isNew }, included);
    }
    return { included, hasMoved: advanceWalk(walk, (height) => walk.blocks.get(height)) };
  }

  /** True: the node's walk moved over what it waited for. */
  applyGap(fact: RecordFact & { type: 'gap' }): boolean {
    const walk = this.find(fact.nodeKey, fact.lineageKey);
    if (!walk) return false;
    this.dirty.add(walk);
    addGap(walk, fact);
    return advanceWalk(walk, (height) => walk.blocks.get(height));
  }

  /** Late inclusions of this batch, as the blocks stand after it. */
  takeLate(): LateInclusion[] {
    const late = [...this.late.values()];
    this.late.clear();
    return late;
  }

  async write(query: Query): Promise<void> {
    if (this.dirty.size === 0) return;
    const walks = unnestRows(WALK_COLUMNS, [...this.dirty]);
    await query(
      `INSERT INTO inclusion_walk (${walks.names}) SELECT * FROM ${walks.sql}
       ON CONFLICT (node_key, lineage_key) DO UPDATE SET ${WALK_CHANGES}`,
      walks.parameters,
    );
    for (const walk of this.dirty) walk.blocks.clear();
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
    const { timeNs, hasData, headerBytes, dataBytes, isChainStart } = recorded;
    walk.blocks.set(height, {
      timeNs,
      hasData,
      headerBytes,
      dataBytes,
      headerDaHeight: null,
      dataDaHeight: null,
    });
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
    if (fact.headerDaHeight !== null && block.headerDaHeight === null) {
      block.headerDaHeight = fact.headerDaHeight;
      isNews = true;
      const blob = { height, bytes: block.headerBytes, timeNs: block.timeNs };
      included.push({ kind: 'HEADER', daHeight: fact.headerDaHeight, blob });
    }
    if (fact.dataDaHeight !== null && block.dataDaHeight === null) {
      block.dataDaHeight = fact.dataDaHeight;
      isNews = true;
      const blob = { height, bytes: block.dataBytes, timeNs: block.timeNs };
      if (block.hasData) included.push({ kind: 'DATA', daHeight: fact.dataDaHeight, blob });
    }
    if (!isNews || isNew) return;
    const { timeNs, headerDaHeight, dataDaHeight } = block;
    const { nodeKey, lineageKey } = walk;
    this.late.set(block, { nodeKey, lineageKey, height, timeNs, headerDaHeight, dataDaHeight, position });
  }
}

function newWalk(fact: RecordFact & BlocksFact, first: BlockFact): NodeBlocks {
  const { nodeKey, lineageKey } = fact;
  const walk = startWalk(first.height, first.recorded?.isChainStart ?? false);
  return { ...walk, nodeKey, lineageKey, lastHeight: first.height, blocks: new Map() };
}

function toWalk(row: Record<string, string | number | boolean | null>): NodeBlocks {
  const integer = (name: string) => (row[name] === null ? null : BigInt(row[name] as string));
  return {
    nodeKey: row['node_key'] as number,
    lineageKey: row['lineage_key'] as number,
    firstHeight: integer('first_height') ?? 0n,
    lastHeight: integer('last_height') ?? 0n,
    fromStart: row['from_start'] as boolean,
    frontier: integer('frontier') ?? 0n,
    headerFrom: integer('header_from'),
    headerTo: integer('header_to'),
    dataFrom: integer('data_from'),
    dataTo: integer('data_to'),
    gaps: readRanges(row['gaps'] as string).flatMap(({ from, to }) => (to === null ? [] : [{ from, to }])),
    headerHoles: readRanges(row['header_holes'] as string),
    dataHoles: readRanges(row['data_holes'] as string),
    blocks: new Map(),
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
