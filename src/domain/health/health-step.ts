import type { Millis } from '../time.js';
import {
  COVERED,
  enterUncovered,
  findUnpolled,
  RETIRED,
  unpolledFrom,
  type Uncovered,
} from './coverage-line.js';
import type { DaNodeFacts } from './da-node-facts.js';
import type { ExecutionFacts } from './execution-rules.js';
import type { DaFacts } from './da-facts.js';
import type { BlockFacts } from './health-blocks.js';
import { latchFrozen, leaveOutOfAges } from './health-da-facts.js';
import { DA_RULES, RULES_WITHOUT_LIST } from './health-da.js';
import {
  bookOf,
  lineOf,
  NO_HEALTH,
  NO_OTHER_NODES,
  type HealthChange,
  type HealthFold,
  type OtherNodes,
} from './health-fold.js';
import { enterClaim, enterVerdict, type DaClaim, type IntervalEdit } from './health-intervals.js';
import { settle, type HealthLine, type VerdictChange } from './health-line.js';
import { findPollGap, later, type PollGap, type PollTimes } from './health-polls.js';
import type { NodeFacts } from './health-node-facts.js';
import { NODE_RULES } from './health-node.js';
import {
  JUDGED_COMPONENTS,
  nextDeadline,
  type HealthComponent,
  type JudgedComponent,
} from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { releaseHead } from './held-head.js';
import { isSystem, SYSTEM_COMPONENTS, SYSTEMS, type SystemComponent } from './systems.js';
import { endReasonOf, RULES_OF } from './trouble-reason.js';

/** One step of the fold. It works on a copy of the state and collects the changes. */
export class HealthStep {
  readonly changes: HealthChange[] = [];
  private seenAt: Millis | null = null;
  /** The facts by which the open interval of a component was last judged. */
  private readonly held: Record<JudgedComponent, HealthFold>;

  constructor(
    public state: HealthFold,
    readonly thresholds: HealthThresholds,
    readonly others: OtherNodes = NO_OTHER_NODES,
  ) {
    this.held = { DA: state, NODE: state, DA_NODE: state, EXECUTION: state };
  }

  /** Notes that polls of this event saw the node. A silence may lie before them or, after a leap of the clock, among them. */
  see(looks: PollTimes): void {
    const { toldTo } = this.state;
    const silence = toldTo === null ? undefined : findPollGap(looks, toldTo, this.thresholds);
    if (silence) this.state = { ...this.state, silence };
    this.seenAt = later(this.seenAt, looks.last);
  }

  /** The state after the event, whose polls count as reported from here on. */
  end(): HealthFold {
    const { state, seenAt } = this;
    return seenAt === null ? state : { ...state, toldTo: later(state.toldTo, seenAt) };
  }

  setDa(change: Partial<DaFacts>): void {
    this.state = { ...this.state, da: { ...this.state.da, ...change } };
  }

  setNode(change: Partial<NodeFacts>): void {
    this.state = { ...this.state, node: { ...this.state.node, ...change } };
  }

  setBlocks(blocks: BlockFacts): void {
    if (blocks !== this.state.blocks) this.state = { ...this.state, blocks };
  }

  setSystem(component: SystemComponent, change: Partial<DaNodeFacts & ExecutionFacts>): void {
    const member = SYSTEMS[component];
    const system = this.state[member];
    this.state = { ...this.state, [member]: { ...system, facts: { ...system.facts, ...change } } };
  }

  /** Judges the DA component again because of a fact that was observed at `at`. */
  settleDa(
    at: Millis,
    judgeAt = Math.max(at, this.state.daLine?.judgedTo ?? at),
    toldTo = this.state.toldTo,
  ): void {
    const { thresholds } = this;
    if (this.isRetired(this.state.daLine, this.state.da.lookedAt)) return;
    this.state = { ...this.state, da: latchFrozen(this.state, judgeAt, thresholds) };
    const judged = { rules: DA_RULES, facts: this.state, thresholds, toldTo };
    const { line, change } = settle(judged, this.state.daLine, at, judgeAt);
    this.state = { ...this.state, daLine: line };
    if (line.state === 'CRITICAL' || line.state === 'UNKNOWN') {
      const { isSuccessGapClean, isAdvanceGapClean: wasClean } = this.state.da;
      // A node without a list may still show inclusion.
      const isAdvanceGapClean = wasClean && RULES_WITHOUT_LIST.has(line.rule);
      if (isSuccessGapClean || wasClean !== isAdvanceGapClean) {
        this.setDa({ isSuccessGapClean: false, isAdvanceGapClean });
      }
    }
    if (change) this.enter('DA', change);
    this.hold('DA');
  }

  /** Judges the NODE component again because of a fact that was observed at `at`. */
  settleNode(
    at: Millis,
    judgeAt = Math.max(at, this.state.nodeLine?.judgedTo ?? at),
    toldTo = this.state.toldTo,
  ): void {
    const { thresholds } = this;
    if (this.isRetired(this.state.nodeLine, this.state.node.lookedAt)) return;
    this.setBlocks(releaseHead(this.state, at));
    const judged = { rules: NODE_RULES, facts: this.state, thresholds, toldTo };
    const { line, change } = settle(judged, this.state.nodeLine, at, judgeAt);
    this.state = { ...this.state, nodeLine: line };
    const isUnwell = line.state === 'CRITICAL' || line.state === 'UNKNOWN';
    if (isUnwell && this.state.blocks.isHeadGapClean) {
      this.setBlocks({ ...this.state.blocks, isHeadGapClean: false });
    }
    if (change) this.enter('NODE', change);
    this.hold('NODE');
  }

  /** Judges a system behind the node again because of a fact that was observed at `at`. Its line begins with its first poll. */
  settleSystem(
    component: SystemComponent,
    at: Millis,
    judgeAt = Math.max(at, this.state[SYSTEMS[component]].line?.judgedTo ?? at),
    toldTo = this.state[SYSTEMS[component]].facts.reachedAt,
  ): void {
    const { facts, line: before } = this.state[SYSTEMS[component]];
    if (facts.polledAt === null || this.isRetired(before, facts.polledAt)) return;
    // A good poll is a report of the system's state; one that failed reports nothing new.
    const rules = RULES_OF[component];
    const judged = { rules, facts: this.state, thresholds: this.thresholds, toldTo };
    const { line, change } = settle(judged, before, at, judgeAt);
    this.setLine(component, line);
    if (change) this.enter(component, change);
    this.hold(component);
  }

  /** Judges the DA component at each deadline that polls have proven since `after`. */
  walkDa(after: Millis, to: Millis): void {
    this.walk('DA', after, to, (at) => this.settleDa(at, at));
    this.settleDa(to);
  }

  /** Judges the NODE component at each deadline that polls have proven since `after`. */
  walkNode(after: Millis, to: Millis): void {
    this.walk('NODE', after, to, (at) => this.settleNode(at, at));
    this.settleNode(to);
  }

  /** Walks the deadlines of a component in (`after`, `to`] in order; `settleAt` judges at each and may change the facts. */
  walk(component: JudgedComponent, after: Millis, to: Millis, settleAt: (deadline: Millis) => void): void {
    const nextAfter = (at: Millis) => nextDeadline(RULES_OF[component], this.state, this.thresholds, at);
    let next = nextAfter(Math.max(after, lineOf(this.state, component).line?.from ?? after));
    while (next !== undefined && next <= to) {
      settleAt(next);
      next = nextAfter(next);
    }
  }

  /** Keeps the current facts as the last ones by which the open interval of a component holds. */
  hold(component: JudgedComponent): void {
    this.held[component] = this.state;
  }

  /**
   * Judges a gap in the polls of the list: unknown from its deadline to the poll that ended it; no age includes it.
   *
   * @param hasList false if the node reported before and after the gap that it has no list: nothing can have been missed
   */
  judgeDaGap(gap: PollGap, hasList = true): void {
    const unpolled = { from: unpolledFrom(gap, this.toldIn(gap)), to: gap.to };
    const uncovered = findUnpolled(this.state.coverage, gap, unpolled, this.thresholds);
    if (hasList) this.noteUncovered(unpolled, uncovered);
    this.setDa({ unwatchedFrom: gap.from + this.thresholds.notWatchedAfterMs });
    this.settleDa(gap.to, undefined, this.toldIn(gap));
    // All the time in which a list fails is left out when it can be read again.
    const da = this.state.da.failing ? this.state.da : leaveOutOfAges(this.state.da, gap);
    this.setDa({ ...da, unwatchedFrom: null });
  }

  judgeNodeGap(gap: PollGap): void {
    this.setNode({ unwatchedFrom: gap.from + this.thresholds.notWatchedAfterMs });
    this.settleNode(gap.to, undefined, this.toldIn(gap));
    this.setNode({ unwatchedFrom: null, watchedFrom: gap.to });
  }

  /**
   * Up to when the state of a component had been reported before a gap. After a silence all subjects are polled again, in quick
   * succession. The order of these polls changes nothing: all of them count from the start of the silence.
   */
  private toldIn({ from, to }: PollGap): Millis | null {
    const { silence, toldTo } = this.state;
    const isOfIt = silence !== null && from < silence.to && silence.from < to;
    const isSoon = isOfIt && to - silence.to <= this.thresholds.notWatchedAfterMs;
    return isSoon ? silence.from : toldTo;
  }

  /** Enters a time in which something may have been missed; undefined: nothing can have been missed. */
  noteUncovered(stretch: PollGap, uncovered: Uncovered | undefined): void {
    if (uncovered === undefined) return;
    const { coverage } = this.state;
    const { book, edits } = enterUncovered(coverage.book, stretch, uncovered);
    this.state = { ...this.state, coverage: { ...coverage, book } };
    this.note('COVERAGE', edits);
  }

  /** Notes that the node is no longer polled. If polls had stopped a while before, its state is unknown since then. */
  retire(at: Millis): void {
    const { coverage, da, node, daNode, execution, toldTo } = this.state;
    const polledAt: Record<JudgedComponent, Millis | null> = {
      DA: da.lookedAt,
      NODE: node.lookedAt,
      DA_NODE: daNode.facts.polledAt,
      EXECUTION: execution.facts.polledAt,
    };
    this.state = { ...this.state, coverage: { ...coverage, retiredAt: at } };
    for (const component of JUDGED_COMPONENTS) {
      const { line } = lineOf(this.state, component);
      if (!line) continue;
      const unseen = (polledAt[component] ?? at) + this.thresholds.notWatchedAfterMs;
      const from = Math.max(Math.min(at, unseen), line.from, toldTo ?? line.from);
      this.endLine(component, line, from);
    }
    this.enterCoverage(at, RETIRED);
  }

  /** Retires the systems that the settings no longer name, with all that is known of them. */
  keepSystems(names: readonly string[], at: Millis): void {
    for (const component of SYSTEM_COMPONENTS) {
      const member = SYSTEMS[component];
      const { line, facts } = this.state[member];
      if (!line || line.rule === RETIRED.rule || names.includes(member)) continue;
      const from = Math.max(at, line.from);
      this.endLine(component, line, from);
      const { polledAt } = facts;
      this.setSystem(component, { ...NO_HEALTH[member].facts, polledAt, quietTo: polledAt });
    }
  }

  private setLine(component: JudgedComponent, line: HealthLine): void {
    if (isSystem(component)) {
      const member = SYSTEMS[component];
      this.state = { ...this.state, [member]: { ...this.state[member], line } };
    } else this.state = { ...this.state, [component === 'DA' ? 'daLine' : 'nodeLine']: line };
  }

  private endLine(component: JudgedComponent, line: HealthLine, from: Millis): void {
    this.setLine(component, { ...line, ...RETIRED, from });
    this.enter(component, { at: from, ...RETIRED });
  }

  /** Notes that the node is to be polled, also after it was removed from the settings. */
  register(at: Millis): void {
    if (this.state.coverage.book.open?.rule === RETIRED.rule) this.enterCoverage(at, COVERED);
    this.settleDa(at);
    this.settleNode(at);
    for (const component of SYSTEM_COMPONENTS) this.settleSystem(component, at);
  }

  setClaim(claim: DaClaim): void {
    const { book, edits } = enterClaim(this.state.daBook, claim, this.thresholds.claimDiffersAfterMs);
    this.state = { ...this.state, claim, daBook: book };
    this.note('DA', edits);
  }

  /** Facts from before the node was removed from the settings mean nothing until it is polled again. */
  isRetired(line: HealthLine | null, lookedAt: Millis | null): boolean {
    return (
      line?.rule === RETIRED.rule && (lookedAt ?? -Infinity) <= (this.state.coverage.retiredAt ?? -Infinity)
    );
  }

  /** Does nothing before the line has begun. */
  private enterCoverage(at: Millis, verdict: Omit<VerdictChange, 'at'>): void {
    const { coverage } = this.state;
    const { open } = coverage.book;
    if (open === null || open.rule === verdict.rule) return;
    const { book, edits } = enterVerdict(coverage.book, { at: Math.max(at, open.from), ...verdict }, null);
    this.state = { ...this.state, coverage: { ...coverage, book } };
    this.note('COVERAGE', edits);
  }

  /** Enters a new verdict into the intervals of a component. */
  enter(component: JudgedComponent, change: VerdictChange): void {
    const { claim } = this.state;
    const before = bookOf(this.state, component);
    const { open } = before;
    const end = open && endReasonOf(component, open, this.held[component], this.thresholds, change.at);
    const shown = component !== 'DA' || change.state === 'UNKNOWN' ? null : (claim?.status ?? null);
    const { book, edits } = enterVerdict(before, change, shown, end ?? undefined);
    if (isSystem(component)) {
      const member = SYSTEMS[component];
      this.state = { ...this.state, [member]: { ...this.state[member], book } };
    } else {
      this.state = { ...this.state, [component === 'DA' ? 'daBook' : 'nodeBook']: book };
    }
    this.note(component, edits);
    if (component === 'DA' && claim) this.setClaim(claim);
  }

  private note(component: HealthComponent, edits: readonly IntervalEdit[]): void {
    for (const edit of edits) this.changes.push({ component, ...edit });
  }
}
