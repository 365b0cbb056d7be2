import { toMicros } from '../../../domain/bounds.js';
import { ownerOf, type EventType, type Polls, type RecordedEvent } from '../../../domain/events.js';
import type { LossKind } from '../../../domain/submissions/loss-explanation.js';
import type { Namespaces } from '../../../domain/submissions/submission-codes.js';
import type { NodeListEntity, NodeEntity } from '../../../tables/record.entities.js';
import { lineageOf, type RecordMemory } from '../memory.js';
import type { RowsReport } from '../decisions/row.js';
import type { EventFacts, RecordFact } from './facts.js';
import type { DecodedEvent, NodeEvent, RecordEvent } from './decode.js';
import { BlockReader } from './blocks.js';
import { toChainId, type NamedBy } from './chains.js';
import type { Named } from './list-book.js';
import { describeNode, noteProgress, seeNode, seeNodeAt } from './nodes.js';
import { toSubmissions, type SubmissionRecord } from './submissions.js';

type Of<T extends EventType> = Extract<RecordedEvent, { type: T }>;

const LOSS_KINDS = {
  SubmissionHistoryMissing: 'BEFORE_START',
  SubmissionWindowLost: 'OVERFLOW',
  SubmissionRingReset: 'RESET',
  SubmissionOverlapAmbiguous: 'AMBIGUOUS',
} as const satisfies Partial<Record<EventType, LossKind>>;

/** Reads the events of a batch, in the order of the log, into rows and into facts for the decisions. */
export class RecordReader {
  readonly submissions: SubmissionRecord[] = [];
  readonly blockReader: BlockReader;

  constructor(private readonly memory: RecordMemory) {
    this.blockReader = new BlockReader(memory);
  }

  /** @returns undefined if the event requires no decision */
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
        return this.readUnavailable(event, this.nodeOf(event, event.body.looks), decoded);
      case 'BlocksPruned':
        return this.readUnavailable(event, this.nodeOf(event), decoded);
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
    const before: Readonly<NodeEntity> = Object.assign({}, node);
    const by = describeNode(node, event);
    const named = this.noteChain(node, before, by, event);
    const isAsBefore =
      node.headerNamespace === before.headerNamespace && node.dataNamespace === before.dataNamespace;
    const told = isAsBefore ? named : { ...named, namespaces: this.namespacesOf(node) };
    const looks = event.type === 'NodeWatched' ? event.body.looks.submissions : undefined;
    const fact = looks && { type: 'quiet' as const };
    return toFacts(event, node, fact, { at: looks?.last, told, chainBefore: before.chainId });
  }

  private readRows(event: Of<'SubmissionsObserved'>, { rows: decoded }: DecodedEvent): EventFacts {
    const node = this.nodeOf(event, event.body.looks);
    const list = this.seeList(node, event);
    // Until the list's process names a chain, it is unknown whether the node's blocks belong to that chain.
    const lineageKey = list.told ? lineageOf(node, list.chainId, this.memory) : null;
    const rows = toSubmissions(event, decoded, node, { chainId: list.chainId, lineageKey }, this.memory);
    for (const row of rows) this.submissions.push(row);
    return toFacts(event, node, { type: 'rows', rows }, { at: event.body.looks.last });
  }

  private readLoss(event: Of<keyof typeof LOSS_KINDS>): EventFacts {
    const node = this.nodeOf(event, event.body.looks);
    const kind = LOSS_KINDS[event.type];
    // Rows before the first contact belong to no run.
    if (kind !== 'BEFORE_START') this.memory.runs.clear(node.nodeKey);
    this.seeList(node, event);
    return toFacts(event, node, { type: 'loss', kind, loss: event.body }, { at: event.body.looks.last });
  }

  /** From here on the lineage of the blocks is the node's lineage. */
  private readBlocks(event: Of<'BlocksObserved'>, { blocks: records }: DecodedEvent): EventFacts {
    const node = this.nodeOf(event, event.body.looks);
    const before: Readonly<NodeEntity> = Object.assign({}, node);
    node.chainId = toChainId(event.body.chain);
    const lineageKey = this.lineageKeyOf(event);
    const isSame = lineageKey === before.lineageKey;
    node.lineageKey = lineageKey;
    const named = this.noteChain(node, before, 'BLOCKS', event);
    const told = isSame ? named : { ...withoutLists(named), history: lineageKey };
    // Another lineage has another head.
    if (!isSame && before.lineageKey !== null) node.head = null;
    const blocks = this.blockReader.read(event, records, { nodeKey: node.nodeKey, lineageKey });
    for (const { height } of blocks) if (node.head === null || height > node.head) node.head = height;
    const more = { told: this.afterUnnamed(node, told), chainBefore: before.chainId };
    return toFacts(event, node, { type: 'blocks', lineageKey, blocks }, more);
  }

  private readUnavailable(
    event: Of<'BlockUnreadable' | 'BlocksPruned'>,
    node: NodeEntity,
    { unavailable }: DecodedEvent,
  ): EventFacts | undefined {
    const lineageKey = this.lineageKeyOf(event);
    return unavailable
      ? toFacts(event, node, { type: 'unavailable', lineageKey, ...unavailable })
      : undefined;
  }

  /** Notes the node's chain. @returns what the event reports about earlier rows */
  private noteChain(
    node: NodeEntity,
    before: Readonly<NodeEntity>,
    by: NamedBy | undefined,
    event: NodeEvent | Of<'BlocksObserved'>,
  ): RowsReport | undefined {
    const { nodeKey, chainId } = node;
    const { names, nodes } = this.memory;
    const isNew = node.fromPosition === event.position;
    if (isNew || chainId !== before.chainId || node.retired !== before.retired)
      nodes.move(node, before.chainId);
    const named = this.nameList(node, before, by, event);
    // Blocks that name the list's chain count as named by the node, even before their walk is known.
    const [first] = named;
    if (by && chainId !== null)
      names.note(nodeKey, chainId, event.position, first && by === 'BLOCKS' ? 'NODE' : by);
    if (!first) return undefined;
    const history = lineageOf(node, first.name, this.memory);
    const moved = named.filter(({ name, before: was }) => name !== was);
    if (moved.length === 0 && history === null) return undefined;
    return {
      ...(moved.length > 0 && { chains: moved, namespaces: this.namespacesOf(node) }),
      ...(history !== null && { history, historyOf: named }),
    };
  }

  /** The lists that get a chain, or another chain, by an event. */
  private nameList(
    node: NodeEntity,
    before: Readonly<NodeEntity>,
    by: NamedBy | undefined,
    event: NodeEvent | Of<'BlocksObserved'>,
  ): readonly Named[] {
    const { lists } = this.memory;
    const { nodeKey, chainId, settingsChainId, namesLists } = node;
    switch (event.type) {
      case 'NodeRegistered':
      case 'NodeSettingsChanged':
        if (isElsewhere(before, node)) lists.leave(nodeKey, event.position);
        return settingsChainId === null ? [] : lists.presume(nodeKey, settingsChainId);
      case 'NodeDescribed': {
        const { seen } = event.body;
        if (by || seen) lists.doubt(nodeKey, by ? chainId : null);
        if (seen && by && chainId !== null) return lists.name(nodeKey, chainId, seen);
        // The process was asked and named no chain, so the settings count.
        if (seen && settingsChainId !== null) return lists.presume(nodeKey, settingsChainId);
        break;
      }
      case 'BlocksObserved':
        lists.doubt(nodeKey, chainId);
        break;
      default:
        return [];
    }
    if (namesLists || !by || chainId === null) return [];
    const looks = event.type === 'BlocksObserved' ? event.body.looks : undefined;
    return lists.nameAtHand(nodeKey, chainId, looks ? toMicros(looks.last) : event.observedAt);
  }

  private seeList(
    node: NodeEntity,
    event: Of<'SubmissionsObserved' | keyof typeof LOSS_KINDS>,
  ): Readonly<NodeListEntity> {
    const { nodeKey, chainId, settingsChainId, namesLists, listSeenAt, submissionCount } = node;
    const { names, lists } = this.memory;
    const { source, looks } = event.body;
    const isTold = names.isTold(nodeKey);
    const observation = {
      nodeKey,
      position: event.position,
      afterSequence: submissionCount,
      list: Number.isSafeInteger(source) ? source : 0,
      at: toMicros(looks.last),
      isEmptied: event.type === 'SubmissionRingReset',
    };
    const presumed = namesLists
      ? { chainId: isTold ? null : settingsChainId, told: false, said: chainId }
      : { chainId, told: isTold && !lists.hasMet(nodeKey), said: chainId };
    return lists.see(observation, presumed, listSeenAt);
  }

  /** Rows of a list whose process has not named its chain get no lineage. */
  private afterUnnamed(node: NodeEntity, told: RowsReport | undefined): RowsReport | undefined {
    const unnamed = this.memory.lists.unnamedOf(node.nodeKey);
    return told && unnamed ? { ...told, unnamedFrom: unnamed.fromPosition } : told;
  }

  private namespacesOf({ headerNamespace, dataNamespace }: NodeEntity): Namespaces<number> {
    const keyOf = (namespace: string | null) =>
      namespace === null ? null : this.memory.namespaceKeys.keyOf({ namespace });
    return { header: keyOf(headerNamespace), data: keyOf(dataNamespace) };
  }

  private lineageKeyOf({ body, position }: Extract<RecordEvent, { body: { lineage: number } }>): number {
    return this.memory.lineages.keyOf(toChainId(body.chain), body.lineage, position);
  }

  private nodeOf(event: RecordedEvent, looks?: Polls): NodeEntity {
    const node = this.memory.nodes.ofStream(event.stream, event.position);
    seeNode(node, event, looks);
    return node;
  }
}

/** A new lineage applies to all rows of its chain that have none, not only to rows of some lists. */
function withoutLists(named: RowsReport | undefined): RowsReport {
  const { historyOf: _, ...told } = named ?? {};
  return told;
}

/** Whether changed settings may refer to another node. */
function isElsewhere(before: Readonly<NodeEntity>, { url, settingsChainId: chain }: NodeEntity): boolean {
  const isRenamed = before.settingsChainId !== null && chain !== null && before.settingsChainId !== chain;
  return before.url !== '' && (before.url !== url || isRenamed);
}

/** @param more `at`: time of the last poll, in milliseconds; default: the time of the event */
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
    readonly told?: RowsReport | undefined;
    readonly chainBefore?: string | null;
  } = {},
): EventFacts {
  const facts = { position, nodeKey, at: at === undefined ? observedAt : toMicros(at), chainBefore, told };
  return fact ? { ...facts, fact } : facts;
}
