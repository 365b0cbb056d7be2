import { evidenceOfUnplaced } from '../../../domain/evidence/decide-cell.js';
import { evidenceCodeOf, SUBMISSION_KINDS } from '../../../domain/submissions/submission-codes.js';
import type { BlobKind, StandingWalk } from '../../../domain/evidence/inclusion-walk.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../projection.js';
import type { ChainNames } from '../facts/chain-names.js';
import type { ChainViews } from '../facts/chain-views.js';
import type { RecordFact } from '../facts/facts.js';
import { mayHaveLanded } from './may-have-landed.js';
import type { LossBook } from './losses.js';
import type { NodeBook } from '../facts/nodes.js';
import type { SubmissionRecord } from '../facts/submissions.js';
import type { WalkBook, WalkChange } from '../facts/walks.js';
import type { BracketBook } from './brackets.js';
import type { Cell, Cells } from './cells.js';
import type { FrontierBook, Passed } from './frontiers.js';
import type { Row, Rows } from './row.js';

/** A walk of a node through a history. */
interface NodeWalk extends StandingWalk {
  readonly nodeKey: number;
}

/** An event's decisions about one chain, with the state of that moment which no table keeps. */
export interface Step {
  readonly position: bigint;
  readonly at: Micros;
  readonly chain: string;
  /** The node of the event. */
  readonly nodeKey: number;
  /** DA heights at which something was told. */
  readonly cells: Set<bigint>;
  readonly passed: Passed[];
  /** Groups from this DA height on are asked again; undefined: none. */
  groupsFrom: bigint | undefined;
  /** By history. */
  walks: ReadonlyMap<number, readonly NodeWalk[]>;
  /** By history: DA heights below are decided. */
  below: ReadonlyMap<number, Readonly<Record<BlobKind, bigint>>>;
  /** By node: the last look at its list whose rows are all known. */
  seenAt: ReadonlyMap<number, Micros>;
  /** Keys of the namespaces that nodes of the chain had told by then. */
  namespaces: Readonly<Record<BlobKind, number | null>>;
}

/** The books that steps are made from. They live from batch to batch. */
export interface StepParts {
  readonly nodes: NodeBook;
  readonly names: ChainNames;
  readonly walks: WalkBook;
  readonly views: ChainViews;
  readonly brackets: BracketBook;
  readonly frontiers: FrontierBook;
  readonly chainOf: ReadonlyMap<number, string>;
  readonly lineagesOf: ReadonlyMap<string, readonly number[]>;
  readonly told: ReadonlyMap<number, Readonly<Record<BlobKind, number | null>>>;
}

/** Takes facts in the order of the log, and notes what is to be decided by each event. */
export class StepBook {
  readonly steps: Step[] = [];
  /** Cells that blocks newly pointed to. */
  readonly pointedTo = new Set<Cell>();
  /** The highest DA heights that blocks of this turn pointed to, by history. */
  readonly highest = new Map<number, bigint>();
  private current = new Map<string, Step>();
  private readonly left: Step[] = [];

  constructor(
    private readonly parts: StepParts,
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
      const { chainId } = this.parts.views.get(fact.nodeKey);
      if (chainId !== null) chains.add(chainId);
      await this.apply(fact);
      if (fact.type === 'rows' || fact.type === 'quiet') this.noteReturn(fact);
      this.parts.views.apply(fact);
    }
    for (const chain of this.parts.views.chainsOf(last, this.parts.chainOf)) chains.add(chain);
    for (const chain of chains) this.settle(last, chain);
    for (const step of this.current.values()) this.steps.push(this.freeze(step));
    for (const step of this.left.splice(0)) this.freeze(step);
    this.current = new Map();
  }

  /** Something is to be decided anew at a DA height of a chain. */
  touch(fact: RecordFact, chain: string, daHeight: bigint): void {
    this.stepOf(fact, chain).cells.add(daHeight);
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
        const change = await this.parts.walks.applyGap(fact, this.query);
        if (change) this.climb(fact, change);
        return;
      }
      case 'loss': {
        this.held.losses.add(fact);
        const from = this.parts.brackets.takeHole(this.parts.nodes.change(fact.nodeKey), fact.position);
        const { chainId } = this.parts.views.get(fact.nodeKey);
        if (chainId !== null) this.reopen(fact, chainId, from);
        return;
      }
      case 'chain':
      case 'described':
      case 'joined':
      case 'quiet':
      case 'list':
      case 'clock':
        return;
      default:
        fact satisfies never;
    }
  }

  /** A list is seen again: what may have stood behind a hole at its end does not. */
  private noteReturn(fact: RecordFact): void {
    const { state, stateAt, seenAt, chainId } = this.parts.views.get(fact.nodeKey);
    const isBack = state !== 'AVAILABLE' || (stateAt !== null && (seenAt === null || seenAt <= stateAt));
    if (!isBack || chainId === null) return;
    const from = this.parts.brackets.openHoleOf(fact.nodeKey);
    if (from !== undefined) this.reopen(fact, chainId, from);
  }

  private addRow(fact: RecordFact, row: SubmissionRecord): void {
    const { chainId } = row;
    const from = this.parts.brackets.take(this.parts.nodes.change(fact.nodeKey), row, mayHaveLanded(row));
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
    const { lineageKey, position } = fact;
    const chain = this.parts.chainOf.get(lineageKey) ?? '';
    const { included, change } = await this.parts.walks.apply(fact, this.query);
    for (const { kind, daHeight, blob } of included) {
      const cell = this.held.cells.get(chain, daHeight);
      cell.addBlob(lineageKey, kind, { ...blob, position });
      this.pointedTo.add(cell);
      if (daHeight > (this.highest.get(lineageKey) ?? -1n)) this.highest.set(lineageKey, daHeight);
      this.touch(fact, chain, daHeight);
    }
    if (change) this.climb(fact, change);
  }

  private climb({ lineageKey, at }: RecordFact & { readonly lineageKey: number }, change: WalkChange): void {
    this.parts.frontiers.climb(lineageKey, this.parts.walks.ofLineage(lineageKey), change, at);
  }

  private settle(fact: RecordFact, chain: string): void {
    const through = this.parts.views.lookedThrough(chain);
    for (const lineageKey of this.parts.lineagesOf.get(chain) ?? []) {
      const passed = this.parts.frontiers.settle(lineageKey, through);
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
    const lineages = this.parts.lineagesOf.get(step.chain) ?? [];
    step.walks = new Map(lineages.map((key) => [key, this.parts.walks.ofLineage(key).map(toStanding)]));
    step.below = new Map(
      lineages.map((key) => {
        const { HEADER, DATA } = this.parts.frontiers.of(key);
        return [key, { HEADER: HEADER.below, DATA: DATA.below }];
      }),
    );
    const views = this.parts.views.keysOfChain(step.chain).map((key) => this.parts.views.get(key));
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
    const { names, views, told } = this.parts;
    for (const nodeKey of [...(names.nodesOf.get(chain) ?? []), ...views.keysOfChain(chain)]) {
      const key = told.get(nodeKey)?.[kind];
      if (key !== undefined && key !== null) return key;
    }
    return null;
  }
}

/** Of which nothing is told yet. */
function newStep({ position, at, nodeKey }: RecordFact, chain: string): Step {
  return {
    position,
    at,
    chain,
    nodeKey,
    cells: new Set(),
    passed: [],
    groupsFrom: undefined,
    walks: new Map(),
    below: new Map(),
    seenAt: new Map(),
    namespaces: { HEADER: null, DATA: null },
  };
}

/** The part of a walk that tells where DA heights lie. */
function toStanding(walk: NodeWalk): NodeWalk {
  const { nodeKey, fromStart, headerFrom, headerTo, dataFrom, dataTo, headerHoles, dataHoles } = walk;
  return { nodeKey, fromStart, headerFrom, headerTo, dataFrom, dataTo, headerHoles, dataHoles };
}
