import { readHeight, readHeightRange, readInteger, toEstimate } from '../../../src/domain/bounds.js';
import { boundBlock } from '../../../src/domain/blocks/bound-block.js';
import { unpackBlocks } from '../../../src/domain/blocks/block-facts.js';
import type { Looks, RecordedEvent } from '../../../src/domain/events.js';
import { digestOfRow } from '../../../src/domain/submissions/row-digest.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../../src/domain/submissions/submission-row.js';

/** A row of a node's list, as it stands in the log. */
export interface KnownRow {
  readonly node: string;
  readonly sequence: number;
  readonly position: bigint;
  readonly row: SubmissionRow;
  /** Equal for the same row however it is written. */
  readonly digest: bigint;
}

/** What a node showed of a block: DA heights are null while none is shown, sizes under an unknown scheme. */
export interface KnownBlock {
  readonly height: bigint;
  /** It is of height 1, or names no block before it: nothing of its chain can be missing below. */
  readonly isFirst: boolean;
  readonly hasData: boolean;
  readonly headerBytes: number | null;
  readonly dataBytes: number | null;
  headerDa: bigint | null;
  dataDa: bigint | null;
  /** When it was first shown where they are, and last where any is; milliseconds of the observer's clock. */
  headerSeenAt: number | null;
  dataSeenAt: number | null;
  pointedAt: number;
}

/** The blocks of one history of a chain that one node showed. */
export interface KnownBlocks {
  readonly node: string;
  readonly lineage: string;
  readonly blocks: Map<bigint, KnownBlock>;
  /** Heights that cannot be had, in the order in which that was said. */
  readonly missing: { readonly from: bigint; readonly to: bigint }[];
  /** A block was shown with two DA heights, or again in another form. */
  isDisputed: boolean;
}

export interface KnownLoss {
  readonly node: string;
  readonly position: bigint;
  readonly kind: 'OVERFLOW' | 'RESET' | 'AMBIGUOUS' | 'BEFORE_START';
  readonly after: number;
  readonly minLost: bigint;
  readonly maxLost: bigint | null;
}

export interface KnownNode {
  readonly id: string;
  /** Chains that it named, or its settings, or its blocks; an undefined lineage is one of those that the chain has. */
  readonly chains: {
    readonly position: bigint;
    readonly chain: string;
    readonly lineage?: string;
    readonly by: 'SETTINGS' | 'NODE' | 'BLOCKS';
  }[];
  readonly namespaces: {
    readonly position: bigint;
    /** Milliseconds of the observer's clock. */
    readonly at: number;
    readonly header: string | null;
    readonly data: string | null;
  }[];
  readonly rows: KnownRow[];
  /** The last look at its list of which all is recorded, milliseconds of the observer's clock. */
  listSeenAt: number | null;
  listState: string | null;
  isRetired: boolean;
}

/** All that a log says, gathered and not judged. */
export interface KnownLog {
  readonly end: bigint;
  readonly nodes: ReadonlyMap<string, KnownNode>;
  readonly losses: readonly KnownLoss[];
  readonly blocks: readonly KnownBlocks[];
  /** By chain its histories: those that were opened, and those of which blocks were shown. */
  readonly lineages: ReadonlyMap<string, ReadonlySet<string>>;
}

export function readLog(log: readonly RecordedEvent[]): KnownLog {
  const reader = new LogReader();
  for (const event of log) reader.read(event);
  const { nodes, losses, lineages } = reader;
  return { end: log.at(-1)?.position ?? 0n, nodes, losses, lineages, blocks: [...reader.blocks.values()] };
}

const LOSS_KINDS = {
  SubmissionWindowLost: 'OVERFLOW',
  SubmissionRingReset: 'RESET',
  SubmissionOverlapAmbiguous: 'AMBIGUOUS',
  SubmissionHistoryMissing: 'BEFORE_START',
} as const;

class LogReader {
  readonly nodes = new Map<string, KnownNode>();
  readonly losses: KnownLoss[] = [];
  readonly blocks = new Map<string, KnownBlocks>();
  readonly lineages = new Map<string, Set<string>>();

  read(event: RecordedEvent): void {
    const { position, stream } = event;
    const owner = stream.slice(0, stream.lastIndexOf('/'));
    if (event.type === 'ChainLineageOpened') {
      this.open(owner, event.body.n);
      return;
    }
    if (!/\/(node|submissions|blocks)$/.test(stream)) return;
    const node = this.nodeOf(owner);
    switch (event.type) {
      case 'NodeRegistered':
      case 'NodeSettingsChanged':
        node.isRetired = false;
        if (event.body.chain) node.chains.push({ position, chain: event.body.chain, by: 'SETTINGS' });
        return;
      case 'NodeRetired':
        node.isRetired = true;
        return;
      case 'NodeDescribed': {
        const { chain, headerNamespace: header, dataNamespace: data } = event.body;
        if (chain) node.chains.push({ position, chain, by: 'NODE' });
        node.namespaces.push({ position, at: Number(event.observedAt / 1_000n), header, data });
        return;
      }
      case 'NodeWatched':
        if (node.listState === null || node.listState === 'AVAILABLE')
          noteLook(node, event.body.looks.submissions);
        return;
      case 'SubmissionSourceChanged':
        node.listState = event.body.state;
        return;
      case 'SubmissionsObserved':
        event.body.rows.forEach((text, index) =>
          node.rows.push({
            node: owner,
            sequence: event.body.firstSequence + index,
            position,
            row: decodeSubmissionRow(text),
            digest: digestOfRow(text),
          }),
        );
        noteLook(node, event.body.looks);
        return;
      case 'SubmissionWindowLost':
      case 'SubmissionRingReset':
      case 'SubmissionOverlapAmbiguous':
      case 'SubmissionHistoryMissing': {
        const { after } = event.body;
        // What cannot be a number of rows says nothing.
        const minLost = toEstimate(event.body.minLost) ?? 0n;
        const maxLost = toEstimate(event.body.maxLost);
        this.losses.push({ node: owner, position, kind: LOSS_KINDS[event.type], after, minLost, maxLost });
        return;
      }
      case 'BlocksObserved':
      case 'BlockInclusionObserved':
      case 'BlockUnreadable':
      case 'BlocksPruned':
        this.readBlocks(node, event);
        return;
      default:
    }
  }

  private readBlocks(
    node: KnownNode,
    event: Extract<
      RecordedEvent,
      { type: 'BlocksObserved' | 'BlockInclusionObserved' | 'BlockUnreadable' | 'BlocksPruned' }
    >,
  ): void {
    const { chain, lineage: n } = event.body;
    const lineage = this.open(chain, n);
    const at = Number(event.observedAt / 1_000n);
    const known = this.blocksOf(node.id, lineage);
    switch (event.type) {
      case 'BlocksObserved':
        node.chains.push({ position: event.position, chain, lineage, by: 'BLOCKS' });
        for (const block of unpackBlocks(event.body).flatMap(boundBlock)) {
          const { height } = block.header;
          if (known.blocks.has(height)) known.isDisputed = true;
          const hasData = block.txCount > 0;
          known.blocks.set(height, {
            height,
            isFirst: height === 1n || /^0*$/.test(block.header.lastHeaderHash),
            hasData,
            headerBytes: block.headerBlobBytes,
            dataBytes: block.dataBlobBytes,
            headerDa: block.headerDaHeight,
            dataDa: hasData ? block.dataDaHeight : null,
            headerSeenAt: block.headerDaHeight === null ? null : at,
            dataSeenAt: block.dataDaHeight === null ? null : at,
            pointedAt: at,
          });
        }
        return;
      case 'BlockInclusionObserved':
        for (const [height, header, data] of event.body.heights) {
          const block = known.blocks.get(readInteger(height) ?? 0n);
          if (!block) continue;
          const [headerDa, dataDa] = [readHeight(header), block.hasData ? readHeight(data) : null];
          if (block.headerDa !== null && headerDa !== null && block.headerDa !== headerDa)
            known.isDisputed = true;
          if (block.dataDa !== null && dataDa !== null && block.dataDa !== dataDa) known.isDisputed = true;
          block.headerDa ??= headerDa;
          block.dataDa ??= dataDa;
          if (block.headerDa !== null) block.headerSeenAt ??= at;
          if (block.dataDa !== null) block.dataSeenAt ??= at;
          block.pointedAt = at;
        }
        return;
      default: {
        const [from, to] =
          event.type === 'BlocksPruned'
            ? [event.body.from, event.body.to]
            : [event.body.height, event.body.height];
        const range = readHeightRange(from, to);
        if (range) known.missing.push(range);
      }
    }
  }

  private nodeOf(id: string): KnownNode {
    let node = this.nodes.get(id);
    if (!node) {
      node = {
        id,
        chains: [],
        namespaces: [],
        rows: [],
        listSeenAt: null,
        listState: null,
        isRetired: false,
      };
      this.nodes.set(id, node);
    }
    return node;
  }

  private blocksOf(node: string, lineage: string): KnownBlocks {
    const key = `${node} ${lineage}`;
    const known = this.blocks.get(key) ?? {
      node,
      lineage,
      blocks: new Map(),
      missing: [],
      isDisputed: false,
    };
    this.blocks.set(key, known);
    return known;
  }

  private open(chain: string, n: number): string {
    const lineage = `${chain}/${n}`;
    const known = this.lineages.get(chain) ?? new Set();
    this.lineages.set(chain, known.add(lineage));
    return lineage;
  }
}

function noteLook(node: KnownNode, looks: Looks | undefined): void {
  if (looks && looks.last > (node.listSeenAt ?? -Infinity)) node.listSeenAt = looks.last;
}
