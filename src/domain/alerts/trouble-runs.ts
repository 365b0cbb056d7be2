import type { HealthComponent, HealthState } from '../health/health-rule.js';
import type { Millis } from '../time.js';
import { fitsHealth } from './alert-condition.js';
import type { AlertRule } from './alert-rules.js';
import { isInScope } from './alert-scope.js';

/** Trouble continues over a shorter break, which adds nothing to how long the trouble has held. */
export const BREAK_MS: Millis = 30_000;

/** The owner of an alert about no node and no chain. */
const OURSELVES = 'hindsight';

/** The owner of an alert about nodes whose chain is not known. */
const UNKNOWN_CHAIN = 'chain not known';

/** A time in which something held. Times are on the observer's clock. */
export interface TroubleSpan {
  /** Null if it is about a chain, or about Hindsight itself. */
  readonly node: string | null;
  /** Null until the node has reported its chain. */
  readonly chain: string | null;
  readonly reason: string;
  readonly from: Millis;
  /** Null while it holds. */
  readonly to: Millis | null;
  /** The position of the event that made it known; 0 if there is none. */
  readonly position: bigint;
  /** Until when it is known to have held; undefined if it holds until something else is reported. */
  readonly seenAt?: Millis;
}

export interface HealthSpan extends TroubleSpan {
  readonly node: string;
  readonly component: HealthComponent;
  readonly rule: string;
  readonly state: HealthState;
}

/** A time in which a condition other than health held. */
export interface SampledSpan extends TroubleSpan {
  readonly alertRule: string;
  /** The last sample that found it; nothing is known of the time since. */
  readonly seenAt: Millis;
}

/** Trouble of one node, or of a subject without one, by one rule, with breaks shorter than {@link BREAK_MS}. */
export interface TroubleRun {
  readonly first: TroubleSpan;
  readonly last: TroubleSpan;
  /** Up to when it is known to have held. */
  readonly until: Millis;
  /** How long it has held, without the breaks. */
  readonly heldMs: Millis;
  /** When it had held for as long as its rule waits; null if it has not. */
  readonly heldFrom: Millis | null;
}

/** The runs of trouble by a rule, oldest first, by subject. */
export function findRuns(
  rule: AlertRule,
  spans: { readonly health: readonly HealthSpan[]; readonly sampled: readonly SampledSpan[] },
  now: Millis,
): Map<string, TroubleRun[]> {
  const { name, condition, scope = {}, forMs } = rule;
  const fitting: readonly TroubleSpan[] =
    condition.kind === 'health'
      ? spans.health.filter((span) => fitsHealth(condition, span))
      : spans.sampled.filter(({ alertRule }) => alertRule === name);
  const pieces = fitting.filter(({ node, chain }) => isInScope(scope, { rule: name, node, chain }));
  const runs = new Map<string, TroubleRun[]>();
  for (const span of pieces.toSorted((a, b) => a.from - b.from)) {
    const subject = subjectOf(name, span.node, ownerOf(rule, span));
    const known = runs.get(subject) ?? [];
    runs.set(subject, known);
    const latest = known.at(-1);
    const isOn = latest !== undefined && span.from - latest.until < BREAK_MS;
    if (isOn) known.pop();
    known.push(goOn(isOn ? latest : undefined, span, span.to ?? span.seenAt ?? now, forMs));
  }
  return runs;
}

/** Extends a run by another time in which it held. */
function goOn(run: TroubleRun | undefined, span: TroubleSpan, to: Millis, forMs: Millis): TroubleRun {
  const before = run?.heldMs ?? 0;
  // Two components of a node may have the trouble at once: that time counts once.
  const begin = Math.max(span.from, run?.until ?? span.from);
  const heldMs = before + Math.max(0, to - begin);
  const isLonger = run !== undefined && (run.last.to ?? Infinity) >= (span.to ?? Infinity);
  return {
    first: run?.first ?? span,
    last: isLonger ? run.last : span,
    until: Math.max(run?.until ?? to, to),
    heldMs,
    heldFrom: run?.heldFrom ?? (heldMs >= forMs ? begin + forMs - before : null),
  };
}

/** The key of a rule's subject: its node, or its owner if it has none. */
export function subjectOf(rule: string, node: string | null, owner: string): string {
  return JSON.stringify([rule, node, node === null && owner]);
}

/** The chain or the node that the rule groups alerts by. */
export function ownerOf({ groupBy }: AlertRule, { node, chain }: TroubleSpan): string {
  if (node === null) return chain ?? OURSELVES;
  return groupBy === 'NODE' ? node : (chain ?? UNKNOWN_CHAIN);
}
