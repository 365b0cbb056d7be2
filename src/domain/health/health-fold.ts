import type { TimeAxis } from '../time-axis.js';
import type { Millis } from '../time.js';
import type { NodeHistory } from './chain-history.js';
import { NO_COVERAGE_LINE, type CoverageLine } from './coverage-line.js';
import { NO_DA_NODE_FACTS, type DaNodeFacts } from './da-node-facts.js';
import { NO_EXECUTION_FACTS, type ExecutionFacts } from './execution-rules.js';
import type { System } from './system-facts.js';
import { NO_DA_FACTS, type DaFacts } from './da-facts.js';
import { NO_BLOCK_FACTS, type BlockFacts } from './health-blocks.js';
import { NO_INTERVALS, type DaClaim, type IntervalBook, type IntervalEdit } from './health-intervals.js';
import type { HealthLine } from './health-line.js';
import type { PollGap } from './health-polls.js';
import { NO_NODE_FACTS, type NodeFacts } from './health-node-facts.js';
import type { HealthComponent, JudgedComponent } from './health-rule.js';

/** Everything that a node's health depends on, up to a position of the log; plain JSON. */
export interface HealthFold {
  /** The axis of all moments below. */
  readonly axis: TimeAxis | null;
  /** The last poll that saw the node: conclusions about the time before it stay. */
  readonly toldTo: Millis | null;
  /** The latest time for which the log has nothing of the node, so that no state was reported. */
  readonly silence: PollGap | null;
  readonly da: DaFacts;
  readonly node: NodeFacts;
  readonly blocks: BlockFacts;
  readonly claim: DaClaim | null;
  readonly daLine: HealthLine | null;
  readonly nodeLine: HealthLine | null;
  readonly daBook: IntervalBook;
  readonly nodeBook: IntervalBook;
  readonly coverage: CoverageLine;
  readonly daNode: System<DaNodeFacts>;
  readonly execution: System<ExecutionFacts>;
}

export const NO_HEALTH: HealthFold = {
  axis: null,
  toldTo: null,
  silence: null,
  da: NO_DA_FACTS,
  node: NO_NODE_FACTS,
  blocks: NO_BLOCK_FACTS,
  claim: null,
  daLine: null,
  nodeLine: null,
  daBook: NO_INTERVALS,
  nodeBook: NO_INTERVALS,
  coverage: NO_COVERAGE_LINE,
  daNode: { facts: NO_DA_NODE_FACTS, line: null, book: NO_INTERVALS },
  execution: { facts: NO_EXECUTION_FACTS, line: null, book: NO_INTERVALS },
};

export function bookOf(fold: HealthFold, component: HealthComponent): IntervalBook {
  const { daBook, nodeBook, coverage, daNode, execution } = fold;
  return {
    DA: daBook,
    NODE: nodeBook,
    COVERAGE: coverage.book,
    DA_NODE: daNode.book,
    EXECUTION: execution.book,
  }[component];
}

/** The end of a component's line, and its last poll on record; null before each. */
export function lineOf(
  fold: HealthFold,
  component: JudgedComponent,
): { readonly line: HealthLine | null; readonly polledAt: Millis | null } {
  const { daLine, da, nodeLine, node, daNode, execution } = fold;
  return {
    DA: { line: daLine, polledAt: da.watchedTo },
    NODE: { line: nodeLine, polledAt: node.lookedAt },
    DA_NODE: { line: daNode.line, polledAt: daNode.facts.polledAt },
    EXECUTION: { line: execution.line, polledAt: execution.facts.polledAt },
  }[component];
}

/** A change that one event made to a node's intervals. */
export type HealthChange = { readonly component: HealthComponent } & IntervalEdit;

/** The state of the other nodes of the chain, up to an event of the log. */
export interface OtherNodes {
  /** The highest frontier of the nodes on the same history; null while there is none. */
  readonly next: string | null;
  /** Whether blocks of one of them wait for a DA layer that is in trouble. */
  readonly isDaOut: boolean;
  /** The history that each of them shows, or showed last. */
  readonly histories: readonly NodeHistory[];
}

export const NO_OTHER_NODES: OtherNodes = { next: null, isDaOut: false, histories: [] };
