import { duration, type HealthComponent, type HealthState } from '../health/health-rule.js';
import { TROUBLED_STATES } from '../health/trouble.js';
import type { Millis } from '../time.js';

/** When a rule holds. Health is known as intervals; whether the others hold is looked at once a minute. */
export type AlertCondition = HealthCondition | SampledCondition;

/** The state of a node, or of its DA, is one of these; WARNING or CRITICAL where neither rules nor states are named. */
export interface HealthCondition {
  readonly kind: 'health';
  readonly component?: HealthComponent | undefined;
  readonly rules?: readonly string[] | undefined;
  readonly states?: readonly HealthState[] | undefined;
}

/** What is looked at now and then. Shares are from 0 to 1. */
export type SampledCondition =
  /** More than this share of a node's attempts in a time failed, of at least so many. */
  | {
      readonly kind: 'failures';
      readonly above: number;
      readonly overMs: Millis;
      readonly attempts: number;
    }
  /** A chain has cost more than a budget since the day or month began, or is forecast to. The amount is decimal text. */
  | {
      readonly kind: 'cost';
      readonly budget: string;
      /** TIA, or the currency of the chain's rates. */
      readonly unit: string;
      readonly per: 'DAY' | 'MONTH';
      readonly forecast: boolean;
    }
  /** A hole was found in a node's list within this time. */
  | { readonly kind: 'hole'; readonly withinMs: Millis }
  /** Less than this share of a time is proven to be without a hole. */
  | { readonly kind: 'coverage'; readonly below: number; readonly overMs: Millis }
  /** No look has reached a node for so long. */
  | { readonly kind: 'noLook'; readonly ms: Millis }
  /** More blocks than this wait for the DA layer. */
  | { readonly kind: 'pending'; readonly above: number }
  /** What a node claims of its DA contradicts what is seen. */
  | { readonly kind: 'claim' }
  /** Hindsight itself does not record or project; or something of it is not as it should be. */
  | { readonly kind: 'hindsight'; readonly is: 'NOT_READY' | 'DEGRADED' }
  /** The database's disk has less than this left, or will do for less than so many days as it grows now. */
  | { readonly kind: 'disk'; readonly freeBytes: number; readonly days: number };

/** Conditions that can be asked of the past, as the record alone answers them. */
export const ASKED_OF_PAST: ReadonlySet<AlertCondition['kind']> = new Set([
  'health',
  'failures',
  'hole',
  'coverage',
  'cost',
  'noLook',
  'claim',
]);

/** How far a condition looks back: what happened within this time may be why it holds. */
export function reachOf(condition: AlertCondition): Millis {
  if (condition.kind === 'failures' || condition.kind === 'coverage') return condition.overMs;
  return condition.kind === 'hole' ? condition.withinMs : 0;
}

/** Tells whether an interval of health fulfils a condition. */
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

/** When a condition holds, in words. */
export function describeCondition(condition: AlertCondition): string {
  switch (condition.kind) {
    case 'health': {
      const { component, rules, states = rules ? [] : TROUBLED_STATES } = condition;
      return [component, [...(rules ?? []), ...states].join(', ')].filter(Boolean).join(' ');
    }
    case 'failures': {
      const { above, overMs, attempts } = condition;
      return `more than ${percent(above)} of at least ${attempts} attempts fail in ${duration(overMs)}`;
    }
    case 'cost': {
      const { budget, unit, per, forecast } = condition;
      return `a ${per.toLowerCase()} ${forecast ? 'is forecast to cost' : 'costs'} more than ${budget} ${unit}`;
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

/** A share as people read it: `99.5 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}
