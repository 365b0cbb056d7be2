import { QUIET_MS } from '../health/trouble.js';
import type { Millis } from '../time.js';
import type { Alert } from './alert-ledger.js';
import type { AlertRule } from './alert-rules.js';
import { BREAK_MS, type SampledSpan } from './trouble-runs.js';

/** The condition of a rule holds for a subject, or it is unknown whether it does. */
export interface Finding {
  readonly node: string | null;
  readonly chain: string | null;
  readonly holds: true | 'unknown';
  readonly reason: string;
  /** Since when; undefined: since it was first found. */
  readonly since?: Millis | undefined;
}

/** How long a past line is kept: longer than the calm that ends an alert. */
const KEPT_MS: Millis = 12 * QUIET_MS;

/** Without an event, and not over. */
const UNTOLD = { to: null, position: 0n } as const;

/**
 * The times in which sampled conditions held, built from the findings of each sample. Nothing is known between two samples, so a
 * time ends when it was last seen. An unknown finding leaves a line as it is.
 */
export class SampledLines {
  private readonly rules = new Map<string, Map<string, SampledSpan>>();

  /**
   * Takes the open alerts, the only knowledge of a process that has just started: they continue until a sample finds that they do
   * not hold.
   * @param now when the record still has them as open
   */
  continue(rules: readonly AlertRule[], open: readonly Alert[], now: Millis): void {
    for (const { name, condition } of rules) {
      if (condition.kind === 'health') continue;
      const line = this.lineOf(name);
      for (const alert of open.filter(({ rule }) => rule === name)) {
        const { chain, since, reason, nodes } = alert;
        for (const node of nodes.length > 0 ? nodes : [null]) {
          const span = { ...UNTOLD, alertRule: name, node, chain, reason, from: since, seenAt: now };
          const subject = subjectOf(span);
          const known = line.get(subject);
          if (known === undefined || (known.to ?? since) < since) line.set(subject, span);
        }
      }
    }
  }

  /** Takes the findings of a sample for a rule. */
  take(alertRule: string, findings: readonly Finding[], at: Millis): void {
    const line = this.lineOf(alertRule);
    const found = new Map(findings.map((finding) => [subjectOf(finding), finding]));
    for (const [subject, span] of line) {
      if (!found.has(subject) && span.to === null) line.set(subject, { ...span, to: span.seenAt });
      if (span.to !== null && at - span.to > KEPT_MS) line.delete(subject);
    }
    for (const [subject, { node, chain, holds, reason, since = at }] of found) {
      if (holds === 'unknown') continue;
      const known = line.get(subject);
      const calmMs = known === undefined ? Infinity : since - (known.to ?? since);
      line.set(subject, {
        ...UNTOLD,
        alertRule,
        node,
        reason,
        // It keeps the chain with which it began, even if its node has moved to another.
        chain: (calmMs < QUIET_MS ? known?.chain : null) ?? chain,
        from: known !== undefined && calmMs < BREAK_MS ? known.from : since,
        seenAt: at,
      });
    }
  }

  get spans(): readonly SampledSpan[] {
    return [...this.rules.values()].flatMap((line) => [...line.values()]);
  }

  private lineOf(rule: string): Map<string, SampledSpan> {
    const line = this.rules.get(rule) ?? new Map<string, SampledSpan>();
    this.rules.set(rule, line);
    return line;
  }
}

function subjectOf({ node, chain }: Pick<SampledSpan, 'node' | 'chain'>): string {
  return JSON.stringify([node, node === null && chain]);
}
