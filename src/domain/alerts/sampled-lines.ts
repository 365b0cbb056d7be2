import { QUIET_MS } from '../health/trouble.js';
import type { Millis } from '../time.js';
import type { Alert } from './alert-ledger.js';
import type { AlertRule } from './alert-rules.js';
import { BREAK_MS, type SampledSpan } from './trouble-runs.js';

/** That the condition of a rule holds of something, or that nobody can tell whether it does. */
export interface Finding {
  readonly node: string | null;
  readonly chain: string | null;
  readonly holds: true | 'unknown';
  readonly reason: string;
  /** Since when; since it was first found when left out. */
  readonly since?: Millis | undefined;
}

/** How long a line of the past is kept: longer than calm is waited for. */
const KEPT_MS: Millis = 12 * QUIET_MS;

/** Of no event, and not over. */
const UNTOLD = { to: null, position: 0n } as const;

/**
 * The times in which conditions held that are looked at now and then: made of what was found at each look. Between two
 * looks nothing is known, so what ended did so when it was last seen. What nobody could tell leaves a line as it is.
 */
export class SampledLines {
  private readonly rules = new Map<string, Map<string, SampledSpan>>();

  /**
   * Takes the alerts that are open. A process that has just begun knows nothing else of them: they go on until a look
   * finds that they do not.
   * @param now the record has them as open still
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

  /** Takes what a look found of a rule. */
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
        // It is about the chain with which it began, whichever its node is of by now.
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
