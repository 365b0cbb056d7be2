import { readHeight, readHeightRange, readInteger, toEstimate } from '../../../src/domain/bounds.js';
import { boundBlock } from '../../../src/projections/record/facts/decode.js';
import { unpackBlocks } from '../../../src/domain/blocks/block-facts.js';
import { ownerOf, type Polls, type RecordedEvent, type SourceState } from '../../../src/domain/events.js';
import type { BlobKind, HeightSpan } from '../../../src/domain/evidence/inclusion-walk.js';
import { placeTime } from '../../../src/projections/record/facts/submissions.js';
import { digestOfRow } from '../../../src/domain/submissions/recorded-row.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../../src/domain/submissions/submission-row.js';

/** A row of a list, as the log has it. */
export interface KnownRow {
  readonly node: string;
  readonly sequence: number;
  readonly position: bigint;
  readonly row: SubmissionRow;
  readonly digest: bigint;
  /** Its earliest possible time, Unix microseconds: its own, or the time of its observation; null if its own is impossible. */
  readonly earliestAt: bigint | null;
}

/** A gap in a list, after the row `after`. */
export interface KnownLoss {
  readonly node: string;
  readonly position: bigint;
  readonly after: number;
  readonly minLost: bigint;
  readonly maxLost: bigint | null;
  /** The polls around it, in milliseconds of the observer's clock; null: there was no poll before it. */
  readonly from: number | null;
  readonly to: number;
}

/** The source that named a node's chain at a position; a block names its history as well. */
export interface Word {
  readonly position: bigint;
  readonly chain: string;
  readonly by: 'SETTINGS' | 'NODE' | 'BLOCKS';
  readonly history?: string;
}

/** Log entries of a node that affect the chain of its rows, in order. Times are those of the observer's clock. */
export type ChainItem = { readonly position: bigint } & (
  | { readonly by: 'SETTINGS'; readonly url: string; readonly chain: string | null }
  /** Older observers leave out `seen`. */
  | {
      readonly by: 'NODE';
      readonly at: number;
      readonly chain: string | null;
      readonly seen?: { readonly list: number; readonly since: number } | null;
    }
  | { readonly by: 'BLOCKS'; readonly at: number; readonly chain: string }
  /** A poll that showed a list; `seenBefore` is the last earlier poll whose rows are all recorded. */
  | {
      readonly by: 'LIST';
      readonly at: number;
      readonly list: number;
      readonly isEmptied: boolean;
      readonly seenBefore: number;
    }
);

export interface KnownNode {
  readonly id: string;
  readonly words: Word[];
  readonly items: ChainItem[];
  /** The chain that was named last: by the node, by its blocks, or by settings that changed the name. */
  chain: string | null;
  readonly namespaces: {
    readonly position: bigint;
    readonly header: string | null;
    readonly data: string | null;
  }[];
  isRetired: boolean;
  /** The number of rows of its list so far, and that number each time the node said that it does not submit. */
  rowCount: number;
  readonly followedAt: number[];
  /** The state of its list at the last poll, and since when; in milliseconds of the observer's clock. */
  state: SourceState | null;
  stateAt: number;
  /** The last poll of the list, and the last poll whose rows are all recorded. */
  lookedAt: number;
  seenAt: number;
}

/** A block as one node showed it. DA heights are null until shown; sizes are null for an unknown scheme. */
export interface KnownBlock {
  readonly height: bigint;
  readonly timeNs: bigint;
  readonly isChainStart: boolean;
  readonly hasData: boolean;
  readonly bytes: Readonly<Record<BlobKind, number | null>>;
  headerDaHeight: bigint | null;
  dataDaHeight: bigint | null;
  /** The time when each was first shown, in milliseconds of the observer's clock. */
  readonly shownAt: Record<BlobKind, number>;
}

/** The blocks of one history of a chain (`chain/n`) that one node showed. */
export interface KnownBlocks {
  readonly node: string;
  readonly history: string;
  readonly blocks: Map<bigint, KnownBlock>;
}

/** Cuts a chain's name to what a table can hold: at most 256 characters, without characters that Postgres rejects. */
function withStoredChain(event: RecordedEvent): RecordedEvent {
  if (!('chain' in event.body) || typeof event.body.chain !== 'string') return event;
  const chain = event.body.chain.slice(0, 256).replace(/[\0\p{Cs}]/gu, '\ufffd');
  return { ...event, body: { ...event.body, chain } } as RecordedEvent;
}

/** All facts of a log, without conclusions. */
export class KnownLog {
  readonly nodes = new Map<string, KnownNode>();
  readonly rows: KnownRow[] = [];
  readonly losses: KnownLoss[] = [];
  readonly shown: KnownBlocks[] = [];

  /** Reads the next event. Unavailable heights are reported to `gone`, heights with any shown content to `gave`. */
  read(
    logged: RecordedEvent,
    gone: (blocks: KnownBlocks, range: HeightSpan) => void = () => {},
    gave: (blocks: KnownBlocks, heights: readonly bigint[]) => void = () => {},
  ): void {
    const event = withStoredChain(logged);
    if (!/\/(node|submissions|blocks)$/.test(event.stream)) return;
    const node = this.nodeOf(ownerOf(event.stream));
    const { position } = event;
    const at = Number(event.observedAt / 1_000n);
    switch (event.type) {
      case 'NodeRegistered':
      case 'NodeSettingsChanged':
        node.isRetired = false;
        this.readSettings(node, event);
        return;
      case 'NodeRetired':
        node.isRetired = true;
        return;
      case 'NodeDescribed': {
        const { chain, headerNamespace, dataNamespace, seen } = event.body;
        const isOther = chain && node.chain !== null && node.chain !== chain;
        const before = isOther ? undefined : node.namespaces.at(-1);
        node.items.push({
          position,
          by: 'NODE',
          at,
          chain: chain || null,
          ...(seen !== undefined && { seen }),
        });
        if (chain) node.chain = chain;
        const header = toNamespace(headerNamespace) ?? before?.header ?? null;
        const data = toNamespace(dataNamespace) ?? before?.data ?? null;
        if (chain) node.words.push({ position, chain, by: 'NODE' });
        node.namespaces.push({ position, header, data });
        return;
      }
      case 'NodeWatched':
        notePoll(node, event.body.looks.submissions);
        return;
      case 'SubmissionSourceChanged':
        node.state = event.body.state;
        if (node.state === 'NOT_AGGREGATOR') node.followedAt.push(node.rowCount);
        node.stateAt = at;
        node.lookedAt = Math.max(node.lookedAt, at);
        return;
      case 'SubmissionsObserved':
        this.readRows(node, event);
        return;
      case 'SubmissionWindowLost':
      case 'SubmissionRingReset':
      case 'SubmissionOverlapAmbiguous':
      case 'SubmissionHistoryMissing': {
        const { after, from, to } = event.body;
        noteList(node, event);
        const minLost = toEstimate(event.body.minLost) ?? 0n;
        const maxLost = toEstimate(event.body.maxLost);
        this.losses.push({ node: node.id, position, after, minLost, maxLost, from, to });
        return;
      }
      case 'BlocksObserved': {
        const known = this.blocksOf(node, event.body);
        const { chain, looks } = event.body;
        node.words.push({ position, chain, by: 'BLOCKS', history: known.history });
        node.items.push({ position, by: 'BLOCKS', at: looks?.last ?? at, chain });
        node.chain = chain;
        const blocks = unpackBlocks(event.body).flatMap(boundBlock);
        for (const block of blocks) {
          const { height, timeNs, lastHeaderHash } = block.header;
          // The first content that a node showed of a block stays.
          if (!known.blocks.has(height))
            known.blocks.set(height, {
              height,
              timeNs,
              isChainStart: height === 1n || /^0*$/.test(lastHeaderHash),
              hasData: block.txCount > 0,
              bytes: { HEADER: block.headerBlobBytes, DATA: block.dataBlobBytes },
              headerDaHeight: null,
              dataDaHeight: null,
              shownAt: { HEADER: at, DATA: at },
            });
          include(known, height, { header: block.headerDaHeight, data: block.dataDaHeight, at });
        }
        gave(
          known,
          blocks.map(({ header }) => header.height),
        );
        return;
      }
      case 'BlockInclusionObserved': {
        const known = this.blocksOf(node, event.body);
        for (const [height, header, data] of event.body.heights)
          include(known, readInteger(height), { header: readHeight(header), data: readHeight(data), at });
        gave(
          known,
          event.body.heights.flatMap(([height]) => readHeight(height) ?? []),
        );
        return;
      }
      case 'BlockUnreadable':
      case 'BlocksPruned': {
        const { body } = event;
        const range =
          'from' in body
            ? readHeightRange(body.from, body.to)
            : readHeightRange(body.height, body.to ?? body.height);
        if (range) gone(this.blocksOf(node, body), range);
        return;
      }
      default:
    }
  }

  private readSettings(
    node: KnownNode,
    { position, body }: Extract<RecordedEvent, { type: 'NodeRegistered' | 'NodeSettingsChanged' }>,
  ): void {
    const before = node.items.findLast((item) => item.by === 'SETTINGS');
    const chain = body.chain || null;
    node.items.push({ position, by: 'SETTINGS', url: body.url, chain });
    if (chain === null) return;
    node.words.push({ position, chain, by: 'SETTINGS' });
    if (node.chain === null || chain !== before?.chain) node.chain = chain;
  }

  private readRows(node: KnownNode, event: Extract<RecordedEvent, { type: 'SubmissionsObserved' }>): void {
    const { rows, firstSequence, looks } = event.body;
    noteList(node, event);
    node.state = 'AVAILABLE';
    notePoll(node, looks);
    node.rowCount = Math.max(node.rowCount, firstSequence + rows.length - 1);
    rows.forEach((text, index) => {
      const row = decodeSubmissionRow(text);
      const { timeAt, isWild } = placeTime(row.occurredAt, event.observedAt, looks, true);
      this.rows.push({
        node: node.id,
        sequence: firstSequence + index,
        position: event.position,
        row,
        digest: digestOfRow(text),
        earliestAt: isWild ? null : timeAt < event.observedAt ? timeAt : event.observedAt,
      });
    });
  }

  private nodeOf(id: string): KnownNode {
    const known = this.nodes.get(id);
    if (known) return known;
    const list = { state: null, stateAt: 0, lookedAt: -Infinity, seenAt: -Infinity };
    const node: KnownNode = {
      id,
      words: [],
      items: [],
      chain: null,
      namespaces: [],
      isRetired: false,
      rowCount: 0,
      followedAt: [],
      ...list,
    };
    this.nodes.set(id, node);
    return node;
  }

  private blocksOf(node: KnownNode, { chain, lineage }: { chain: string; lineage: number }): KnownBlocks {
    const history = `${chain}/${lineage}`;
    const known = this.shown.find((each) => each.node === node.id && each.history === history);
    if (known) return known;
    const blocks = { node: node.id, history, blocks: new Map() };
    this.shown.push(blocks);
    return blocks;
  }
}

/** Text that cannot be a namespace is ignored. */
function toNamespace(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{58}$/.test(text) ? text : null;
}

export function chainOf(history: string): string {
  return history.slice(0, history.lastIndexOf('/'));
}

function noteList(
  node: KnownNode,
  { position, type, body }: Extract<RecordedEvent, { body: { source: number; looks: Polls } }>,
): void {
  const isEmptied = type === 'SubmissionRingReset';
  const list = Number.isSafeInteger(body.source) ? body.source : 0;
  const seen = { list, isEmptied, seenBefore: node.seenAt };
  node.items.push({ position, by: 'LIST', at: body.looks.last, ...seen });
}

function notePoll(node: KnownNode, looks: Polls | undefined): void {
  if (!looks) return;
  node.lookedAt = Math.max(node.lookedAt, looks.last);
  if (node.state === 'AVAILABLE') node.seenAt = Math.max(node.seenAt, looks.last);
}

function include(
  known: KnownBlocks,
  height: bigint | null,
  shown: { readonly header: bigint | null; readonly data: bigint | null; readonly at: number },
): void {
  const block = height === null ? undefined : known.blocks.get(height);
  if (!block) return;
  if (block.headerDaHeight === null && shown.header !== null) {
    block.headerDaHeight = shown.header;
    block.shownAt.HEADER = shown.at;
  }
  if (block.hasData && block.dataDaHeight === null && shown.data !== null) {
    block.dataDaHeight = shown.data;
    block.shownAt.DATA = shown.at;
  }
}
