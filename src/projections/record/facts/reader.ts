import { readHeight, readHeightRange, toMicros } from '../../../domain/bounds.js';
import type { BlockRecord } from '../../../domain/blocks/block.js';
import { ownerOf, type EventType, type RecordedEvent } from '../../../domain/events.js';
import type { SubmissionRow } from '../../../domain/submissions/submission-row.js';
import type { Micros } from '../../../domain/time.js';
import type { LossKind } from '../../../domain/submissions/loss-explanation.js';
import type { NodeEntity } from '../../../tables/record/node.entity.js';
import type { RecordMemory } from '../memory.js';
import type { BlockFact, RecordFact } from './facts.js';
import type { DecodedEvent, NodeEvent } from './decode.js';
import { BlockReader } from './blocks.js';
import { toChainId } from './chains.js';
import { describeNode, namedBy, noteProgress, seeNode, seeNodeAt } from './nodes.js';
import { toSubmissions, type SubmissionRecord } from './submissions.js';

/** To which chain a node belongs. */
type ChainMember = Pick<NodeEntity, 'chainId' | 'retired'>;
type Of<T extends EventType> = Extract<RecordedEvent, { type: T }>;

const LOSS_KINDS = {
  SubmissionHistoryMissing: 'BEFORE_START',
  SubmissionWindowLost: 'OVERFLOW',
  SubmissionRingReset: 'RESET',
  SubmissionOverlapAmbiguous: 'AMBIGUOUS',
} as const satisfies Partial<Record<EventType, LossKind>>;

/** Reads a batch of events, in the order of the log, into rows and into facts for what is decided from them. */
export class RecordReader {
  readonly submissions: SubmissionRecord[] = [];
  readonly facts: RecordFact[] = [];
  readonly blockReader: BlockReader;

  constructor(private readonly memory: RecordMemory) {
    this.blockReader = new BlockReader(memory);
  }

  read({ event, rows, blocks }: DecodedEvent): void {
    switch (event.type) {
      case 'NodeRegistered':
      case 'NodeSettingsChanged':
      case 'NodeRetired':
      case 'NodeDescribed':
      case 'NodeWatched':
        return this.readNode(event);
      case 'SubmissionsObserved':
        return this.readRows(event, rows);
      case 'SubmissionWindowLost':
      case 'SubmissionRingReset':
      case 'SubmissionOverlapAmbiguous':
      case 'SubmissionHistoryMissing':
        return this.readLoss(event);
      case 'SubmissionSourceChanged':
        return this.readSource(event);
      case 'ChainLineageOpened':
        this.memory.lineages.keyOf(toChainId(ownerOf(event.stream)), event.body.n, event.position);
        return;
      case 'BlocksObserved':
        return this.readBlocks(event, blocks);
      case 'BlockInclusionObserved':
        return this.readInclusion(event);
      case 'BlockUnreadable':
        return this.readGap(event, event.body.height, event.body.height);
      case 'BlocksPruned':
        return this.readGap(event, event.body.from, event.body.to);
      case 'NodeProgressObserved':
        seeNode(this.nodeOf(event), event, event.body.looks);
        return noteProgress(this.nodeOf(event), event.body);
      case 'ProbeChanged':
        if (event.body.outcome === 'OK') this.seen(event, event.observedAt);
        return;
      case 'ProbesSummarised': {
        const { reachable } = event.body.probes;
        if (reachable && reachable.ok > 0 && reachable.failed === 0)
          this.seen(event, toMicros(event.body.to));
        return;
      }
      case 'SubmissionRingSwitched':
      case 'DaHealthClaimed':
      case 'DaStatsClaimed':
        seeNode(this.nodeOf(event), event, event.body.looks);
        return;
      case 'ServiceClaimed':
        return;
      default:
        event satisfies never;
    }
  }

  private readNode(event: NodeEvent): void {
    const node = this.nodeOf(event);
    const { chainId, retired, headerNamespace, dataNamespace } = node;
    describeNode(node, event);
    this.noteChain(node, { chainId, retired }, event);
    if (node.headerNamespace !== headerNamespace || node.dataNamespace !== dataNamespace) {
      const keyOf = (namespace: string | null) =>
        namespace === null ? null : this.memory.namespaceKeys.keyOf({ namespace });
      const told = { headerNamespace: keyOf(node.headerNamespace), dataNamespace: keyOf(node.dataNamespace) };
      this.facts.push({ type: 'described', ...told, ...originOf(event, node) });
    }
    if (event.type === 'NodeWatched' && event.body.looks.submissions) {
      this.facts.push({ type: 'quiet', ...originOf(event, node, event.body.looks.submissions.last) });
    }
  }

  private readRows(event: Of<'SubmissionsObserved'>, rows: readonly SubmissionRow[]): void {
    const node = this.nodeOf(event);
    seeNode(node, event, event.body.looks);
    node.listState = 'AVAILABLE';
    const submissions = toSubmissions(event, rows, node, this.lineageOf(node), this.memory);
    for (const submission of submissions) this.submissions.push(submission);
    this.facts.push({ type: 'rows', rows: submissions, ...originOf(event, node, event.body.looks.last) });
  }

  private readLoss(event: Of<keyof typeof LOSS_KINDS>): void {
    const node = this.nodeOf(event);
    seeNode(node, event, event.body.looks);
    const kind = LOSS_KINDS[event.type];
    // What came before the first contact belongs to no run.
    if (kind !== 'BEFORE_START') this.memory.runs.clear(node.nodeKey);
    this.facts.push({
      type: 'loss',
      kind,
      loss: event.body,
      ...originOf(event, node, event.body.looks.last),
    });
  }

  private readSource(event: Of<'SubmissionSourceChanged'>): void {
    const node = this.nodeOf(event);
    const { state, looks } = event.body;
    node.listState = state;
    if (state !== 'UNREACHABLE') seeNode(node, event, looks);
    this.facts.push({ type: 'list', state, ...originOf(event, node) });
  }

  private readBlocks(event: Of<'BlocksObserved'>, blocks: readonly BlockRecord[]): void {
    const node = this.nodeOf(event);
    seeNode(node, event, event.body.looks);
    const lineageKey = this.join(node, event);
    const facts = this.blockReader.read(event, blocks, { nodeKey: node.nodeKey, lineageKey });
    for (const { height } of facts) if (node.head === null || height > node.head) node.head = height;
    this.facts.push({ type: 'blocks', lineageKey, blocks: facts, ...originOf(event, node) });
  }

  private readInclusion(event: Of<'BlockInclusionObserved'>): void {
    const node = this.nodeOf(event);
    seeNode(node, event, event.body.looks);
    const { chain, lineage, heights } = event.body;
    const blocks = heights.flatMap(([text, header, data]): BlockFact[] => {
      const height = readHeight(text);
      const headerDaHeight = readHeight(header);
      const dataDaHeight = readHeight(data);
      return height === null ? [] : [{ height, headerDaHeight, dataDaHeight }];
    });
    const lineageKey = this.memory.lineages.keyOf(toChainId(chain), lineage, event.position);
    this.facts.push({ type: 'blocks', lineageKey, blocks, ...originOf(event, node) });
  }

  private readGap(event: Of<'BlockUnreadable' | 'BlocksPruned'>, from: string, to: string): void {
    const node = this.nodeOf(event);
    if (event.type === 'BlockUnreadable') seeNode(node, event, event.body.looks);
    const { chain, lineage } = event.body;
    const lineageKey = this.memory.lineages.keyOf(toChainId(chain), lineage, event.position);
    const range = readHeightRange(from, to);
    if (range) this.facts.push({ type: 'gap', lineageKey, ...range, ...originOf(event, node) });
  }

  /** The lineage of an event's blocks, which is the node's from here on. */
  private join(node: NodeEntity, event: Of<'BlocksObserved'>): number {
    const { chainId, retired, lineageKey: from } = node;
    node.chainId = toChainId(event.body.chain);
    this.noteChain(node, { chainId, retired }, event);
    const to = this.memory.lineages.keyOf(node.chainId, event.body.lineage, event.position);
    if (to === from) return to;
    node.lineageKey = to;
    // Another history has another head.
    if (from !== null) node.head = null;
    this.facts.push({ type: 'joined', to, ...originOf(event, node) });
    return to;
  }

  private noteChain(node: NodeEntity, before: ChainMember, event: NodeEvent | Of<'BlocksObserved'>): void {
    const { nodeKey, chainId, retired } = node;
    const by = namedBy(event);
    const renamed =
      by && chainId !== null ? this.memory.names.note(nodeKey, chainId, event.position, by) : undefined;
    const isNew = node.fromPosition === event.position;
    if (!isNew && chainId === before.chainId && retired === before.retired) return;
    this.facts.push({ type: 'chain', chainId, retired, renamed, ...originOf(event, node) });
    const back = chainId === before.chainId ? null : this.lineageOf(node);
    if (back !== null) this.facts.push({ type: 'joined', to: back, ...originOf(event, node) });
  }

  /** The lineage that a node's rows are of: the last whose blocks it showed, where that is of the chain that it names. */
  private lineageOf({ lineageKey, chainId }: NodeEntity): number | null {
    return lineageKey !== null && this.memory.lineages.chainOf.get(lineageKey) === chainId
      ? lineageKey
      : null;
  }

  private seen(event: RecordedEvent, at: Micros): void {
    seeNodeAt(this.nodeOf(event), event, at);
  }

  private nodeOf(event: RecordedEvent): NodeEntity {
    return this.memory.nodes.ofStream(event.stream, event.position);
  }
}

function originOf(event: RecordedEvent, node: NodeEntity, atMs?: number) {
  const at = atMs === undefined ? event.observedAt : toMicros(atMs);
  return { position: event.position, nodeKey: node.nodeKey, at };
}
