import { evidenceOfUnplaced } from '../../../domain/evidence/decide-cell.js';
import { evidenceCodeOf, SUBMISSION_KINDS } from '../../../domain/submissions/submission-codes.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import type { Query } from '../../projection.js';
import type { RecordFact } from '../facts/facts.js';
import { mayHaveLanded } from '../../../domain/evidence/uncertain-attempt.js';
import type { LossBook } from './losses.js';
import type { SubmissionRecord } from '../facts/submissions.js';
import type { WalkChange } from '../facts/walks.js';
import type { RecordMemory } from '../memory.js';
import { newStep, toStanding, type Step } from './step.js';
import type { Cell, Cells } from './cells.js';
import type { Row, Rows } from './row.js';

/** Takes facts in the order of the log, and notes what is to be decided by each event. */
export class StepBook {
  readonly steps: Step[] = [];
  /** Cells that blocks newly pointed to. */
  readonly pointedTo = new Set<Cell>();
  private current = new Map<string, Step>();
  private readonly left: Step[] = [];

  constructor(
    private readonly memory: RecordMemory,
    private readonly held: { readonly rows: Rows; readonly cells: Cells; readonly losses: LossBook },
    private readonly query: Query,
  ) {}

  /** Applies what one event means. */
  async take(facts: readonly RecordFact[]): Promise<void> {
    const last = facts.at(-1);
    if (!last) return;
    const chains = new Set<string>();
    for (const fact of facts) {
      // Where a node leaves a chain nobody waits for its list any more.
      const { chainId } = this.memory.views.get(fact.nodeKey);
      if (chainId !== null) chains.add(chainId);
      await this.apply(fact);
      if (fact.type === 'rows' || fact.type === 'quiet') this.noteReturn(fact);
      this.memory.views.apply(fact);
    }
    for (const chain of this.memory.views.chainsOf(last, this.memory.chainOf)) chains.add(chain);
    for (const chain of chains) this.settle(last, chain);
    for (const step of this.current.values()) this.steps.push(this.freeze(step));
    for (const step of this.left.splice(0)) this.freeze(step);
    this.current = new Map();
  }

  /** Something is to be decided anew at a DA height of a chain. */
  touch(fact: RecordFact, chain: string, daHeight: bigint): void {
    this.stepOf(fact, chain).cells.add(daHeight);
    this.memory.settled.note(chain, daHeight, false);
  }

  /** Gives the DA heights that rows of a turn have touched, each to its step. */
  takeSteps(of: readonly Step[]): Step[] {
    const steps = [...this.current.values()].map((step) => {
      const then = of.find(({ chain }) => chain === step.chain);
      return then ? { ...then, cells: step.cells } : this.freeze(step);
    });
    this.current = new Map();
    return steps;
  }

  /** A step of a chain at a fact, for what is left to later turns; as of the event once that is taken. */
  leave(fact: RecordFact, chain: string): Step {
    const step = newStep(fact, chain);
    this.left.push(step);
    return step;
  }

  /** Rows of a node have changed their kind, their history or their chain. */
  touchRow(fact: RecordFact, row: Row): void {
    const { chainId } = row;
    if (chainId === null) return;
    if (row.status === 0 && row.daHeight !== null) {
      this.held.cells.get(chainId, row.daHeight).addRow(row);
      this.touch(fact, chainId, row.daHeight);
    } else if (mayHaveLanded(row)) this.reopen(fact, chainId, 0n);
  }

  reopen(fact: RecordFact, chain: string, from: bigint): void {
    const step = this.stepOf(fact, chain);
    if (step.groupsFrom === undefined || from < step.groupsFrom) step.groupsFrom = from;
  }

  private async apply(fact: RecordFact): Promise<void> {
    switch (fact.type) {
      case 'rows':
        for (const row of fact.rows) this.addRow(fact, row);
        return;
      case 'blocks':
        return this.addBlocks(fact);
      case 'gap': {
        const change = await this.memory.walks.applyGap(fact, this.query);
        if (change) this.climb(fact, change);
        return;
      }
      case 'loss': {
        this.held.losses.add(fact);
        const from = this.memory.brackets.takeHole(this.memory.nodes.change(fact.nodeKey), fact.position);
        const { chainId } = this.memory.views.get(fact.nodeKey);
        if (chainId !== null) this.reopen(fact, chainId, from);
        return;
      }
      case 'chain':
      case 'described':
      case 'joined':
      case 'quiet':
      case 'list':
        return;
      default:
        fact satisfies never;
    }
  }

  /** A list is seen again: what may have stood behind a hole at its end does not. */
  private noteReturn(fact: RecordFact): void {
    const { state, stateAt, seenAt, chainId } = this.memory.views.get(fact.nodeKey);
    const isBack = state !== 'AVAILABLE' || (stateAt !== null && (seenAt === null || seenAt <= stateAt));
    if (!isBack || chainId === null) return;
    const from = this.memory.brackets.openHoleOf(fact.nodeKey);
    if (from !== undefined) this.reopen(fact, chainId, from);
  }

  private addRow(fact: RecordFact, row: SubmissionRecord): void {
    const { chainId } = row;
    const from = this.memory.brackets.take(this.memory.nodes.change(fact.nodeKey), row, mayHaveLanded(row));
    this.held.rows.add(row);
    if (from !== undefined && chainId !== null) this.reopen(fact, chainId, from);
    if (row.status !== 0 || row.daHeight === null) return;
    const kind = SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN';
    row.evidence = evidenceCodeOf(evidenceOfUnplaced({ kind, blobCount: row.blobCount }));
    if (chainId === null) return;
    this.held.cells.get(chainId, row.daHeight).addRow(row);
    this.touch(fact, chainId, row.daHeight);
  }

  private async addBlocks(fact: RecordFact & { type: 'blocks' }): Promise<void> {
    const { lineageKey } = fact;
    const chain = this.memory.chainOf.get(lineageKey) ?? '';
    const { included, change } = await this.memory.walks.apply(fact, this.query);
    for (const { kind, daHeight, blob } of included) {
      const cell = this.held.cells.get(chain, daHeight);
      cell.addBlob(lineageKey, kind, blob);
      this.pointedTo.add(cell);
      this.touch(fact, chain, daHeight);
    }
    if (change) this.climb(fact, change);
  }

  private climb({ lineageKey, at }: RecordFact & { readonly lineageKey: number }, change: WalkChange): void {
    this.memory.frontiers.climb(lineageKey, this.memory.walks.ofLineage(lineageKey), change, at);
  }

  private settle(fact: RecordFact, chain: string): void {
    const through = this.memory.views.lookedThrough(chain);
    for (const lineageKey of this.memory.lineagesOf.get(chain) ?? []) {
      const passed = this.memory.frontiers.settle(lineageKey, through);
      for (const each of passed) this.stepOf(fact, chain).passed.push(each);
    }
  }

  private stepOf(fact: RecordFact, chain: string): Step {
    let step = this.current.get(chain);
    if (!step) this.current.set(chain, (step = newStep(fact, chain)));
    return step;
  }

  /** Walks are changed in place from event to event. */
  private freeze(step: Step): Step {
    const lineages = this.memory.lineagesOf.get(step.chain) ?? [];
    step.walks = new Map(lineages.map((key) => [key, this.memory.walks.ofLineage(key).map(toStanding)]));
    step.below = new Map(
      lineages.map((key) => {
        const { HEADER, DATA } = this.memory.frontiers.of(key);
        return [key, { HEADER: HEADER.below, DATA: DATA.below }];
      }),
    );
    const views = this.memory.views.keysOfChain(step.chain).map((key) => this.memory.views.get(key));
    step.seenAt = new Map(
      views.flatMap(({ nodeKey, seenAt }) => (seenAt === null ? [] : [[nodeKey, seenAt]])),
    );
    step.namespaces = {
      HEADER: this.namespaceOf(step.chain, 'HEADER'),
      DATA: this.namespaceOf(step.chain, 'DATA'),
    };
    return step;
  }

  private namespaceOf(chain: string, kind: BlobKind): number | null {
    const { names, views, told } = this.memory;
    for (const nodeKey of [...(names.nodesOf.get(chain) ?? []), ...views.keysOfChain(chain)]) {
      const key = told.get(nodeKey)?.[kind];
      if (key !== undefined && key !== null) return key;
    }
    return null;
  }
}
