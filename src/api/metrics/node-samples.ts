import { contradicts } from '../../domain/health/health-intervals.js';
import { UNWATCHED_RULES } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import { SUBMISSION_KINDS, SUBMISSION_STATUSES } from '../../domain/submissions/submission-codes.js';
import { type Millis, nanosToMillis } from '../../domain/time.js';
import { boundOf } from '../../statistics/read/measure-rules.js';
import { MEASURES } from '../../statistics/read/measures.js';
import type { NodeTotals, SubmissionTotal } from '../../statistics/read/node-totals.reader.js';
import { HealthStates, type HealthInterval } from '../health/health.type.js';
import { LossKinds } from '../losses/loss-fields.js';
import { LONGEST_LABEL, type FigureName, type Sample } from './metric-table.js';
import type { NodeState } from './node-states.query.js';

type Labels = Readonly<Record<string, string>>;
type Value = boolean | number | bigint | null | undefined;

/** Samples of a node. Unknown figures are left out. */
export function toNodeSamples(state: NodeState, totals: TotalsOfNode | undefined, now: Millis): Sample[] {
  const { node } = state;
  const labels: Labels = {
    node: toPrintable(node.id, LONGEST_LABEL),
    ...(node.chain !== null && { chain: toPrintable(node.chain, LONGEST_LABEL) }),
  };
  const one = (metric: FigureName, value: Value, more: Labels = {}): Sample[] =>
    value === null || value === undefined
      ? []
      : [{ metric, labels: { ...labels, ...more }, value: Number(value) }];
  return [
    ...presentOf(state, now).flatMap(([metric, value, more]) => one(metric, value, more)),
    ...totalsOf(state, totals ?? noTotals()).flatMap(([metric, value, more]) => one(metric, value, more)),
  ];
}

type Figure = readonly [metric: FigureName, value: Value, more?: Labels];

function presentOf(state: NodeState, now: Millis): Figure[] {
  const { node, da, health, claim, isReachable } = state;
  const isWatched = !health || !UNWATCHED_RULES.has(health.rule);
  const age =
    node.lastSuccessAt === null ? null : Math.max(0, now - nanosToMillis(node.lastSuccessAt)) / 1_000;
  return [
    ['hindsight_node_reachable', isWatched ? isReachable : null],
    ['hindsight_node_head_height', node.head],
    ['hindsight_node_inclusion_height', node.inclusionFrontier],
    ['hindsight_node_pending_blocks', node.pending],
    ['hindsight_node_last_success_age_seconds', age],
    ...statesOf('DA', da),
    ...statesOf('NODE', health),
    ...statesOf('DA_NODE', state.daNode),
    ...statesOf('EXECUTION', state.execution),
    ['hindsight_execution_head_lag_blocks', state.executionLag],
    ['hindsight_node_head_lag_blocks', isWatched && isReachable ? lagOf(state) : null],
    ['hindsight_node_claim_differs', claim !== undefined && da ? contradicts(claim, da.state) : null],
  ];
}

function lagOf({ node: { head }, chainHead }: NodeState): bigint | null {
  return head === null || chainHead === null ? null : chainHead - head;
}

function statesOf(component: string, is: Pick<HealthInterval, 'state' | 'rule'> | undefined): Figure[] {
  if (is === undefined) return [];
  return [
    ...Object.keys(HealthStates).map((state): Figure => [
      'hindsight_node_health',
      state === is.state,
      { component, state },
    ]),
    ['hindsight_node_health_rule', 1, { component, rule: is.rule }],
  ];
}

/** If a list never showed anything, losses and cost are unknown, not zero. */
function totalsOf({ node }: NodeState, totals: TotalsOfNode): Figure[] {
  const hasShown = node.submissionCount > 0n;
  const kinds = hasShown || totals.losses.size > 0 ? Object.keys(LossKinds) : [];
  const costOf = (name: 'gasMin' | 'gasMax' | 'feeMin' | 'feeMax') =>
    hasShown ? boundOf(MEASURES[name], totals.cost) : null;
  return [
    ...[...totals.attempts].map(([name, count]): Figure => {
      const [status, kind] = name.split(' ').map(Number);
      const labels = {
        status: SUBMISSION_STATUSES[status ?? -1] ?? 'OTHER',
        kind: SUBMISSION_KINDS[kind ?? -1] ?? 'UNKNOWN',
      };
      return ['hindsight_submissions_total', count, labels];
    }),
    ...kinds.map((kind): Figure => ['hindsight_losses_total', totals.losses.get(kind) ?? 0n, { kind }]),
    ['hindsight_da_gas', costOf('gasMin'), { bound: 'min' }],
    ['hindsight_da_gas', costOf('gasMax'), { bound: 'max' }],
    ['hindsight_da_fee_utia', costOf('feeMin'), { bound: 'min' }],
    ['hindsight_da_fee_utia', costOf('feeMax'), { bound: 'max' }],
  ];
}

/** Sums over all that a node has shown. */
export interface TotalsOfNode {
  /** Keys are the codes of status and kind, for example `0 1`. */
  readonly attempts: Map<string, bigint>;
  readonly losses: Map<string, bigint>;
  readonly cost: { [Name in CostSum]: bigint };
}

type CostSum = Exclude<keyof SubmissionTotal, 'nodeKey' | 'status' | 'kind' | 'attempts'>;

/** Sums the parts, by node key. */
export function addTotals(parts: readonly NodeTotals[]): ReadonlyMap<number, TotalsOfNode> {
  const nodes = new Map<number, TotalsOfNode>();
  const of = (nodeKey: number): TotalsOfNode => {
    const known = nodes.get(nodeKey) ?? noTotals();
    nodes.set(nodeKey, known);
    return known;
  };
  for (const { submissions, losses } of parts) {
    for (const { nodeKey, status, kind, attempts, ...sums } of submissions) {
      const { attempts: counts, cost } = of(nodeKey);
      add(counts, `${status} ${kind}`, attempts);
      for (const name of Object.keys(cost) as CostSum[]) cost[name] += sums[name];
    }
    for (const { nodeKey, kind, losses: count } of losses) add(of(nodeKey).losses, kind, count);
  }
  return nodes;
}

function add(counts: Map<string, bigint>, name: string, more: bigint): void {
  counts.set(name, (counts.get(name) ?? 0n) + more);
}

function noTotals(): TotalsOfNode {
  const cost = { gasMin: 0n, gasMax: 0n, feeMin: 0n, feeMax: 0n, costed: 0n, gasUnknown: 0n, feeUnknown: 0n };
  return { attempts: new Map(), losses: new Map(), cost };
}
