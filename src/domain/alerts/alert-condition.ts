import {
  duration,
  HEALTH_COMPONENTS,
  type HealthComponent,
  type HealthState,
} from '../health/health-rule.js';
import { TROUBLED_STATES } from '../health/trouble.js';
import { titleOf } from '../health/trouble-titles.js';
import { budgetPeriodName, type BudgetPer } from '../cost/budget-period.js';
import type { Millis } from '../time.js';

/** The condition of a rule. Health is known as intervals; other conditions are sampled once a minute. */
export type AlertCondition = HealthCondition | SampledCondition;

/** The state of a node, or of its DA, is one of these; WARNING or CRITICAL if neither rules nor states are named. */
export interface HealthCondition {
  readonly kind: 'health';
  readonly component?: HealthComponent | undefined;
  readonly rules?: readonly string[] | undefined;
  readonly states?: readonly HealthState[] | undefined;
}

/** Conditions that are sampled. Shares are from 0 to 1. */
export type SampledCondition =
  /** More than this share of a node's attempts in a period failed, out of at least `attempts`. */
  | {
      readonly kind: 'failures';
      readonly above: number;
      readonly overMs: Millis;
      readonly attempts: number;
    }
  /** A chain has cost more than a budget since the day, month, quarter or year began, or is forecast to. The amount is a decimal string. */
  | {
      readonly kind: 'cost';
      readonly budget: string;
      /** TIA, or the currency of the chain's rates. */
      readonly unit: string;
      readonly per: BudgetPer;
      /** The month with which the fiscal year begins; undefined: January. */
      readonly yearStart?: number | undefined;
      readonly forecast: boolean;
    }
  /** A gap was found in a node's list within this time. */
  | { readonly kind: 'hole'; readonly withinMs: Millis }
  /** Less than this share of a period is proven to have no gap. */
  | { readonly kind: 'coverage'; readonly below: number; readonly overMs: Millis }
  /** No poll has reached a node for this long. */
  | { readonly kind: 'noLook'; readonly ms: Millis }
  /** More blocks than this wait for the DA layer. */
  | { readonly kind: 'pending'; readonly above: number }
  /** A node's claim about its DA contradicts what is seen. */
  | { readonly kind: 'claim' }
  /** Hindsight itself does not record or project (NOT_READY), or a part of it is impaired (DEGRADED). */
  | { readonly kind: 'hindsight'; readonly is: 'NOT_READY' | 'DEGRADED' }
  /** The database's disk has less than this left, or room for fewer than `days` days at its current growth. */
  | { readonly kind: 'disk'; readonly freeBytes: number; readonly days: number };

export type ConditionOf<Kind extends SampledCondition['kind']> = Extract<SampledCondition, { kind: Kind }>;

/** Why some conditions cannot be evaluated for the past. */
export const NOT_ON_RECORD: Readonly<Partial<Record<AlertCondition['kind'], string>>> = {
  pending: 'the number of waiting blocks at a past moment is not on record',
  hindsight: 'the state of Hindsight itself is not on record',
  disk: 'the use of the disk is not on record',
};

/** How far a condition looks back, in milliseconds: events within this time may be why it holds. */
export function reachOf(condition: AlertCondition): Millis {
  if (condition.kind === 'failures' || condition.kind === 'coverage') return condition.overMs;
  return condition.kind === 'hole' ? condition.withinMs : 0;
}

export function fitsHealth(
  { component, rules, states = rules === undefined ? TROUBLED_STATES : undefined }: HealthCondition,
  span: { readonly component: HealthComponent; readonly rule: string; readonly state: HealthState },
): boolean {
  return (
    (component === undefined || component === span.component) &&
    (rules === undefined || rules.includes(span.rule)) &&
    (states === undefined || states.includes(span.state))
  );
}

/** The subjects of health, as sentences name them. */
const SUBJECTS: Readonly<Record<HealthComponent, string>> = {
  DA: 'the DA layer is',
  NODE: 'the node is',
  DA_NODE: 'the DA node is',
  EXECUTION: 'the execution layer is',
  COVERAGE: 'the coverage is',
};

function subjectOf(component: HealthComponent | undefined): string {
  return component === undefined ? 'the node or its DA layer is' : SUBJECTS[component];
}

/** The problem behind a rule of health, as within a sentence. */
function problemIn(component: HealthComponent | undefined, rule: string): string {
  const components = component === undefined ? HEALTH_COMPONENTS : [component];
  const [title] = components.flatMap((each) => titleOf(each, rule) ?? []);
  if (title === undefined) return `${subjectOf(component)} ${rule.replaceAll('-', ' ')}`;
  return title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** The condition of a rule in plain words, for people. */
export function describeCondition(condition: AlertCondition): string {
  switch (condition.kind) {
    case 'health': {
      const { component, rules, states = rules ? [] : TROUBLED_STATES } = condition;
      const problems = (rules ?? []).map((rule) => problemIn(component, rule));
      const state = orOf(states.map((each) => each.toLowerCase()));
      if (problems.length === 0) return `${subjectOf(component)} ${state}`;
      return [orOf(problems), state].filter(Boolean).join(', ');
    }
    case 'failures': {
      const { above, overMs, attempts } = condition;
      return `more than ${percent(above)} of at least ${attempts} attempts fail in ${duration(overMs)}`;
    }
    case 'cost': {
      const { budget, unit, per, yearStart, forecast } = condition;
      return `a ${budgetPeriodName(per, yearStart)} ${forecast ? 'is forecast to cost' : 'costs'} more than ${budget} ${unit}`;
    }
    case 'hole':
      return `a gap was found in the last ${duration(condition.withinMs)}`;
    case 'coverage':
      return `less than ${percent(condition.below)} of ${duration(condition.overMs)} are covered`;
    case 'noLook':
      return `no poll reaches the node for ${duration(condition.ms)}`;
    case 'pending':
      return `more than ${condition.above} blocks wait`;
    case 'claim':
      return 'the claim of the node contradicts the record';
    case 'hindsight':
      return condition.is === 'NOT_READY' ? 'Hindsight is not ready' : 'Hindsight is degraded';
    case 'disk':
      return `less than ${condition.freeBytes / 1e9} GB free, or room for less than ${condition.days} days`;
    default:
      return condition satisfies never;
  }
}

function orOf(words: readonly string[]): string {
  return words.join(' or ');
}

/** A share, from 0 to 1, for people: `99.5 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}
