import { entryOf } from '../../../domain/collections.js';
import { BLOB_KINDS, evidenceOfUnplaced } from '../../../domain/evidence/decide-cell.js';
import { evidenceCodeOf, SUBMISSION_KINDS } from '../../../domain/submissions/submission-codes.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import type { EventFacts, Origin, RecordFact } from '../facts/facts.js';
import { isBack, polledThrough, notePoll, noteState } from '../facts/lists.js';
import { mayHaveLanded } from '../../../domain/evidence/evidence.js';
import type { LossBook } from '../facts/losses.js';
import type { SubmissionRecord } from '../facts/submissions.js';
import type { Walked } from '../facts/walks.js';
import { nodesOf, type RecordMemory } from '../memory.js';
import type { NodeEntity } from '../../../tables/record.entities.js';
import type { Cell, Cells } from './cell.js';
import type { Rows } from './row.js';
import { newStep, NO_END, type NodeWalk, type Step } from './step.js';

/** Takes facts in the order of the log, and notes what each event requires to be decided. */
export class StepBook {
  readonly steps: Step[] = [];
  /** Cells with blobs whose DA height a block newly reported. */
  readonly pointedTo = new Set<Cell>();
  private current = new Map<string, Step>();

  constructor(
    private readonly memory: RecordMemory,
    private readonly held: { readonly rows: Rows; readonly cells: Cells; readonly losses: LossBook },
  ) {}

  /** Takes the facts of an event. @param walked what its blocks newly showed */
  take(facts: EventFacts, walked: Walked): void {
    const { nodeKey, chainBefore, fact } = facts;
    const node = this.memory.nodes.change(nodeKey);
    if (fact) this.apply(facts, fact, walked, node);
    const shown = fact && 'lineageKey' in fact ? this.memory.chainOf.get(fact.lineageKey) : undefined;
    // When a node leaves a chain, the chain no longer waits for its list.
    for (const chain of new Set([chainBefore, node.chainId, shown ?? null])) {
      if (chain !== null) this.settle(facts, chain);
    }
    if (fact?.type === 'blocks' && walked.isFirst) this.reopenHistory(facts, fact.lineageKey, node);
    for (const step of this.current.values()) this.steps.push(this.freeze(step));
    this.current = new Map();
  }

  /**
   * Requests a new decision at a DA height; does nothing if it is null.
   * @param chain null: unknown, so each chain of which the node has shown blocks is decided
   */
  touch(event: Origin, chain: string | null, daHeight: bigint | null): void {
    if (daHeight === null) return;
    for (const each of this.chainsOf(event, chain)) this.stepOf(event, each).cells.add(daHeight);
  }

  /** Requests that groups of a chain are re-examined from a DA height on; does nothing if it is undefined. */
  reopen(event: Origin, chain: string | null, from: bigint | undefined): void {
    if (chain === null || from === undefined) return;
    const step = this.stepOf(event, chain);
    if (step.groupsFrom === undefined || from < step.groupsFrom) step.groupsFrom = from;
  }

  /** Requests new decisions at all DA heights of a chain; does nothing if the chain is null. */
  reopenAll(event: Origin, chain: string | null): void {
    if (chain !== null) this.stepOf(event, chain).asksAll = true;
  }

  /**
   * When a node switches to a lineage, its successes may belong to it wherever other nodes had shown blobs that fit them. So may
   * those in its lists without a chain.
   */
  private reopenHistory(event: Origin, lineageKey: number, node: NodeEntity): void {
    const { chainOf, lineagesOf, walks } = this.memory;
    const chain = chainOf.get(lineageKey) ?? '';
    if (node.submissionCount > 0n) this.reopen(event, chain, 0n);
    const others = (lineagesOf.get(chain) ?? []).filter((key) => key !== lineageKey);
    if (!others.some((key) => walks.find(event.nodeKey, key)) || walks.ofLineage(lineageKey).length < 2)
      return;
    const { passed } = this.stepOf(event, chain);
    for (const kind of BLOB_KINDS) passed.push({ lineageKey, kind, at: event.at, from: 0n, below: NO_END });
  }

  private apply(event: Origin, fact: RecordFact, walked: Walked, node: NodeEntity): void {
    switch (fact.type) {
      case 'rows':
        for (const row of fact.rows) this.addRow(event, row);
        this.noteReturn(event, node);
        node.listState = 'AVAILABLE';
        return notePoll(node, event.at);
      case 'quiet':
        this.noteReturn(event, node);
        return notePoll(node, event.at);
      case 'list':
        if (fact.state === 'NOT_AGGREGATOR') {
          this.reopen(event, node.chainId, this.memory.brackets.takeFollower(node, event.position));
        }
        return noteState(node, fact.state, event.at);
      case 'blocks':
      case 'unavailable':
        this.addBlobs(event, fact.lineageKey, walked);
        return this.noteFrontier(node);
      case 'loss': {
        this.held.losses.add(event, fact);
        return this.reopen(event, node.chainId, this.memory.brackets.takeGap(node, event.position));
      }
      default:
        fact satisfies never;
    }
  }

  /** When a list is seen again, the rows that could follow a gap at its end are known. */
  private noteReturn(event: Origin, node: NodeEntity): void {
    if (isBack(node)) this.reopen(event, node.chainId, this.memory.brackets.openHoleOf(node.nodeKey));
  }

  private noteFrontier(node: NodeEntity): void {
    const walk = node.lineageKey === null ? undefined : this.memory.walks.find(node.nodeKey, node.lineageKey);
    node.inclusionFrontier = walk && walk.frontier >= walk.firstHeight ? walk.frontier : null;
  }

  private addRow(event: Origin, row: SubmissionRecord): void {
    const { chainId } = row;
    const node = this.memory.nodes.change(event.nodeKey);
    const { from, gaps } = this.memory.brackets.take(node, row, mayHaveLanded(row));
    this.held.rows.add(row);
    this.reopen(event, chainId, from);
    if (chainId !== null) for (const gap of gaps) this.stepOf(event, chainId).holes.add(gap);
    if (row.status !== 0 || row.daHeight === null) return;
    const kind = SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN';
    row.evidence = evidenceCodeOf(evidenceOfUnplaced({ kind, blobCount: row.blobCount }));
    for (const chain of this.chainsOf(event, chainId)) this.held.cells.get(chain, row.daHeight).addRow(row);
    this.touch(event, chainId, row.daHeight);
    // Any chain may ask for it. Heights of other rows are raised once their cells are loaded, which finds nothing above.
    if (chainId === null) this.memory.highest.raise(null, row.daHeight);
  }

  /** The chains that a row may belong to. */
  private chainsOf({ nodeKey }: Origin, chain: string | null): readonly string[] {
    if (chain !== null) return [chain];
    const { chainOf, walks } = this.memory;
    return [...new Set(walks.ofNode(nodeKey).flatMap(({ lineageKey }) => chainOf.get(lineageKey) ?? []))];
  }

  private addBlobs(event: Origin, lineageKey: number, { included, change }: Walked): void {
    const chain = this.memory.chainOf.get(lineageKey) ?? '';
    for (const { kind, daHeight, blob } of included) {
      const cell = this.held.cells.get(chain, daHeight);
      cell.addBlob(lineageKey, kind, blob);
      this.pointedTo.add(cell);
      this.touch(event, chain, daHeight);
    }
    if (!change) return;
    this.memory.frontiers.climb(lineageKey, this.memory.walks.ofLineage(lineageKey), change, event.at);
  }

  private settle(event: Origin, chain: string): void {
    const { nodes, lists } = this.memory;
    const through = polledThrough(nodes.ofChain(chain), (nodeKey) => lists.waitingOf(nodeKey));
    for (const lineageKey of this.memory.lineagesOf.get(chain) ?? []) {
      const passed = this.memory.frontiers.settle(lineageKey, through);
      for (const each of passed) this.stepOf(event, chain).passed.push(each);
    }
  }

  private stepOf(event: Origin, chain: string): Step {
    return entryOf(this.current, chain, () => newStep(event, chain));
  }

  /** Copies the walks into the step, because events change them in place. */
  private freeze(step: Step): Step {
    const lineages = this.memory.lineagesOf.get(step.chain) ?? [];
    const standing = ({ nodeKey, fromStart, lines }: NodeWalk) => ({ nodeKey, fromStart, lines });
    step.walks = new Map(lineages.map((key) => [key, this.memory.walks.ofLineage(key).map(standing)]));
    step.below = new Map(
      lineages.map((key) => {
        const { HEADER, DATA } = this.memory.frontiers.of(key);
        return [key, { HEADER: HEADER.below, DATA: DATA.below }];
      }),
    );
    // Also of nodes that have left the chain: their gaps may still hold its groups.
    const nodes = nodesOf(step.chain, this.memory).map((nodeKey) => this.memory.nodes.get(nodeKey));
    step.seenAt = new Map(
      nodes.flatMap(({ nodeKey, listSeenAt }) => (listSeenAt === null ? [] : [[nodeKey, listSeenAt]])),
    );
    step.namespaces = {
      HEADER: this.namespaceOf(step.chain, 'HEADER'),
      DATA: this.namespaceOf(step.chain, 'DATA'),
    };
    return step;
  }

  private namespaceOf(chain: string, kind: BlobKind): number | null {
    for (const nodeKey of nodesOf(chain, this.memory)) {
      const key = this.memory.told.get(nodeKey)?.[kind];
      if (key !== undefined && key !== null) return key;
    }
    return null;
  }
}
