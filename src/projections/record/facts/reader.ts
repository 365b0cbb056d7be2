import { toMicros } from '../../../domain/bounds.js';
import { ownerOf, type EventType, type Looks, type RecordedEvent } from '../../../domain/events.js';
import type { LossKind } from '../../../domain/submissions/loss-explanation.js';
import type { NodeEntity } from '../../../tables/record/node.entity.js';
import { lineageOf, type RecordMemory } from '../memory.js';
import type { ToldOfRows } from '../decisions/row.js';
import type { EventFacts, RecordFact } from './facts.js';
import type { DecodedEvent, NodeEvent, RecordEvent } from './decode.js';
import { BlockReader } from './blocks.js';
import { toChainId, type NamedBy } from './chains.js';
import { describeNode, noteProgress, seeNode, seeNodeAt } from './nodes.js';
import { toSubmissions, type SubmissionRecord } from './submissions.js';

type Of<T extends EventType> = Extract<RecordedEvent, { type: T }>;
/** To which chain a node belongs. */
type Member = Readonly<Pick<NodeEntity, 'chainId' | 'retired'>>;

const LOSS_KINDS = {
  SubmissionHistoryMissing: 'BEFORE_START',
  SubmissionWindowLost: 'OVERFLOW',
  SubmissionRingReset: 'RESET',
  SubmissionOverlapAmbiguous: 'AMBIGUOUS',
} as const satisfies Partial<Record<EventType, LossKind>>;

/** Reads the events of a batch, in the order of the log, into rows and into facts for what is decided from them. */
export class RecordReader {
  readonly submissions: SubmissionRecord[] = [];
  readonly blockReader: BlockReader;

  constructor(private readonly memory: RecordMemory) {
    this.blockReader = new BlockReader(memory);
  }

  /** @returns undefined: nothing is to be decided by it */
  read(decoded: DecodedEvent): EventFacts | undefined {
    const { event } = decoded;
    switch (event.type) {
      case 'NodeRegistered':
      case 'NodeSettingsChanged':
      case 'NodeRetired':
      case 'NodeDescribed':
      case 'NodeWatched':
        return this.readNode(event);
      case 'SubmissionsObserved':
        return this.readRows(event, decoded);
      case 'SubmissionWindowLost':
      case 'SubmissionRingReset':
      case 'SubmissionOverlapAmbiguous':
      case 'SubmissionHistoryMissing':
        return this.readLoss(event);
      case 'SubmissionSourceChanged': {
        const { state, looks } = event.body;
        const node = this.nodeOf(event, state === 'UNREACHABLE' ? undefined : looks);
        return toFacts(event, node, { type: 'list', state });
      }
      case 'ChainLineageOpened':
        this.memory.lineages.keyOf(toChainId(ownerOf(event.stream)), event.body.n, event.position);
        return undefined;
      case 'BlocksObserved':
        return this.readBlocks(event, decoded);
      case 'BlockInclusionObserved': {
        const node = this.nodeOf(event, event.body.looks);
        const lineageKey = this.lineageKeyOf(event);
        return toFacts(event, node, { type: 'blocks', lineageKey, blocks: decoded.inclusions });
      }
      case 'BlockUnreadable':
        return this.readGap(event, this.nodeOf(event, event.body.looks), decoded);
      case 'BlocksPruned':
        return this.readGap(event, this.nodeOf(event), decoded);
      case 'NodeProgressObserved':
        noteProgress(this.nodeOf(event, event.body.looks), event.body);
        return undefined;
      case 'ProbeChanged':
        if (event.body.outcome === 'OK') seeNodeAt(this.nodeOf(event), event, event.observedAt);
        return undefined;
      case 'ProbesSummarised': {
        const { reachable } = event.body.probes;
        if (reachable && reachable.ok > 0 && reachable.failed === 0)
          seeNodeAt(this.nodeOf(event), event, toMicros(event.body.to));
        return undefined;
      }
      case 'SubmissionRingSwitched':
      case 'DaHealthClaimed':
      case 'DaStatsClaimed':
        this.nodeOf(event, event.body.looks);
        return undefined;
      case 'ServiceClaimed':
        return undefined;
      default:
        return event satisfies never;
    }
  }

  private readNode(event: NodeEvent): EventFacts {
    const node = this.nodeOf(event);
    const { chainId, retired, headerNamespace, dataNamespace } = node;
    const named = this.noteChain(node, { chainId, retired }, describeNode(node, event), event);
    const { headerNamespace: header, dataNamespace: data } = node;
    const isAsBefore = header === headerNamespace && data === dataNamespace;
    const keyOf = (namespace: string | null) =>
      namespace === null ? null : this.memory.namespaceKeys.keyOf({ namespace });
    const told = isAsBefore ? named : { ...named, namespaces: { header: keyOf(header), data: keyOf(data) } };
    const looks = event.type === 'NodeWatched' ? event.body.looks.submissions : undefined;
    const fact = looks && { type: 'quiet' as const };
    return toFacts(event, node, fact, { at: looks?.last, told, chainBefore: chainId });
  }

  private readRows(event: Of<'SubmissionsObserved'>, { rows: decoded }: DecodedEvent): EventFacts {
    const node = this.nodeOf(event, event.body.looks);
    const rows = toSubmissions(event, decoded, node, lineageOf(node, this.memory), this.memory);
    for (const row of rows) this.submissions.push(row);
    return toFacts(event, node, { type: 'rows', rows }, { at: event.body.looks.last });
  }

  private readLoss(event: Of<keyof typeof LOSS_KINDS>): EventFacts {
    const node = this.nodeOf(event, event.body.looks);
    const kind = LOSS_KINDS[event.type];
    // What came before the first contact belongs to no run.
    if (kind !== 'BEFORE_START') this.memory.runs.clear(node.nodeKey);
    return toFacts(event, node, { type: 'loss', kind, loss: event.body }, { at: event.body.looks.last });
  }

  /** The lineage of the blocks is the node's from here on. */
  private readBlocks(event: Of<'BlocksObserved'>, { blocks: records }: DecodedEvent): EventFacts {
    const node = this.nodeOf(event, event.body.looks);
    const { chainId, retired, lineageKey: from } = node;
    node.chainId = toChainId(event.body.chain);
    const named = this.noteChain(node, { chainId, retired }, 'BLOCKS', event);
    const lineageKey = this.lineageKeyOf(event);
    const isSame = lineageKey === from;
    const told = isSame ? named : { history: lineageKey, ...named };
    node.lineageKey = lineageKey;
    // Another history has another head.
    if (!isSame && from !== null) node.head = null;
    const blocks = this.blockReader.read(event, records, { nodeKey: node.nodeKey, lineageKey });
    for (const { height } of blocks) if (node.head === null || height > node.head) node.head = height;
    return toFacts(event, node, { type: 'blocks', lineageKey, blocks }, { told, chainBefore: chainId });
  }

  private readGap(
    event: Of<'BlockUnreadable' | 'BlocksPruned'>,
    node: NodeEntity,
    { gap }: DecodedEvent,
  ): EventFacts | undefined {
    const lineageKey = this.lineageKeyOf(event);
    return gap ? toFacts(event, node, { type: 'gap', lineageKey, ...gap }) : undefined;
  }

  /** What rows are told by a node that may be of another chain now, or name one again. */
  private noteChain(
    node: NodeEntity,
    before: Member,
    by: NamedBy | undefined,
    { position }: RecordedEvent,
  ): ToldOfRows | undefined {
    const { nodeKey, chainId } = node;
    const renamed =
      by && chainId !== null ? this.memory.names.note(nodeKey, chainId, position, by) : undefined;
    const isNew = node.fromPosition === position;
    if (!isNew && chainId === before.chainId && node.retired === before.retired) return undefined;
    this.memory.nodes.move(node, before.chainId);
    const back = chainId === before.chainId ? null : lineageOf(node, this.memory);
    if (!renamed && back === null) return undefined;
    return {
      ...(renamed && { chain: { name: chainId, ...renamed } }),
      ...(back !== null && { history: back }),
    };
  }

  private lineageKeyOf({ body, position }: Extract<RecordEvent, { body: { lineage: number } }>): number {
    return this.memory.lineages.keyOf(toChainId(body.chain), body.lineage, position);
  }

  private nodeOf(event: RecordedEvent, looks?: Looks): NodeEntity {
    const node = this.memory.nodes.ofStream(event.stream, event.position);
    seeNode(node, event, looks);
    return node;
  }
}

/** @param more `at`: of the last look, in milliseconds; the time of the event when left out */
function toFacts(
  { position, observedAt }: RecordedEvent,
  { nodeKey, chainId }: NodeEntity,
  fact?: RecordFact,
  {
    at,
    told,
    chainBefore = chainId,
  }: {
    readonly at?: number | undefined;
    readonly told?: ToldOfRows | undefined;
    readonly chainBefore?: string | null;
  } = {},
): EventFacts {
  const facts = { position, nodeKey, at: at === undefined ? observedAt : toMicros(at), chainBefore, told };
  return fact ? { ...facts, fact } : facts;
}
